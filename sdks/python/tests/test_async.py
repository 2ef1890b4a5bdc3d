from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID

import anyio
import httpx
import pytest

from earshot import AsyncEarshot, Conflict, ConnectionFailed, Earshot, Forbidden, async_iterate, async_pages

TEAM = UUID(int=1)
PROJECT = UUID(int=2)
KEY = {"id": str(UUID(int=3)), "project_id": str(PROJECT), "key": "pub_1", "label": None, "revoked_at": None, "last_used_at": None}
TIMES = {"created_at": "2026-11-20T09:30:00.000Z", "updated_at": "2026-11-20T09:30:00.000Z"}
EVENT = '{"id":"e1","type":"moon.rose","api_version":"v1","data":{}}'

Answers = list[httpx.Response | Exception]


class Played:
    """A client whose requests get the given answers."""

    def __init__(self, answers: Answers) -> None:
        self.sent: list[httpx.Request] = []
        self.waits: list[float] = []
        self.answers = answers
        http = httpx.AsyncClient(transport=httpx.MockTransport(self.answer))
        self.client = AsyncEarshot("https://feedback.example", "svc_x", http=http, sleep=self.sleep)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        outcome = self.answers.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


def play(answers: Answers, program: Callable[[AsyncEarshot], Awaitable[None]]) -> Played:
    async def run() -> Played:
        played = Played(answers)
        async with played.client as client:
            await program(client)
        return played

    return anyio.run(run)


def error(status: int, code: str) -> httpx.Response:
    return httpx.Response(status, json={"detail": "No.", "code": code, "request_id": "r"})


def test_a_post_is_sent_again_with_the_same_key() -> None:
    async def create(client: AsyncEarshot) -> None:
        assert (await client.public_keys.create(TEAM, PROJECT)).key == "pub_1"

    answers: Answers = [httpx.ConnectError("down"), error(503, "dependency_unavailable"), httpx.Response(201, json={**KEY, **TIMES})]
    played = play(answers, create)
    assert len(played.sent) == 3 and len(played.waits) == 2
    assert len({request.headers["Idempotency-Key"] for request in played.sent}) == 1
    assert {request.headers["Authorization"] for request in played.sent} == {"Bearer svc_x"}


def test_refusals_are_final_and_operations_that_take_no_token_get_none() -> None:
    async def retrieve(client: AsyncEarshot) -> None:
        with pytest.raises(Conflict):
            await client.public.projects_retrieve("pk_1")
        with pytest.raises(ConnectionFailed):
            await client.me.retrieve()

    played = play([error(409, "moon_in_the_way"), httpx.Response(200, json={"hello": "world"})], retrieve)
    assert ["Authorization" in request.headers for request in played.sent] == [False, True]


def test_an_export_goes_on_where_it_broke_off() -> None:
    async def export(client: AsyncEarshot) -> None:
        records = client.submissions.export(TEAM, PROJECT)
        assert [record["id"] async for record in records] == ["a", "b", "c"]

    lines = ['{"id":"a"}\n\n{"next_cursor":"after-a"}\n', '{"id":"b"}\n{"id":', '{"id":"c"}\n']
    played = play([httpx.Response(200, text=text) for text in lines], export)
    assert [request.url.params.get("cursor") for request in played.sent] == [None, "after-a", "b"] and len(played.waits) == 1


def test_a_stream_goes_on_after_the_last_cursor_and_ends_with_a_refusal() -> None:
    def connection(text: str) -> httpx.Response:
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=text)

    def message(cursor: str) -> str:
        return f"id: {cursor}\nevent: moon.rose\ndata: {EVENT}\n\n"

    cursors: list[str] = []

    async def follow(client: AsyncEarshot) -> None:
        with pytest.raises(Forbidden):
            async for streamed in client.events.stream(TEAM, cursor="c0", on_ready=cursors.append):
                cursors.append(streamed.cursor)

    ready = "id: c0\nevent: ready\ndata: {}\n\n"
    refusal = 'event: error\ndata: {"code":"insufficient_scope","detail":"No."}\n\n'
    played = play([connection(ready + message("c1")), httpx.Response(502), connection(message("c2") + refusal)], follow)
    assert cursors == ["c0", "c1", "c2"] and len(played.waits) == 2
    assert [request.headers.get("Last-Event-ID") for request in played.sent] == [None, "c1", "c1"]


def test_lists_are_walked_to_their_end() -> None:
    def page(key: str, next_cursor: str | None) -> httpx.Response:
        return httpx.Response(200, json={"results": [{**KEY, **TIMES, "key": key}], "next_cursor": next_cursor})

    async def walk(client: AsyncEarshot) -> None:
        assert [item.key async for item in async_iterate(client.public_keys.list, TEAM, PROJECT)] == ["pub_1", "pub_2"]
        feeds = async_pages(client.events.list, TEAM)
        assert [feed.next_cursor async for feed in feeds] == ["always"]

    feed = httpx.Response(200, json={"results": [], "next_cursor": "always", "has_more": False, "newest_cursor": "always"})
    played = play([page("pub_1", "more"), page("pub_2", None), feed], walk)
    assert [request.url.params.get("cursor") for request in played.sent] == [None, "more", None]


def test_both_clients_have_the_same_methods() -> None:
    def methods_of(client: Earshot | AsyncEarshot) -> set[str]:
        resources = {name: api for name, api in vars(client).items() if not name.startswith("_")}
        return {f"{name}.{method}" for name, api in resources.items() for method in dir(api) if not method.startswith("_")}

    methods = methods_of(AsyncEarshot("https://feedback.example", ""))
    assert methods == methods_of(Earshot("https://feedback.example", "")) and "videos.upload" in methods
