"""Requests with retries, for both clients. A request that could run twice is never repeated."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from uuid import uuid4

import httpx

from .errors import ConnectionFailed, EarshotError, early_error_from, error_of, retry_after_of

T = TypeVar("T")

RETRIED_STATUSES = frozenset({429, 502, 503, 504})
FIRST_BACKOFF_SECONDS = 0.25
MAX_BACKOFF_SECONDS = 8.0
#: A longer wait is for the caller to decide.
MAX_WAIT_SECONDS = 60.0


class Requests:
    """Sends the requests of the generated code."""

    def __init__(self, http: httpx.Client, *, max_retries: int = 2, sleep: Callable[[float], None] = time.sleep) -> None:
        self.http = http
        self.max_retries = max_retries
        self.sleep = sleep

    def call(
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
        response = self.send(lambda: self.http.send(build(self.http, request, takes_token)), is_repeatable=is_repeatable)
        return parsed(response, parse)

    def send(self, attempt: Callable[[], httpx.Response], *, is_repeatable: bool) -> httpx.Response:
        """Returns the first success. Raises the last error."""
        tries = Tries(self.max_retries if is_repeatable else 0)
        while True:
            try:
                response = attempt()
                if response.is_success:
                    return response
                wait = tries.wait_after(response)
            except httpx.TransportError as failure:
                wait = tries.wait_after(failure)
            self.sleep(wait)

    def records(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yields each record of an export, to the end of the list. Continues after the last record where the response broke off."""
        export = Export(request, self.max_retries)
        while True:
            try:
                with self.http.stream(**export.next_request()) as response:
                    if response.status_code != 200:
                        response.read()
                        raise error_of(response)
                    for line in response.iter_lines():
                        if line:
                            yield export.record_of(line)
                return
            except EXPORT_BREAKS as end:
                wait = export.wait_after(end)
            if wait > 0:
                self.sleep(wait)


def with_key(request: dict[str, Any]) -> dict[str, Any]:
    """Returns the request with an `Idempotency-Key`: the caller's, or a new one."""
    headers = dict(request.get("headers", {}))
    headers.setdefault("Idempotency-Key", str(uuid4()))
    return {**request, "headers": headers}


def build(http: httpx.Client | httpx.AsyncClient, request: dict[str, Any], takes_token: bool) -> httpx.Request:
    """Returns the request of one try, with the token if the operation takes one."""
    built = http.build_request(**request)
    if not takes_token:
        built.headers.pop("Authorization", None)
    return built


def parsed(response: httpx.Response, parse: Callable[[httpx.Response], T]) -> T:
    """Returns the output of a success."""
    try:
        return parse(response)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ConnectionFailed(f"{response.url} did not respond as the service does: {error!r}") from error


class Tries:
    """The tries of one request."""

    def __init__(self, max_retries: int) -> None:
        self.max_retries = max_retries
        self.retries = 0

    def wait_after(self, outcome: httpx.Response | httpx.TransportError) -> float:
        """Returns the seconds to wait before the next try. Raises the error of an outcome that is final."""
        wait: float | None = backoff(self.retries)
        error: EarshotError
        if isinstance(outcome, httpx.Response):
            error = error_of(outcome)
            if outcome.status_code not in RETRIED_STATUSES:
                wait = None
            elif (asked := retry_after_of(outcome)) is not None:
                wait = asked
        else:
            error = ConnectionFailed(f"The service is not reachable: {outcome!r}")
            error.__cause__ = outcome
        if wait is None or wait > MAX_WAIT_SECONDS or self.retries >= self.max_retries:
            raise error
        self.retries += 1
        return wait


class Export:
    """How far an export is, over all of its responses."""

    def __init__(self, request: dict[str, Any], max_retries: int) -> None:
        self.request = request
        self.max_retries = max_retries
        self.cursor: str | None = request.get("params", {}).get("cursor")
        self.failures = 0

    def next_request(self) -> dict[str, Any]:
        """Returns the request that goes on after the last record."""
        cursor = {"cursor": self.cursor} if self.cursor else {}
        return {**self.request, "params": {**self.request.get("params", {}), "format": "ndjson", **cursor}}

    def record_of(self, line: str) -> dict[str, Any]:
        """Returns the record of a line. Raises what ends the response early."""
        record: dict[str, Any] = json.loads(line)
        if "id" not in record:
            error = record.get("error")
            raise Continued(str(record.get("next_cursor"))) if error is None else early_error_from(error)
        self.failures = 0
        self.cursor = str(record["id"])
        return record

    def wait_after(self, end: Exception) -> float:
        """Returns the seconds to wait before the export goes on. Raises if it failed too often without a record."""
        if isinstance(end, Continued):
            self.cursor = end.cursor
            return 0
        if self.failures >= self.max_retries:
            raise end if isinstance(end, ConnectionFailed) else ConnectionFailed(f"The export broke off: {end!r}") from end
        self.failures += 1
        return backoff(self.failures - 1)


class Continued(Exception):
    """The service ended an export early, and says where to continue."""

    def __init__(self, cursor: str) -> None:
        super().__init__(cursor)
        self.cursor = cursor


#: After these, an export goes on.
EXPORT_BREAKS = (Continued, ConnectionFailed, httpx.TransportError, json.JSONDecodeError)


def backoff(retries: int) -> float:
    """Returns an exponential backoff with jitter, so that clients that failed together do not retry together."""
    seconds: float = min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2**retries)
    return seconds * (0.5 + random.random() / 2)
