"""Lists, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar

from .models import EventFeed

Item_co = TypeVar("Item_co", covariant=True)
Item = TypeVar("Item")
P = ParamSpec("P")


class Page(Protocol[Item_co]):
    """The output of a list."""

    @property
    def results(self) -> Sequence[Item_co]: ...

    @property
    def next_cursor(self) -> str | None: ...


def iterate(list_method: Callable[P, Page[Item]], *args: P.args, **kwargs: P.kwargs) -> Iterator[Item]:
    """Yields the items of all pages, which are requested as needed: `iterate(client.submissions.list, team, project)`."""
    for page in pages(list_method, *args, **kwargs):
        yield from page.results


def pages(list_method: Callable[P, Page[Item]], *args: P.args, **kwargs: P.kwargs) -> Iterator[Page[Item]]:
    """Yields all pages. An empty page with a cursor does not end a list; a feed, which always has a cursor, ends there."""
    call: Callable[..., Any] = list_method
    page: Page[Item] = call(*args, **kwargs)
    while True:
        yield page
        if _is_last(page):
            return
        page = call(*args, **{**kwargs, "cursor": page.next_cursor})


async def async_iterate(list_method: Callable[P, Awaitable[Page[Item]]], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Item]:
    """Does what `iterate` does, for a method of `AsyncEarshot`."""
    async for page in async_pages(list_method, *args, **kwargs):
        for item in page.results:
            yield item


async def async_pages(list_method: Callable[P, Awaitable[Page[Item]]], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Page[Item]]:
    """Does what `pages` does, for a method of `AsyncEarshot`."""
    call: Callable[..., Any] = list_method
    page: Page[Item] = await call(*args, **kwargs)
    while True:
        yield page
        if _is_last(page):
            return
        page = await call(*args, **{**kwargs, "cursor": page.next_cursor})


def _is_last(page: Page[Any]) -> bool:
    return page.next_cursor is None or (isinstance(page, EventFeed) and not page.results)
