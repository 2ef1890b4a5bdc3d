"""Files: videos by tus, which resumes, and imports by one request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import httpx
from anyio import open_file, to_thread

from . import models
from ._async_requests import AsyncRequests
from ._requests import Requests
from .errors import EarshotError
from .generated.api.imports import AsyncImportsApi, ImportsApi
from .generated.api.videos import AsyncVideosApi, VideosApi

CHUNK_BYTES = 8 * 1024 * 1024
#: An upload may take as long as its connection makes progress.
PUT_TIMEOUT = httpx.Timeout(30, read=120)
PIECE_BYTES = 256 * 1024


class Videos(VideosApi):
    """The operations of `videos`, and uploads."""

    def __init__(self, requests: Requests) -> None:
        super().__init__(requests)
        self._requests = requests

    def upload(
        self,
        team_id: UUID,
        project_id: UUID,
        path: str | Path,
        *,
        content_type: str,
        draft: models.VideoDraftInput | models.Unset = models.UNSET,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> models.Video:
        """Reserves a video, uploads its file by tus and completes it. Needs `earshot[uploads]`."""
        reserved = self.reserve(team_id, project_id, body=_reservation(Path(path), content_type, draft))
        upload_video_file(str(self._requests.http.base_url), reserved.upload, path, chunk_bytes=chunk_bytes)
        return self.complete(team_id, project_id, reserved.video.id)


class AsyncVideos(AsyncVideosApi):
    """The operations of `videos`, and uploads."""

    def __init__(self, requests: AsyncRequests) -> None:
        super().__init__(requests)
        self._requests = requests

    async def upload(
        self,
        team_id: UUID,
        project_id: UUID,
        path: str | Path,
        *,
        content_type: str,
        draft: models.VideoDraftInput | models.Unset = models.UNSET,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> models.Video:
        """Reserves a video, uploads its file by tus, in a thread, and completes it. Needs `earshot[uploads]`."""
        reserved = await self.reserve(team_id, project_id, body=_reservation(Path(path), content_type, draft))
        base_url = str(self._requests.http.base_url)
        await to_thread.run_sync(lambda: upload_video_file(base_url, reserved.upload, path, chunk_bytes=chunk_bytes))
        return await self.complete(team_id, project_id, reserved.video.id)


def _reservation(file: Path, content_type: str, draft: models.VideoDraftInput | models.Unset) -> models.VideosReserveRequest:
    return models.VideosReserveRequest(file_name=file.name, content_type=content_type, size_bytes=file.stat().st_size, draft=draft)


def upload_video_file(base_url: str, upload: models.VideoUpload, path: str | Path, *, chunk_bytes: int = CHUNK_BYTES) -> None:
    """Uploads the file of a reservation. What has arrived already is not sent again, so it resumes an upload of the same file."""
    from tusclient.client import TusClient

    address = _at(base_url, upload.url)
    client = TusClient(address, headers={"X-Upload-Token": upload.token})
    client.uploader(str(path), url=address, chunk_size=chunk_bytes, retries=20, retry_delay=1).upload()


class Imports(ImportsApi):
    """The operations of `imports`, and uploads."""

    def __init__(self, requests: Requests) -> None:
        super().__init__(requests)
        self._requests = requests

    def upload(self, team_id: UUID, project_id: UUID, path: str | Path, *, body: models.ImportsCreateRequest) -> models.Import:
        """Creates an import of a CSV file of up to 1 GB, uploads the file and starts the import. `body` says how to read it."""
        file = Path(path)
        body.size_bytes = file.stat().st_size
        created = self.create(team_id, project_id, body=body)
        address = _address_of(created, self._requests.http)
        self._requests.send(lambda: self._put(address, file), is_repeatable=True)
        return self.complete(team_id, project_id, created.id)

    def _put(self, address: str, file: Path) -> httpx.Response:
        with file.open("rb") as content:
            return self._requests.http.put(address, content=content, headers=_headers_of(file), timeout=PUT_TIMEOUT)


class AsyncImports(AsyncImportsApi):
    """The operations of `imports`, and uploads."""

    def __init__(self, requests: AsyncRequests) -> None:
        super().__init__(requests)
        self._requests = requests

    async def upload(self, team_id: UUID, project_id: UUID, path: str | Path, *, body: models.ImportsCreateRequest) -> models.Import:
        """Creates an import of a CSV file of up to 1 GB, uploads the file and starts the import. `body` says how to read it."""
        file = Path(path)
        body.size_bytes = file.stat().st_size
        created = await self.create(team_id, project_id, body=body)
        address = _address_of(created, self._requests.http)
        await self._requests.send(lambda: self._put(address, file), is_repeatable=True)
        return await self.complete(team_id, project_id, created.id)

    async def _put(self, address: str, file: Path) -> httpx.Response:
        content = _pieces_of(file)
        return await self._requests.http.put(address, content=content, headers=_headers_of(file), timeout=PUT_TIMEOUT)


async def _pieces_of(file: Path) -> AsyncIterator[bytes]:
    async with await open_file(file, "rb") as content:
        while piece := await content.read(PIECE_BYTES):
            yield piece


def _headers_of(file: Path) -> dict[str, str]:
    return {"Content-Type": "text/csv", "Content-Length": str(file.stat().st_size)}


def _address_of(created: models.CreatedImport, http: httpx.Client | httpx.AsyncClient) -> str:
    if created.upload is None:
        raise EarshotError("The service gave no address for the file.")
    return _at(str(http.base_url), created.upload.url)


def _at(base_url: str, url: str) -> str:
    """The service may know itself by another address than its callers do, and credentials are sent to theirs alone."""
    path = urlsplit(url).path
    return base_url.rstrip("/") + path[path.index("/api/") :]
