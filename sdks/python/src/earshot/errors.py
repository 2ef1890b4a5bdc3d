"""What calls raise. A code, a status or a field that a newer service adds changes nothing here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from ._statuses import ERROR_STATUSES


class EarshotError(Exception):
    """Any failure of a call."""


class ConnectionFailed(EarshotError):
    """No response of the service arrived: the network failed, or another server responded."""


class NotModified(EarshotError):
    """The record still matches the `if_none_match` of the call."""


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field."""

    field: str
    code: str
    detail: str


class ApiError(EarshotError):
    """A refusal by the service. `code` is text, such as `state_conflict`: compare it, and expect codes that you do not know."""

    def __init__(self, status: int, body: dict[str, Any], retry_after_seconds: float | None = None) -> None:
        self.status = status
        self.body = body
        self.code = str(body.get("code", ""))
        self.detail = str(body.get("detail", ""))
        self.request_id = str(body.get("request_id", ""))
        self.retry_after_seconds = retry_after_seconds
        self.errors = [
            FieldError(str(error.get("field", "")), str(error.get("code", "")), str(error.get("detail", "")))
            for error in body.get("errors") or []
        ]
        super().__init__(f"{self.detail} ({self.code})")

    @property
    def fields(self) -> dict[str, Any]:
        """The other fields of the body, such as `current_state` of `state_conflict`."""
        return {name: value for name, value in self.body.items() if name not in ("code", "detail", "errors", "request_id")}


class BadRequest(ApiError):
    """400: the input is invalid; `errors` names the fields."""


class NotAuthenticated(ApiError):
    """401: the credential is missing, invalid or expired."""


class PaymentRequired(ApiError):
    """402: a quota is used up, or the plan lacks the feature."""


class Forbidden(ApiError):
    """403: the credential may not do this."""


class NotFound(ApiError):
    """404: there is no such record in this team."""


class Conflict(ApiError):
    """409: the state of the record does not allow this."""


class TooManyRequests(ApiError):
    """429: wait for `retry_after_seconds`."""


class ServerError(ApiError):
    """5xx: the service failed, or cannot reach its database."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequest,
    401: NotAuthenticated,
    402: PaymentRequired,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: TooManyRequests,
}


def error_of(response: httpx.Response) -> EarshotError:
    """Returns the error of a response that is no success. The response must have been read."""
    if response.status_code == 304:
        return NotModified("The record has not changed.")
    body = _object_of(response)
    if body is None or "code" not in body:
        return ConnectionFailed(f"{response.url} responded {response.status_code}, and not as the service does.")
    return error_from(response.status_code, body, retry_after_of(response))


def error_from(status: int, body: dict[str, Any], retry_after_seconds: float | None = None) -> ApiError:
    """Returns the error of a status and a body."""
    default = ServerError if status >= 500 else ApiError
    return _BY_STATUS.get(status, default)(status, body, retry_after_seconds)


def early_error_from(body: dict[str, Any]) -> ApiError:
    """Returns the error that ended a response early, whose status says success. A code that is not known counts as a refusal."""
    return error_from(ERROR_STATUSES.get(str(body.get("code")), 403), body)


def retry_after_of(response: httpx.Response) -> float | None:
    """Returns the seconds of `Retry-After`, which the service sends as a number."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdigit() else None


def _object_of(response: httpx.Response) -> dict[str, Any] | None:
    try:
        body = response.json()
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
