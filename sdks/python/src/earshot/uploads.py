"""Files: videos by tus, which resumes, and imports by one request."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import httpx

from . import models
from ._requests import Requests
from .errors import EarshotError
from .generated.api.imports import ImportsApi
from .generated.api.videos import VideosApi

CHUNK_BYTES = 8 * 1024 * 1024
#: An upload may take as long as its connection makes progress.
PROGRESS_SECONDS = 120.0


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
        file = Path(path)
        body = models.VideosReserveRequest(file_name=file.name, content_type=content_type, size_bytes=file.stat().st_size, draft=draft)
        reserved = self.reserve(team_id, project_id, body=body)
        upload_video_file(str(self._requests.http.base_url), reserved.upload, file, chunk_bytes=chunk_bytes)
        return self.complete(team_id, project_id, reserved.video.id)


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
        if created.upload is None:
            raise EarshotError("The service gave no address for the file.")
        address = _at(str(self._requests.http.base_url), created.upload.url)
        self._requests.send(lambda: self._put(address, file), is_repeatable=True)
        return self.complete(team_id, project_id, created.id)

    def _put(self, address: str, file: Path) -> httpx.Response:
        with file.open("rb") as content:
            headers = {"Content-Type": "text/csv", "Content-Length": str(file.stat().st_size)}
            return self._requests.http.put(address, content=content, headers=headers, timeout=httpx.Timeout(30, read=PROGRESS_SECONDS))


def _at(base_url: str, url: str) -> str:
    """The service may know itself by another address than its callers do, and credentials are sent to theirs alone."""
    path = urlsplit(url).path
    return base_url.rstrip("/") + path[path.index("/api/") :]
