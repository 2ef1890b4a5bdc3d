from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import httpx
import pytest

from earshot import ApiError, Conflict, ConnectionFailed, Earshot, NotModified, TooManyRequests, models

TEAM = UUID(int=1)
KEY = {"id": str(UUID(int=3)), "project_id": str(UUID(int=2)), "key": "pub_1", "label": None, "revoked_at": None, "last_used_at": None}
TIMES = {"created_at": "2026-11-20T09:30:00.000Z", "updated_at": "2026-11-20T09:30:00.000Z"}


def client_of(answers: list[httpx.Response | Exception], sent: list[httpx.Request], waits: list[float]) -> Earshot:
    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        outcome = answers.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    http = httpx.Client(transport=httpx.MockTransport(answer))
    return Earshot("https://feedback.example", "svc_x", http=http, sleep=waits.append)


def error(status: int, code: str, **fields: object) -> httpx.Response:
    return httpx.Response(status, json={"detail": "No.", "code": code, "request_id": "r", **fields})


def create(client: Earshot) -> models.PublicKey:
    return client.public_keys.create(TEAM, UUID(int=2))


def outcome_of(
    answers: list[httpx.Response | Exception], call: Callable[[Earshot], object]
) -> tuple[list[httpx.Request], list[float], ApiError]:
    sent: list[httpx.Request] = []
    waits: list[float] = []
    with pytest.raises(ApiError) as raised:
        call(client_of(answers, sent, waits))
    return sent, waits, raised.value


def test_a_post_is_sent_again_with_the_same_key() -> None:
    sent: list[httpx.Request] = []
    waits: list[float] = []
    failures: list[httpx.Response | Exception] = [httpx.ConnectError("down"), error(503, "dependency_unavailable")]
    made = create(client_of([*failures, httpx.Response(201, json={**KEY, **TIMES})], sent, waits))
    assert made.key == "pub_1" and made.created_at.utcoffset() is not None
    keys = {request.headers["Idempotency-Key"] for request in sent}
    assert len(sent) == 3 and len(keys) == 1 and len(waits) == 2
    assert {request.headers["Authorization"] for request in sent} == {"Bearer svc_x"}


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.public.projects_retrieve("pk_1"),
        lambda client: client.auth.token_refresh(body=models.AuthTokenRefreshRequest(refresh="r")),
    ],
)
def test_operations_that_take_no_token_get_none(call: Callable[[Earshot], object]) -> None:
    sent, _, _ = outcome_of([error(404, "not_found")], call)
    assert len(sent) == 1 and "Authorization" not in sent[0].headers


def test_what_could_run_twice_is_sent_once() -> None:
    body = models.AuthTokenRefreshRequest(refresh="r")
    sent, waits, refusal = outcome_of([error(503, "dependency_unavailable")], lambda client: client.auth.token_refresh(body=body))
    assert len(sent) == 1 and waits == [] and refusal.status == 503


def test_retry_after_is_waited_for_and_retries_end() -> None:
    def limited() -> httpx.Response:
        response = error(429, "rate_limited")
        response.headers["Retry-After"] = "7"
        return response

    sent, waits, refusal = outcome_of([limited(), limited(), limited()], create)
    assert len(sent) == 3 and waits == [7, 7]
    assert isinstance(refusal, TooManyRequests) and refusal.retry_after_seconds == 7


def test_a_refusal_is_final_and_keeps_a_code_that_is_unknown_here() -> None:
    sent, _, refusal = outcome_of([error(409, "moon_in_the_way", phase="full")], create)
    assert len(sent) == 1 and isinstance(refusal, Conflict)
    assert (refusal.code, refusal.fields, refusal.request_id) == ("moon_in_the_way", {"phase": "full"}, "r")


def test_a_status_that_is_unknown_here_is_an_api_error() -> None:
    _, _, refusal = outcome_of([error(418, "teapot")], create)
    assert type(refusal) is ApiError and refusal.status == 418


def test_another_server_is_a_failed_connection() -> None:
    with pytest.raises(ConnectionFailed):
        create(client_of([httpx.Response(404, text="<html>")], [], []))
    with pytest.raises(ConnectionFailed):
        create(client_of([httpx.Response(201, json={"hello": "world"})], [], []))


def test_an_unchanged_record_is_said_to_be_unchanged() -> None:
    with pytest.raises(NotModified):
        client_of([httpx.Response(304)], [], []).projects.retrieve(TEAM, UUID(int=2), if_none_match='"x"')


def test_values_that_are_unknown_here_are_members_too() -> None:
    state = models.SubmissionState("archived")
    assert state.value == "archived" and state is models.SubmissionState("archived") and state != models.SubmissionState.PENDING


def test_an_export_goes_on_where_it_broke_off() -> None:
    sent: list[httpx.Request] = []
    lines = ['{"id":"a"}\n\n{"next_cursor":"after-a"}\n', '{"id":"b"}\n']
    client = client_of([httpx.Response(200, text=text) for text in lines], sent, [])
    assert [record["id"] for record in client.submissions.export(TEAM, UUID(int=2))] == ["a", "b"]
    assert sent[1].url.params["cursor"] == "after-a"
