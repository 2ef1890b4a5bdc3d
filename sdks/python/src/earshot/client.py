"""The client."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any
from uuid import UUID

import httpx

from . import models
from ._requests import Requests
from .generated.api.analytics import AnalyticsApi
from .generated.api.auth import AuthApi
from .generated.api.events import EventsApi, events_stream
from .generated.api.invitations import InvitationsApi
from .generated.api.me import MeApi
from .generated.api.members import MembersApi
from .generated.api.privacy import PrivacyApi
from .generated.api.projects import ProjectsApi
from .generated.api.public import PublicApi
from .generated.api.public_keys import PublicKeysApi
from .generated.api.responses import ResponsesApi
from .generated.api.submissions import SubmissionsApi, submissions_stream
from .generated.api.surveys import SurveysApi
from .generated.api.tags import TagsApi
from .generated.api.teams import TeamsApi
from .generated.api.testimonials import TestimonialsApi
from .generated.api.webhooks import WebhooksApi
from .generated.api.widgets import WidgetsApi
from .stream import Stream, Streamed, StreamedChange, change_item, event_item, stream_items
from .uploads import Imports, Videos


class Events(EventsApi):
    """The operations of `events`, and their stream."""

    def __init__(self, requests: Requests) -> None:
        super().__init__(requests)
        self._requests = requests

    def stream(
        self,
        team_id: UUID,
        *,
        cursor: str | None = None,
        types: Sequence[models.EventType] | None = None,
        on_ready: Callable[[str], None] | None = None,
    ) -> Iterator[Streamed]:
        """Yields events as they come, without an end, and reconnects. Keep `cursor` of the last one to go on later."""
        return stream_items(self._requests, Stream(request_of_events(team_id, cursor, types), event_item, on_ready))


class Submissions(SubmissionsApi):
    """The operations of `submissions`, and their stream."""

    def __init__(self, requests: Requests) -> None:
        super().__init__(requests)
        self._requests = requests

    def stream(
        self,
        team_id: UUID,
        project_id: UUID,
        *,
        cursor: str | None = None,
        on_ready: Callable[[str], None] | None = None,
    ) -> Iterator[StreamedChange]:
        """Yields what changes in a project as it happens, without an end, and reconnects. Keep `cursor` of the last one to go on later."""
        return stream_items(self._requests, Stream(request_of_submissions(team_id, project_id, cursor), change_item, on_ready))


class Earshot:
    """One method per operation, in one attribute per resource: `client.submissions.approve(team, project, submission)`.

    `url` and `token` default to the variables EARSHOT_URL and EARSHOT_TOKEN. With an empty token, only public operations work.
    Use it in one thread, or pass one `http` of your own to several.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        max_retries: int = 2,
        timeout: float = 30.0,
        http: httpx.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http = http or httpx.Client(timeout=timeout)
        set_destination(self._http, url, token)
        requests = Requests(self._http, max_retries=max_retries, sleep=sleep)
        self.analytics = AnalyticsApi(requests)
        self.auth = AuthApi(requests)
        self.events = Events(requests)
        self.imports = Imports(requests)
        self.invitations = InvitationsApi(requests)
        self.me = MeApi(requests)
        self.members = MembersApi(requests)
        self.privacy = PrivacyApi(requests)
        self.projects = ProjectsApi(requests)
        self.public = PublicApi(requests)
        self.public_keys = PublicKeysApi(requests)
        self.responses = ResponsesApi(requests)
        self.submissions = Submissions(requests)
        self.surveys = SurveysApi(requests)
        self.tags = TagsApi(requests)
        self.teams = TeamsApi(requests)
        self.testimonials = TestimonialsApi(requests)
        self.videos = Videos(requests)
        self.webhooks = WebhooksApi(requests)
        self.widgets = WidgetsApi(requests)

    def close(self) -> None:
        """Closes all connections."""
        self._http.close()

    def __enter__(self) -> Earshot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def request_of_events(team_id: UUID, cursor: str | None, types: Sequence[models.EventType] | None) -> dict[str, Any]:
    """Returns the request that begins a stream of events."""
    return events_stream._get_kwargs(
        team_id, cursor=models.UNSET if cursor is None else cursor, types=models.UNSET if types is None else list(types)
    )


def request_of_submissions(team_id: UUID, project_id: UUID, cursor: str | None) -> dict[str, Any]:
    """Returns the request that begins a stream of submissions."""
    return submissions_stream._get_kwargs(team_id, project_id, cursor=models.UNSET if cursor is None else cursor)


def set_destination(http: httpx.Client | httpx.AsyncClient, url: str | None, token: str | None) -> None:
    """Sets the address and the token, which default to the environment."""
    address = url or os.environ.get("EARSHOT_URL", "http://localhost:8000")
    credential = os.environ.get("EARSHOT_TOKEN") if token is None else token
    http.base_url = httpx.URL(address.rstrip("/"))
    if credential:
        http.headers["Authorization"] = f"Bearer {credential}"
