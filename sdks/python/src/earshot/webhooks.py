"""Verification of deliveries: by the secret of the endpoint, or by its public key."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import Any, Literal

from .events import Event, parse_event

SECRET_PREFIX = "whsec_"
PUBLIC_KEY_PREFIX = "whpk_"

Reason = Literal["missing_header", "bad_timestamp", "timestamp_out_of_range", "bad_signature", "bad_body"]


class WebhookVerificationError(Exception):
    """A delivery that must not be trusted; `code` is the reason."""

    def __init__(self, code: Reason, detail: str) -> None:
        super().__init__(detail)
        self.code: Reason = code


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secret: str, *, now: float | None = None, tolerance_seconds: float = 300
) -> Event:
    """Verifies a delivery by the rules of Standard Webhooks, and returns its event.

    `body` is the raw body: it is verified before it is parsed. `secret` is `whsec_…`, or the public key `whpk_…`, which needs
    `earshot[public-keys]`. After a rotation, a signature by the previous one is valid too.
    """
    delivery_id, timestamp = _header(headers, "webhook-id"), _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature").split(" ")
    _require_recent(timestamp, time.time() if now is None else now, tolerance_seconds)
    message = f"{delivery_id}.{timestamp}.".encode() + body
    if secret.startswith(PUBLIC_KEY_PREFIX):
        is_authentic = _verifies_v1a(_signatures_of("v1a", signatures), message, secret)
    else:
        is_authentic = _verifies_v1(_signatures_of("v1", signatures), message, secret)
    if not is_authentic:
        raise WebhookVerificationError("bad_signature", "No signature matches this secret and body.")
    return parse_event(_event_of(body))


def _verifies_v1(signatures: list[bytes], message: bytes, secret: str) -> bool:
    if not secret.startswith(SECRET_PREFIX):
        raise ValueError(f"A webhook secret starts with {SECRET_PREFIX}")
    key = base64.b64decode(secret[len(SECRET_PREFIX) :], validate=True)
    expected = hmac.new(key, message, hashlib.sha256).digest()
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


def _verifies_v1a(signatures: list[bytes], message: bytes, public_key: str) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key[len(PUBLIC_KEY_PREFIX) :], validate=True))
    for signature in signatures:
        try:
            key.verify(signature, message)
            return True
        except InvalidSignature:
            continue
    return False


def _signatures_of(version: str, entries: list[str]) -> list[bytes]:
    """Returns the signatures of one version, and passes over all others."""
    found = []
    for entry in entries:
        name, _, signature = entry.partition(",")
        if name == version:
            try:
                found.append(base64.b64decode(signature, validate=True))
            except binascii.Error:
                continue
    return found


def _header(headers: Mapping[str, str], name: str) -> str:
    values = [value for key, value in headers.items() if key.lower() == name]
    if len(values) != 1:
        raise WebhookVerificationError("missing_header", f"The header {name} is missing or repeated.")
    return values[0]


def _require_recent(timestamp: str, now: float, tolerance_seconds: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("bad_timestamp", "webhook-timestamp is not a number of seconds.")
    if abs(now - int(timestamp)) >= tolerance_seconds:
        raise WebhookVerificationError("timestamp_out_of_range", f"webhook-timestamp is {tolerance_seconds:g} seconds off or more.")


def _event_of(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body.decode("utf-8"))
    except ValueError:
        raise WebhookVerificationError("bad_body", "The signed body is not JSON.") from None
    if not isinstance(event, dict) or not {"id", "type", "data"} <= event.keys():
        raise WebhookVerificationError("bad_body", "The signed body is not an event.")
    return event
