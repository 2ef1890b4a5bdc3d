"""Uploads a file with tus-py-client to an address that was reserved: upload.py ADDRESS TOKEN FILE CHUNK_BYTES."""

import sys

from tusclient.client import TusClient

address, token, path, chunk_bytes = sys.argv[1:]
client = TusClient(address, headers={"X-Upload-Token": token})
uploader = client.uploader(
    path, url=address, chunk_size=int(chunk_bytes), upload_checksum=True, retries=20, retry_delay=0.1
)
# A second process goes on where the first one stopped.
uploader.upload(stop_at=uploader.get_file_size() // 2)
client.uploader(path, url=address, chunk_size=int(chunk_bytes), upload_checksum=True).upload()
