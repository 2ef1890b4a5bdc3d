"""Requests of the async client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import anyio
import httpx

from ._requests import EXPORT_BREAKS, Export, Tries, build, parsed, with_key
from .errors import error_of

T = TypeVar("T")


class AsyncRequests:
    """Sends the requests of the generated code, as `Requests` does."""

    def __init__(self, http: httpx.AsyncClient, *, max_retries: int = 2, sleep: Callable[[float], Awaitable[None]] = anyio.sleep) -> None:
        self.http = http
        self.max_retries = max_retries
        self.sleep = sleep

    async def call(
        self,
        request: dict[str, Any],
        parse: Callable[[httpx.Response], T],
        *,
        takes_token: bool,
        takes_key: bool,
        is_repeatable: bool,
    ) -> T:
        """Sends a request until its outcome is final. Each try of a POST carries the same `Idempotency-Key`.

        The token goes to operations that take one, and to no other.
        """
        if takes_key:
            request = with_key(request)
        response = await self.send(lambda: self.http.send(build(self.http, request, takes_token)), is_repeatable=is_repeatable)
        return parsed(response, parse)

    async def send(self, attempt: Callable[[], Awaitable[httpx.Response]], *, is_repeatable: bool) -> httpx.Response:
        """Returns the first success. Raises the last error."""
        tries = Tries(self.max_retries if is_repeatable else 0)
        while True:
            try:
                response = await attempt()
                if response.is_success:
                    return response
                wait = tries.wait_after(response)
            except httpx.TransportError as failure:
                wait = tries.wait_after(failure)
            await self.sleep(wait)

    async def records(self, request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Yields each record of an export, to the end of the list. Continues after the last record where the response broke off."""
        export = Export(request, self.max_retries)
        while True:
            try:
                async with self.http.stream(**export.next_request()) as response:
                    if response.status_code != 200:
                        await response.aread()
                        raise error_of(response)
                    async for line in response.aiter_lines():
                        if line:
                            yield export.record_of(line)
                return
            except EXPORT_BREAKS as end:
                wait = export.wait_after(end)
            if wait > 0:
                await self.sleep(wait)
