"""The client for programs with an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from types import TracebackType
from uuid import UUID

import anyio
import httpx

from . import models
from ._async_requests import AsyncRequests
from .client import request_of_events, request_of_submissions, set_destination
from .generated.api.analytics import AsyncAnalyticsApi
from .generated.api.auth import AsyncAuthApi
from .generated.api.events import AsyncEventsApi
from .generated.api.invitations import AsyncInvitationsApi
from .generated.api.me import AsyncMeApi
from .generated.api.members import AsyncMembersApi
from .generated.api.privacy import AsyncPrivacyApi
from .generated.api.projects import AsyncProjectsApi
from .generated.api.public import AsyncPublicApi
from .generated.api.public_keys import AsyncPublicKeysApi
from .generated.api.responses import AsyncResponsesApi
from .generated.api.submissions import AsyncSubmissionsApi
from .generated.api.surveys import AsyncSurveysApi
from .generated.api.tags import AsyncTagsApi
from .generated.api.teams import AsyncTeamsApi
from .generated.api.testimonials import AsyncTestimonialsApi
from .generated.api.webhooks import AsyncWebhooksApi
from .generated.api.widgets import AsyncWidgetsApi
from .stream import Stream, Streamed, StreamedChange, change_item, event_item, stream_items_async
from .uploads import AsyncImports, AsyncVideos


class AsyncEvents(AsyncEventsApi):
    """The operations of `events`, and their stream."""

    def __init__(self, requests: AsyncRequests) -> None:
        super().__init__(requests)
        self._requests = requests

    def stream(
        self,
        team_id: UUID,
        *,
        cursor: str | None = None,
        types: Sequence[models.EventType] | None = None,
        on_ready: Callable[[str], None] | None = None,
    ) -> AsyncIterator[Streamed]:
        """Yields events as they come, without an end, and reconnects. Keep `cursor` of the last one to go on later."""
        return stream_items_async(self._requests, Stream(request_of_events(team_id, cursor, types), event_item, on_ready))


class AsyncSubmissions(AsyncSubmissionsApi):
    """The operations of `submissions`, and their stream."""

    def __init__(self, requests: AsyncRequests) -> None:
        super().__init__(requests)
        self._requests = requests

    def stream(
        self,
        team_id: UUID,
        project_id: UUID,
        *,
        cursor: str | None = None,
        on_ready: Callable[[str], None] | None = None,
    ) -> AsyncIterator[StreamedChange]:
        """Yields what changes in a project as it happens, without an end, and reconnects. Keep `cursor` of the last one to go on later."""
        return stream_items_async(self._requests, Stream(request_of_submissions(team_id, project_id, cursor), change_item, on_ready))


class AsyncEarshot:
    """Has the attributes and methods of `Earshot`, which are awaited: `await client.submissions.approve(team, project, submission)`.

    Streams and exports are iterated over with `async for`, lists with `async_iterate`.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        max_retries: int = 2,
        timeout: float = 30.0,
        http: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._http = http or httpx.AsyncClient(timeout=timeout)
        set_destination(self._http, url, token)
        requests = AsyncRequests(self._http, max_retries=max_retries, sleep=sleep)
        self.analytics = AsyncAnalyticsApi(requests)
        self.auth = AsyncAuthApi(requests)
        self.events = AsyncEvents(requests)
        self.imports = AsyncImports(requests)
        self.invitations = AsyncInvitationsApi(requests)
        self.me = AsyncMeApi(requests)
        self.members = AsyncMembersApi(requests)
        self.privacy = AsyncPrivacyApi(requests)
        self.projects = AsyncProjectsApi(requests)
        self.public = AsyncPublicApi(requests)
        self.public_keys = AsyncPublicKeysApi(requests)
        self.responses = AsyncResponsesApi(requests)
        self.submissions = AsyncSubmissions(requests)
        self.surveys = AsyncSurveysApi(requests)
        self.tags = AsyncTagsApi(requests)
        self.teams = AsyncTeamsApi(requests)
        self.testimonials = AsyncTestimonialsApi(requests)
        self.videos = AsyncVideos(requests)
        self.webhooks = AsyncWebhooksApi(requests)
        self.widgets = AsyncWidgetsApi(requests)

    async def close(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncEarshot:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        await self.close()
