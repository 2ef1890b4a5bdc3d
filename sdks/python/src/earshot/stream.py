"""Streams, which go on after a broken connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx
from httpx_sse import ServerSentEvent, aconnect_sse, connect_sse

from . import models
from ._async_requests import AsyncRequests
from ._requests import Requests, backoff
from .errors import ApiError, EarshotError, ServerError, TooManyRequests, early_error_from, error_of
from .events import Event, parse_event

#: The service sends something at least every 15 seconds.
SILENCE_SECONDS = 45.0


@dataclass(frozen=True)
class Streamed:
    """An event, with the cursor that resumes the stream after it."""

    cursor: str
    event: Event


@dataclass(frozen=True)
class StreamedChange:
    """A change of a submission, with the cursor that resumes the stream after it."""

    cursor: str
    change: models.SubmissionChange


Item = TypeVar("Item")


class Stream(Generic[Item]):
    """How far a stream is, over all of its connections."""

    def __init__(
        self, request: dict[str, Any], item_of: Callable[[str, dict[str, Any]], Item], on_ready: Callable[[str], None] | None
    ) -> None:
        self.request = request
        self.item_of = item_of
        self.on_ready = on_ready
        self.cursor: str | None = None
        self.failures = 0

    def next_request(self) -> dict[str, Any]:
        """Returns the request that goes on after the last cursor."""
        headers = {**self.request.get("headers", {}), **({} if self.cursor is None else {"Last-Event-ID": self.cursor})}
        return {**self.request, "headers": headers, "timeout": httpx.Timeout(30, read=SILENCE_SECONDS)}

    def read(self, message: ServerSentEvent) -> Item | None:
        """Returns the item of a message, if it has one. Raises what ended the stream."""
        self.failures = 0
        self.cursor = message.id or self.cursor
        if message.event == "error":
            raise early_error_from(json.loads(message.data))
        if message.event == "ready":
            if self.on_ready is not None:
                self.on_ready(message.id)
            return None
        return self.item_of(message.id, json.loads(message.data)) if message.data else None

    def wait_after(self, end: EarshotError | httpx.TransportError | None) -> float:
        """Returns the seconds to wait before the next connection. Raises what the service refuses for good."""
        asked: float | None = None
        if isinstance(end, ApiError):
            if not isinstance(end, (ServerError, TooManyRequests)):
                raise end
            asked = end.retry_after_seconds
        self.failures += 1
        return backoff(self.failures - 1) if asked is None else asked


def event_item(cursor: str, data: dict[str, Any]) -> Streamed:
    """Returns the item of a message of the stream of events."""
    return Streamed(cursor, parse_event(data))


def change_item(cursor: str, data: dict[str, Any]) -> StreamedChange:
    """Returns the item of a message of the stream of submissions."""
    return StreamedChange(cursor, models.SubmissionChange.from_dict(data))


def stream_items(requests: Requests, stream: Stream[Item]) -> Iterator[Item]:
    """Yields items without an end. Reconnects after the last cursor; what the service refuses for good is raised."""
    while True:
        end: EarshotError | httpx.TransportError | None = None
        try:
            with connect_sse(requests.http, **stream.next_request()) as source:
                if source.response.status_code != 200:
                    source.response.read()
                    raise error_of(source.response)
                for message in source.iter_sse():
                    if (item := stream.read(message)) is not None:
                        yield item
        except (EarshotError, httpx.TransportError) as failure:
            end = failure
        requests.sleep(stream.wait_after(end))


async def stream_items_async(requests: AsyncRequests, stream: Stream[Item]) -> AsyncIterator[Item]:
    """Does what `stream_items` does."""
    while True:
        end: EarshotError | httpx.TransportError | None = None
        try:
            async with aconnect_sse(requests.http, **stream.next_request()) as source:
                if source.response.status_code != 200:
                    await source.response.aread()
                    raise error_of(source.response)
                async for message in source.aiter_sse():
                    if (item := stream.read(message)) is not None:
                        yield item
        except (EarshotError, httpx.TransportError) as failure:
            end = failure
        await requests.sleep(stream.wait_after(end))
