"""Generates src/earshot/generated from the OpenAPI document: python generate.py [DOCUMENT] [FOLDER]

DOCUMENT is a file or an address, such as https://feedback.example/api/schema/. Without it, the document is the one of this repository.
"""

import os
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent
DOCUMENT = HOME.parent.parent / "test/openapi/snapshots/openapi.json"
FOLDER = HOME / "src/earshot/generated"


def main(document: str = str(DOCUMENT), folder: str = str(FOLDER)) -> int:
    source = "--url" if document.startswith(("http:", "https:")) else "--path"
    options = ["--meta", "none", "--overwrite", "--fail-on-warning", "--output-path", folder]
    settings = ["--config", str(HOME / "generator.yaml"), "--custom-template-path", str(HOME / "templates")]
    # The generator and its formatter are programs of this environment.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    command = ["openapi-python-client", "generate", source, document, *options, *settings]
    return subprocess.run(command, env={**os.environ, "PATH": path}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
