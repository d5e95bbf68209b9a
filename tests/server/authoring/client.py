"""A client of the authoring API of a running preview."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.server.api.exchange import Reply, exchange
from tests.server.authoring.schema import DESCRIBED
from tests.server.commands import Preview, serving
from tests.sites import write_site

BASE = "/api/v1/pages"


@dataclass(frozen=True, slots=True)
class Client:
    """Asks with a key; `key` may be "" for none."""

    preview: Preview
    key: str

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """One request, whose answer must be as the document says. A body that is no bytes is sent as JSON."""
        reply = exchange(self.preview.port, method, path, self.key, body, **headers)
        DESCRIBED.check(method, path, reply.status, reply.headers, reply.body)
        return reply

    def site(self) -> Reply:
        """`GET /ai/site`."""
        return self.ask("GET", f"{BASE}/ai/site")

    def page(self, path: str) -> Reply:
        """`GET /ai/page`."""
        return self.ask("GET", f"{BASE}/ai/page?path={quote(path)}")

    def put(self, page: object, query: str = "", **headers: str) -> Reply:
        """`PUT /ai/page`."""
        return self.ask("PUT", f"{BASE}/ai/page{query}", page, **headers)

    def write(self, path: str, body: str = "Text.\n", **fields: object) -> Reply:
        """Put a page, which must succeed."""
        reply = self.put({"path": path, "body": body, **fields})
        assert reply.status == (201 if reply.data["created"] else 200), reply.body
        return reply

    def shown(self, path: str, body: str, **fields: object) -> str:
        """The HTML of a page that was just written."""
        answer = self.preview.get(self.write(path, body, **fields).data["url"])
        assert answer.status == 200
        return answer.text

    def delete(self, path: str, **headers: str) -> Reply:
        """`DELETE /ai/page`."""
        return self.ask("DELETE", f"{BASE}/ai/page?path={quote(path)}", **headers)

    def category(self, record: object) -> Reply:
        """`POST /ai/category`."""
        return self.ask("POST", f"{BASE}/ai/category", record)


@contextmanager
def authoring(site: Path, *arguments: str, **extra: str) -> Iterator[Client]:
    """A client of a preview of `site`, with the key that it made at its start; `extra` is its environment."""
    with serving(site, "--port", "0", *arguments, **extra) as preview:
        line = preview.says("Key: ")
        yield Client(preview, line.partition("Key: ")[2].strip())


def content(site: Path) -> dict[str, bytes]:
    """Read what authors and agents have written."""
    found = [site / "site.yml", *site.glob("docs/**/*"), *site.glob("pages/**/*")]
    return {file.relative_to(site).as_posix(): file.read_bytes() for file in found if file.is_file()}


def restored(site: Path, files: Mapping[str, str]) -> Path:
    """Have these files in a site and no others, by an editor's hand."""
    for file in content(site).keys() - files.keys():
        (site / file).unlink()
    for folder in sorted(site.glob("docs/**/"), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    return write_site(site, files)
