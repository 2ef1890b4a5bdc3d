"""Lists, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
        cursor = page.next_cursor
        if cursor is None or (isinstance(page, EventFeed) and not page.results):
            return
        page = call(*args, **{**kwargs, "cursor": cursor})
