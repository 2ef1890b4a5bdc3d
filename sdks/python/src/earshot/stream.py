"""The stream of events, which goes on after a broken connection."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import ServerSentEvent, connect_sse

from ._requests import Requests, backoff
from .errors import ApiError, ConnectionFailed, EarshotError, ServerError, TooManyRequests, early_error_from, error_of
from .events import Event, parse_event

#: The service sends something at least every 15 seconds.
SILENCE_SECONDS = 45.0


@dataclass(frozen=True)
class Streamed:
    """An event, with the cursor that resumes the stream after it."""

    cursor: str
    event: Event


def stream_events(requests: Requests, request: dict[str, Any], on_ready: Callable[[str], None] | None = None) -> Iterator[Streamed]:
    """Yields events without an end. Reconnects after the last cursor; what the service refuses for good is raised."""
    cursor: str | None = None
    failures = 0
    while True:
        try:
            for message in _messages(requests, request, cursor):
                failures = 0
                cursor = message.id or cursor
                if message.event == "ready":
                    if on_ready is not None:
                        on_ready(message.id)
                elif message.event == "error":
                    raise _refusal_of(message.data)
                elif message.data:
                    yield Streamed(message.id, parse_event(json.loads(message.data)))
        except EarshotError as error:
            if isinstance(error, ApiError) and not isinstance(error, (ServerError, TooManyRequests)):
                raise
            asked = error.retry_after_seconds if isinstance(error, ApiError) else None
            requests.sleep(backoff(failures) if asked is None else asked)
            failures += 1


def _messages(requests: Requests, request: dict[str, Any], cursor: str | None) -> Iterator[ServerSentEvent]:
    headers = {**request.get("headers", {}), **({} if cursor is None else {"Last-Event-ID": cursor})}
    timeout = httpx.Timeout(30, read=SILENCE_SECONDS)
    try:
        with connect_sse(requests.http, **{**request, "headers": headers, "timeout": timeout}) as source:
            if source.response.status_code != 200:
                source.response.read()
                raise error_of(source.response)
            yield from source.iter_sse()
    except httpx.TransportError as failure:
        raise ConnectionFailed(f"The stream broke off: {failure!r}") from failure
    raise ConnectionFailed("The service ended the stream.")


def _refusal_of(data: str) -> EarshotError:
    return early_error_from(json.loads(data))
