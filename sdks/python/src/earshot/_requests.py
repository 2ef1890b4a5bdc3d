"""Requests with retries. A request that could run twice is never repeated."""

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
            headers = dict(request.get("headers", {}))
            headers.setdefault("Idempotency-Key", str(uuid4()))
            request = {**request, "headers": headers}
        response = self.send(lambda: self._send_once(request, takes_token), is_repeatable=is_repeatable)
        try:
            return parse(response)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise ConnectionFailed(f"{response.url} did not respond as the service does: {error!r}") from error

    def _send_once(self, request: dict[str, Any], takes_token: bool) -> httpx.Response:
        built = self.http.build_request(**request)
        if not takes_token:
            built.headers.pop("Authorization", None)
        return self.http.send(built)

    def send(self, attempt: Callable[[], httpx.Response], *, is_repeatable: bool) -> httpx.Response:
        """Returns the first success. Raises the last error."""
        retries = 0
        while True:
            response, error = _outcome_of(attempt)
            if response is not None and error is None:
                return response
            wait = _wait_before_retry(response, retries)
            if not is_repeatable or retries >= self.max_retries or wait is None or wait > MAX_WAIT_SECONDS:
                raise error or EarshotError("no response")
            self.sleep(wait)
            retries += 1

    def records(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yields each record of an export, to the end of the list. Continues after the last record where the response broke off."""
        cursor: str | None = request.get("params", {}).get("cursor")
        failures = 0
        while True:
            try:
                for record in self._lines(
                    {**request.get("params", {}), "format": "ndjson", **({"cursor": cursor} if cursor else {})}, request
                ):
                    if "id" not in record:
                        raise _end_of(record)
                    failures = 0
                    cursor = str(record["id"])
                    yield record
                return
            except _Continued as continued:
                cursor = continued.cursor
            except ConnectionFailed:
                if failures >= self.max_retries:
                    raise
                self.sleep(backoff(failures))
                failures += 1

    def _lines(self, params: dict[str, Any], request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        try:
            with self.http.stream(**{**request, "params": params}) as response:
                if response.status_code != 200:
                    response.read()
                    raise error_of(response)
                for line in response.iter_lines():
                    if line:
                        yield json.loads(line)
        except (httpx.TransportError, json.JSONDecodeError) as failure:
            raise ConnectionFailed(f"The export broke off: {failure!r}") from failure


class _Continued(Exception):
    """The service ended an export early, and says where to continue."""

    def __init__(self, cursor: str) -> None:
        super().__init__(cursor)
        self.cursor = cursor


def _end_of(line: dict[str, Any]) -> Exception:
    error = line.get("error")
    return _Continued(str(line.get("next_cursor"))) if error is None else early_error_from(error)


def _outcome_of(attempt: Callable[[], httpx.Response]) -> tuple[httpx.Response | None, EarshotError | None]:
    try:
        response = attempt()
    except httpx.TransportError as failure:
        error = ConnectionFailed(f"The service is not reachable: {failure!r}")
        error.__cause__ = failure
        return None, error
    return response, None if response.is_success else error_of(response)


def _wait_before_retry(response: httpx.Response | None, retries: int) -> float | None:
    """Returns the seconds to wait, or None if the outcome is final."""
    if response is not None and response.status_code not in RETRIED_STATUSES:
        return None
    asked = None if response is None else retry_after_of(response)
    return backoff(retries) if asked is None else asked


def backoff(retries: int) -> float:
    """Returns an exponential backoff with jitter, so that clients that failed together do not retry together."""
    seconds: float = min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2**retries)
    return seconds * (0.5 + random.random() / 2)
