"""The stream of events, which goes on after a broken connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import ServerSentEvent, aconnect_sse, connect_sse

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


class EventStream:
    """How far a stream is, over all of its connections."""

    def __init__(self, request: dict[str, Any], on_ready: Callable[[str], None] | None) -> None:
        self.request = request
        self.on_ready = on_ready
        self.cursor: str | None = None
        self.failures = 0

    def next_request(self) -> dict[str, Any]:
        """Returns the request that goes on after the last cursor."""
        headers = {**self.request.get("headers", {}), **({} if self.cursor is None else {"Last-Event-ID": self.cursor})}
        return {**self.request, "headers": headers, "timeout": httpx.Timeout(30, read=SILENCE_SECONDS)}

    def event_of(self, message: ServerSentEvent) -> Streamed | None:
        """Returns the event of a message, if it has one. Raises what ended the stream."""
        self.failures = 0
        self.cursor = message.id or self.cursor
        if message.event == "error":
            raise early_error_from(json.loads(message.data))
        if message.event == "ready":
            if self.on_ready is not None:
                self.on_ready(message.id)
            return None
        return Streamed(message.id, parse_event(json.loads(message.data))) if message.data else None

    def wait_after(self, end: EarshotError | httpx.TransportError | None) -> float:
        """Returns the seconds to wait before the next connection. Raises what the service refuses for good."""
        asked: float | None = None
        if isinstance(end, ApiError):
            if not isinstance(end, (ServerError, TooManyRequests)):
                raise end
            asked = end.retry_after_seconds
        self.failures += 1
        return backoff(self.failures - 1) if asked is None else asked


def stream_events(requests: Requests, request: dict[str, Any], on_ready: Callable[[str], None] | None = None) -> Iterator[Streamed]:
    """Yields events without an end. Reconnects after the last cursor; what the service refuses for good is raised."""
    stream = EventStream(request, on_ready)
    while True:
        end: EarshotError | httpx.TransportError | None = None
        try:
            with connect_sse(requests.http, **stream.next_request()) as source:
                if source.response.status_code != 200:
                    source.response.read()
                    raise error_of(source.response)
                for message in source.iter_sse():
                    if (event := stream.event_of(message)) is not None:
                        yield event
        except (EarshotError, httpx.TransportError) as failure:
            end = failure
        requests.sleep(stream.wait_after(end))


async def stream_events_async(
    requests: AsyncRequests, request: dict[str, Any], on_ready: Callable[[str], None] | None = None
) -> AsyncIterator[Streamed]:
    """Does what `stream_events` does."""
    stream = EventStream(request, on_ready)
    while True:
        end: EarshotError | httpx.TransportError | None = None
        try:
            async with aconnect_sse(requests.http, **stream.next_request()) as source:
                if source.response.status_code != 200:
                    await source.response.aread()
                    raise error_of(source.response)
                async for message in source.aiter_sse():
                    if (event := stream.event_of(message)) is not None:
                        yield event
        except (EarshotError, httpx.TransportError) as failure:
            end = failure
        await requests.sleep(stream.wait_after(end))
