"""Client of Earshot, the open feedback service."""

from .async_client import AsyncEarshot
from .client import Earshot
from .errors import (
    ApiError,
    BadRequest,
    Conflict,
    ConnectionFailed,
    EarshotError,
    FieldError,
    Forbidden,
    NotAuthenticated,
    NotFound,
    NotModified,
    PaymentRequired,
    ServerError,
    TooManyRequests,
)
from .events import Event, UnknownEvent
from .models import UNSET, Unset
from .pages import Page, async_iterate, async_pages, iterate, pages
from .stream import Streamed, StreamedChange
from .uploads import upload_video_file
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "UNSET",
    "ApiError",
    "AsyncEarshot",
    "BadRequest",
    "Conflict",
    "ConnectionFailed",
    "Earshot",
    "EarshotError",
    "Event",
    "FieldError",
    "Forbidden",
    "NotAuthenticated",
    "NotFound",
    "NotModified",
    "Page",
    "PaymentRequired",
    "ServerError",
    "Streamed",
    "StreamedChange",
    "TooManyRequests",
    "UnknownEvent",
    "Unset",
    "WebhookVerificationError",
    "async_iterate",
    "async_pages",
    "iterate",
    "pages",
    "upload_video_file",
    "verify_webhook",
]
