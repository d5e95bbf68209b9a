"""Repositories for tests: bare ones to publish a site to, and one behind HTTP that asks for a password."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.server.static_targets.list_host import answering

WHO = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgSign=false")
PASSWORD = "s3cret-of-ann"


def git(folder: Path, *arguments: str, given: str = "") -> str:
    """Run git in a folder, and return what it says."""
    command = ["git", *WHO, *arguments]
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, check=True)
    return done.stdout


def bare(folder: Path, *, filters: bool = True) -> Path:
    """Create a bare repository, which leaves files out of a fetch when it is asked to, as hosts do."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "--bare", "-b", "main")
    git(folder, "config", "uploadpack.allowFilter", str(filters).lower())
    git(folder, "config", "http.receivepack", "true")
    git(folder, "config", "core.hooksPath", os.devnull)
    return folder


def repository(folder: Path, remote: Path | str) -> Path:
    """Make a repository of a folder with files, with one commit and the remote `origin`."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    git(folder, "remote", "add", "origin", str(remote))
    return folder


def files_of(remote: Path, branch: str) -> dict[str, str]:
    """The files of a branch, with their texts."""
    names = git(remote, "ls-tree", "-r", "--name-only", "-z", branch).split("\0")[:-1]
    return {name: git(remote, "show", f"{branch}:{name}") for name in names}


def commits(remote: Path, branch: str) -> int:
    """The number of commits of a branch."""
    return len(git(remote, "rev-list", branch).split())


@contextmanager
def http_remote(root: Path) -> Iterator[str]:
    """Serve the repositories below a folder over HTTP, for whoever is Ann; give the address."""
    wanted = "Basic " + base64.b64encode(f"ann:{PASSWORD}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _serve(self) -> None:
            body = self._body()
            if self.headers.get_all("Authorization") != [wanted]:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="pages"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path, _, query = self.path.partition("?")
            about = {
                "GIT_PROJECT_ROOT": str(root), "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "ann",
                "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "PATH": os.environ["PATH"],
            }  # fmt: skip
            command = ["git", "http-backend"]
            done = subprocess.run(command, input=body, capture_output=True, env=about, check=False)
            head, _, data = done.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            found = b""
            while size := int(self.rfile.readline(), 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found

    with answering(Handler) as address:
        yield address
