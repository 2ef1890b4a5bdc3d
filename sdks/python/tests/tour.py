"""The tour of the README, and what this package adds to it, against a running service. Each step raises if it fails.

Needs EARSHOT_URL, EARSHOT_TOKEN and EARSHOT_TEAM, and a service that may deliver webhooks to this machine. With the argument
`async`, AsyncEarshot takes it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from anyio.from_thread import BlockingPortal, start_blocking_portal

from earshot import AsyncEarshot, BadRequest, Conflict, Earshot, Event, NotFound, async_iterate, iterate, models, pages, verify_webhook

WAIT_SECONDS = 30.0
CSV = 'Customer Name,Text,Customer Tagline,Rating\nGrace,"Praise, quoted.",CTO,5\nAlan,Fine.,,4\nJoan,,,3\n'


class Receiver:
    """Verifies each delivery with all keys, and keeps its events."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.events: queue.Queue[Event] = queue.Queue()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                events = [verify_webhook(body, dict(self.headers.items()), key) for key in receiver.keys]
                self.send_response(204)
                self.end_headers()
                receiver.events.put(events[0])

            def log_message(self, format: str, *args: object) -> None:
                """Deliveries are no news."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/"


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.1)


class Tour:
    def __init__(self, client: Earshot, team: UUID) -> None:
        self.client = client
        self.team = team
        self.receiver = Receiver()

    def sign_in(self) -> None:
        assert "@" in self.client.me.retrieve().user.email

    def create_a_project_and_its_key(self) -> None:
        body = models.ProjectsCreateRequest(name=f"Engines {time.time_ns()}")
        self.project = self.client.projects.create(self.team, body=body).id
        key = self.client.public_keys.create(self.team, self.project, body=models.PublicKeysCreateRequest(label="website"))
        self.public_key = key.key

    def submit_as_a_visitor(self) -> None:
        metadata = models.PublicSubmissionsCreateRequestMetadata.from_dict({"order": "A-1", "deep": {"list": [1, None]}})
        body = models.PublicSubmissionsCreateRequest(
            body="It saved us a week.",
            rating=5,
            author=models.VisitorInput(name="Charles"),
            consent=models.VisitorConsentInput(granted=True),
            metadata=metadata,
        )
        visitor = Earshot(str(os.environ["EARSHOT_URL"]), "")
        first = visitor.public.submissions_create(self.public_key, body=body, idempotency_key="tour")
        assert visitor.public.submissions_create(self.public_key, body=body, idempotency_key="tour").id == first.id
        assert visitor.public.items_list(self.public_key).results == []

    def register_a_webhook(self) -> None:
        events = [models.EventSelector(name) for name in ("submission.created", "submission.approved", "nps.low_score")]
        body = models.WebhooksCreateRequest(url=self.receiver.url, events=events, project_id=self.project)
        webhook = self.client.webhooks.create(self.team, body=body)
        assert webhook.public_key is not None
        self.receiver.keys = [webhook.secret, webhook.public_key]
        self.webhook = webhook.id

    def approve(self) -> None:
        submissions = self.client.submissions
        order = models.SubmissionsListMetadata.from_dict({"order": "A-1"})
        other = models.SubmissionsListMetadata.from_dict({"order": "A-2"})
        pending = submissions.list(self.team, self.project, state=models.SubmissionState.PENDING, metadata=order)
        assert submissions.list(self.team, self.project, metadata=other).results == []
        [submission] = pending.results
        assert submission.metadata.to_dict() == {"order": "A-1", "deep": {"list": [1, None]}}
        approved = submissions.approve(self.team, self.project, submission.id)
        assert approved.state == models.SubmissionState.APPROVED
        event = self.receiver.events.get(timeout=WAIT_SECONDS)
        assert isinstance(event, models.SubmissionApprovedEvent) and event.data.submission.id == submission.id, event
        items = self.client.public.items_list(self.public_key)
        assert [item.body for item in items.results] == ["It saved us a week."] and items.aggregate.count == 1
        until(lambda: [attempt.status_code for attempt in self.client.webhooks.attempts_list(self.team, self.webhook).results] == [204])

    def ask_a_question(self) -> None:
        question = models.NpsQuestionInput(type_="nps", ref="recommend", title="How likely are you to recommend us?")
        body = models.SurveysCreateRequest(name="After onboarding", questions=[question])
        survey = self.client.surveys.create(self.team, self.project, body=body)
        published = self.client.surveys.publish(self.team, self.project, survey.id)
        for score in (10, 9, 4):
            answer = models.AnswerInput(question_id=published.questions[0].id, value=score)
            self.client.public.responses_create(survey.id, body=models.PublicResponsesCreateRequest(answers=[answer]))
        event = self.receiver.events.get(timeout=WAIT_SECONDS)
        assert isinstance(event, models.NpsLowScoreEvent), event
        [result] = self.client.surveys.results(self.team, self.project, survey.id).questions
        assert result.nps is not None and result.nps.score == 33.3 and result.nps.answered == 3, result

    def move_in(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "senja.csv")
            path.write_text(CSV)
            consent = models.ConsentInput(granted=True)
            body = models.ImportsCreateRequest(target=models.ImportTarget.TESTIMONIALS, file_name=path.name, consent=consent)
            started = self.client.imports.upload(self.team, self.project, path, body=body)

        def read() -> models.Import:
            return self.client.imports.retrieve(self.team, self.project, started.id)

        until(lambda: read().state == models.ImportState.COMPLETED)
        totals = read().totals
        assert (totals.created, totals.failed) == (2, 1) and read().preset == models.ImportPreset.SENJA
        [row] = iterate(self.client.imports.rows_list, self.team, self.project, started.id)
        assert row.code == models.ImportRowErrorCode.REQUIRED
        kinds = {type(self.receiver.events.get(timeout=WAIT_SECONDS)) for _ in range(2)}
        assert kinds == {models.SubmissionCreatedEvent}

    def walk_pages(self) -> None:
        bodies = [each.body for each in iterate(self.client.submissions.list, self.team, self.project, limit=1)]
        assert len(bodies) == 3
        assert len(list(pages(self.client.submissions.list, self.team, self.project, limit=2))) == 2
        exported = list(self.client.submissions.export(self.team, self.project))
        assert [record["body"] for record in exported] == bodies
        feed = [event for event in iterate(self.client.events.list, self.team, limit=2)]
        assert any(isinstance(event, models.SubmissionApprovedEvent) for event in feed)

    def be_refused(self) -> None:
        [submission] = self.client.submissions.list(self.team, self.project, state=models.SubmissionState.APPROVED).results
        try:
            self.client.submissions.reject(
                self.team,
                self.project,
                submission.id,
                body=models.SubmissionsRejectRequest(expected_state=models.SubmissionState.PENDING),
            )
            raise AssertionError("nobody knew of the approval")
        except Conflict as conflict:
            assert conflict.code == "state_conflict" and conflict.fields["current_state"] == "approved" and conflict.request_id
        try:
            self.client.projects.retrieve(self.team, UUID(int=1))
            raise AssertionError("there is no such project")
        except NotFound as missing:
            assert missing.status == 404
        try:
            self.client.projects.create(self.team, body=models.ProjectsCreateRequest(name=""))
            raise AssertionError("a project has a name")
        except BadRequest as invalid:
            assert [error.field for error in invalid.errors] == ["name"]

    def stream_events(self) -> None:
        first = next(iter(self.client.events.stream(self.team, cursor=self.client.events.list(self.team, limit=1).next_cursor)))
        following = next(iter(self.client.events.stream(self.team, cursor=first.cursor)))
        assert not isinstance(first.event, type(None)) and following.cursor != first.cursor

    def upload_a_video(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "clip.webm")
            path.write_bytes(os.urandom(700_000))
            video = self.client.videos.upload(self.team, self.project, path, content_type="video/webm", chunk_bytes=300_000)
        assert video.size_bytes == 700_000, video

    def run(self) -> None:
        steps = (
            self.sign_in,
            self.create_a_project_and_its_key,
            self.submit_as_a_visitor,
            self.register_a_webhook,
            self.approve,
            self.ask_a_question,
            self.move_in,
            self.walk_pages,
            self.be_refused,
            self.stream_events,
            self.upload_a_video,
        )
        for step in steps:
            step()
            print(f"tour: {step.__name__.replace('_', ' ')}", flush=True)


class Blocking:
    """Makes the methods of an AsyncEarshot block, so that both clients take the same tour."""

    def __init__(self, target: object, portal: BlockingPortal) -> None:
        self._target = target
        self._portal = portal

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return functools.partial(self._call, found) if callable(found) else Blocking(found, self._portal)

    def _call(self, method: Callable[..., Any], *args: object, **kwargs: object) -> object:
        result = self._portal.call(functools.partial(method, *args, **kwargs))
        return self._drain(result) if isinstance(result, AsyncIterator) else result

    def _drain(self, items: AsyncIterator[object]) -> Iterator[object]:
        with contextlib.suppress(StopAsyncIteration):
            while True:
                yield self._portal.call(items.__anext__)


def take_async(team: UUID) -> None:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(AsyncEarshot()) as client:
        tour = Tour(cast(Earshot, Blocking(client, portal)), team)
        tour.run()

        async def walk() -> list[object]:
            return [each.body async for each in async_iterate(client.submissions.list, team, tour.project, limit=1)]

        assert len(portal.call(walk)) == 3


if __name__ == "__main__":
    if sys.argv[1:] == ["async"]:
        take_async(UUID(os.environ["EARSHOT_TEAM"]))
    else:
        with Earshot() as client:
            Tour(client, UUID(os.environ["EARSHOT_TEAM"])).run()
