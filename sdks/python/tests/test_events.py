from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any
from uuid import UUID

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from earshot import Earshot, Forbidden, UnknownEvent, WebhookVerificationError, models, pages, verify_webhook
from earshot.events import _PARSERS, parse_event

KEY = b"k" * 32
SECRET = "whsec_" + base64.b64encode(KEY).decode()
PRIVATE_KEY = Ed25519PrivateKey.from_private_bytes(b"p" * 32)
PUBLIC_KEY = "whpk_" + base64.b64encode(PRIVATE_KEY.public_key().public_bytes_raw()).decode()
BODY = json.dumps({"id": "e1", "type": "moon.rose", "api_version": "v1", "data": {}}).encode()
NOW = 1_790_000_000


def headers_of(body: bytes = BODY, key: bytes = KEY) -> dict[str, str]:
    message = f"d1.{NOW}.".encode() + body
    v1 = base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()
    v1a = base64.b64encode(PRIVATE_KEY.sign(message)).decode()
    return {"Webhook-Id": "d1", "Webhook-Timestamp": str(NOW), "Webhook-Signature": f"v1,{v1} v1a,{v1a}"}


def code_of(headers: dict[str, str], key: str = SECRET, body: bytes = BODY, now: float = NOW) -> str:
    with pytest.raises(WebhookVerificationError) as raised:
        verify_webhook(body, headers, key, now=now)
    return raised.value.code


@pytest.mark.parametrize("key", [SECRET, PUBLIC_KEY])
def test_a_delivery_is_verified_and_an_event_of_a_newer_type_survives(key: str) -> None:
    event = verify_webhook(BODY, headers_of(), key, now=NOW + 299)
    assert isinstance(event, UnknownEvent) and (event.id, event.type_) == ("e1", "moon.rose")


@pytest.mark.parametrize("key", [SECRET, PUBLIC_KEY])
def test_what_is_not_authentic_is_refused(key: str) -> None:
    headers = headers_of()
    assert code_of(headers, key, BODY + b" ") == "bad_signature"
    assert code_of({**headers, "Webhook-Signature": "v1,AAAA v1a,AAAA v2,x"}, key) == "bad_signature"
    assert code_of({**headers, "Webhook-Id": "d2"}, key) == "bad_signature"
    assert code_of(headers, key, now=NOW + 300) == "timestamp_out_of_range"
    assert code_of(headers, key, now=NOW - 300) == "timestamp_out_of_range"
    assert code_of({**headers, "Webhook-Timestamp": "soon"}, key) == "bad_timestamp"
    assert code_of({name: value for name, value in headers.items() if name != "Webhook-Id"}, key) == "missing_header"
    assert code_of(headers_of(b"[]"), key, b"[]") == "bad_body"


def test_a_secret_of_another_endpoint_is_refused_and_a_missing_one_is_a_bug() -> None:
    assert code_of(headers_of(key=b"x" * 32)) == "bad_signature"
    with pytest.raises(ValueError):
        verify_webhook(BODY, headers_of(), "", now=NOW)


def test_every_type_of_the_document_is_known() -> None:
    assert {kind.value for kind in models.DeliveredEventType} == set(_PARSERS)


def test_an_event_of_another_shape_survives() -> None:
    assert isinstance(parse_event({"id": "e", "type": "submission.created", "data": None}), UnknownEvent)


def stream(answers: list[str | httpx.Response]) -> tuple[list[httpx.Request], list[float], Any]:
    sent: list[httpx.Request] = []
    waits: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        text = answers.pop(0)
        return text if isinstance(text, httpx.Response) else httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=text)

    http = httpx.Client(transport=httpx.MockTransport(answer))
    client = Earshot("https://feedback.example", "svc_x", http=http, sleep=waits.append)
    return sent, waits, client.events.stream(UUID(int=1), cursor="c0", types=[models.EventType.SUBMISSION_APPROVED])


def message(cursor: str) -> str:
    return f"id: {cursor}\nevent: moon.rose\ndata: {BODY.decode()}\n\n"


def test_a_stream_goes_on_after_the_last_cursor() -> None:
    ready = "id: c0\nevent: ready\ndata: {}\n\n"
    unavailable = 'event: error\ndata: {"code":"dependency_unavailable","detail":"No."}\n\n'
    sent, waits, events = stream([ready + message("c1"), message("c2") + unavailable, httpx.Response(502), message("c3")])
    assert [next(events).cursor for _ in range(3)] == ["c1", "c2", "c3"]
    assert [request.headers.get("Last-Event-ID") for request in sent] == [None, "c1", "c2", "c2"]
    assert sent[0].url.params["cursor"] == "c0" and len(waits) == 3


def test_a_stream_ends_with_what_the_service_refuses_for_good() -> None:
    _, _, events = stream([message("c1") + 'event: error\ndata: {"code":"insufficient_scope","detail":"No."}\n\n'])
    next(events)
    with pytest.raises(Forbidden):
        next(events)


def test_a_stream_of_submissions_yields_changes_and_one_of_a_newer_type_survives() -> None:
    change = {
        "type": "submission.deleted",
        "submission_id": str(UUID(int=3)),
        "kind": "text",
        "state": "deleted",
        "at": "2026-11-26T09:00:00Z",
    }

    def message_of(cursor: str, data: dict[str, str]) -> str:
        return f"id: {cursor}\nevent: {data['type']}\ndata: {json.dumps(data)}\n\n"

    ready = "id: c0\nevent: ready\ndata: {}\n\n"
    sent: list[httpx.Request] = []
    answers = [ready + message_of("c1", change), message_of("c2", {**change, "type": "submission.starred"})]

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=answers.pop(0))

    client = Earshot("https://feedback.example", "svc_x", http=httpx.Client(transport=httpx.MockTransport(answer)), sleep=lambda _: None)
    changes = client.submissions.stream(UUID(int=1), UUID(int=2))
    first, second = next(changes), next(changes)
    assert (first.cursor, first.change.state) == ("c1", models.SubmissionChangeState.DELETED)
    assert (second.change.type_.value, second.change.submission_id) == ("submission.starred", UUID(int=3))
    assert sent[0].url.path == f"/api/v1/teams/{UUID(int=1)}/projects/{UUID(int=2)}/submissions/stream/"
    assert sent[1].headers["Last-Event-ID"] == "c1"


def test_a_feed_ends_at_its_empty_page_and_a_list_does_not() -> None:
    def feed(cursor: str = "") -> models.EventFeed:
        return models.EventFeed(results=[], next_cursor="always", has_more=False, newest_cursor="always")

    def items(cursor: str = "") -> models.ProjectList:
        return models.ProjectList(results=[], next_cursor=None if cursor else "more")

    assert len(list(pages(feed))) == 1 and len(list(pages(items))) == 2
