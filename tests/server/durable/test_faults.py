"""The disk refuses a call of the server, or the server is killed at it: no page is lost, torn or doubled."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.server.api.exchange import Reply
from tests.server.authoring.client import Client
from tests.server.durable.servers import built, listed, make_key, server
from tests.server.durable.tracing import CALLS, needs_strace, traced
from tests.sites import write_site

pytestmark = needs_strace

OTHERS = ["docs/other"]
OLD = {"path": "docs/g/a", "format": "mdx", "body": "old\n" * 500, "llmBody": "old twin\n" * 500}
NEW = {"path": "docs/g/a", "format": "md", "body": "new\n" * 500, "llmBody": "new twin\n" * 500}
MADE = {"path": "docs/made/deep/b", "format": "mdx", "body": "made\n" * 500}
SITE = {
    "site.yml": "title: T\n",
    "docs/other.md": "# Other\n",
    "docs/g/a.mdx": OLD["body"],
    "docs/g/a.llms.md": OLD["llmBody"],
}
IN_A_ROW = 3
"""So many PUTs must succeed one after another, each with a later call refused: some refusals do no harm."""
MOST = 150
"""Calls that one PUT makes, at most."""


@dataclass(frozen=True, slots=True)
class Put:
    """A PUT of `page` where `before` is, None being no page."""

    page: dict[str, str]
    before: dict[str, str] | None

    @property
    def path(self) -> str:
        """The page's path."""
        return self.page["path"]

    @property
    def success(self) -> int:
        """The status when it works."""
        return 201 if self.before is None else 200


REPLACE, CREATE = Put(NEW, OLD), Put(MADE, None)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), SITE)


@pytest.fixture(scope="module")
def key(site: Path) -> str:
    return make_key(site)


@pytest.fixture(scope="module")
def client(site: Path, key: str) -> Iterator[Client]:
    """Of a server that no fault befalls in its start or end."""
    with server(site, key) as client:
        yield client


def shown(client: Client, path: str) -> dict[str, str] | None:
    """The page as GET gives it, in the form in which it was put."""
    reply = client.page(path)
    if reply.status == 404:
        return None
    data = reply.data
    assert data.pop("frontmatter") == {}
    return {name: value for name, value in data.items() if value is not None}


def reset(client: Client, put: Put) -> None:
    """Put back what was before: a PUT, or a DELETE, that must work after whatever has happened."""
    if put.before is not None:
        assert client.put(put.before).status == 200
    elif shown(client, put.path) is not None:
        assert client.delete(put.path).status == 200
    else:
        assert client.put(put.page).status == 201
        assert client.delete(put.path).status == 200
    assert shown(client, put.path) == put.before


def check_whole(client: Client, site: Path, put: Put) -> dict[str, str] | None:
    """The page is old or new, and nothing else shows; gives the page."""
    page = shown(client, put.path)
    assert page in (put.page, put.before)
    pages = sorted({"docs/g/a", *OTHERS, *([put.path] if page else [])})
    assert listed(client) == pages
    assert built(site) == pages
    return page


def check_refusal(reply: Reply) -> None:
    """The answer is in the envelope, and says what the disk said."""
    assert (reply.status, reply.code) == (500, "INTERNAL")
    assert "Input/output error" in reply.json["error"], reply.json
    assert "(" in reply.json["error"], "there is no way out"


@pytest.mark.parametrize(
    ("call", "put"),
    [
        ("openat", REPLACE),
        ("write", REPLACE),
        ("fsync", REPLACE),
        ("rename", REPLACE),
        ("unlink", REPLACE),
        ("mkdir", CREATE),
        ("fsync", CREATE),
    ],
    ids=lambda value: value if isinstance(value, str) else value.path,
)
def test_each_call_that_a_put_makes_can_be_refused(
    client: Client, site: Path, tmp_path: Path, call: str, put: Put
) -> None:
    reset(client, put)
    process, refused, well = client.preview.process.pid, 0, 0
    for n in range(1, MOST):
        with traced(process, tmp_path / "log", CALLS[call], f"error=EIO:when={n}"):
            reply = client.put(put.page)
        page = check_whole(client, site, put)
        if reply.status == put.success:
            assert page == put.page, n
            well += 1
        else:
            check_refusal(reply)
            refused, well = refused + 1, 0
        reset(client, put)
        if well == IN_A_ROW:
            break
    assert well == IN_A_ROW
    assert refused


@pytest.mark.parametrize(
    ("call", "every", "put"),
    [
        ("write", 1, REPLACE),
        ("rename", 1, REPLACE),
        pytest.param("openat", 4, REPLACE, marks=pytest.mark.slow),
        pytest.param("fsync", 1, REPLACE, marks=pytest.mark.slow),
        pytest.param("unlink", 1, REPLACE, marks=pytest.mark.slow),
        pytest.param("mkdir", 1, CREATE, marks=pytest.mark.slow),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_server_that_is_killed_at_a_call_leaves_the_old_page_or_the_new_one(
    client: Client, site: Path, key: str, tmp_path: Path, call: str, every: int, put: Put
) -> None:
    """The other server goes on, and has to put in order what the killed one has left."""
    for n in range(1, MOST, every):
        reset(client, put)
        acknowledged = f"before {call} {n}\n"
        with server(site, key) as victim:
            assert victim.put({"path": "docs/other", "format": "md", "body": acknowledged}).status == 200
            with traced(victim.preview.process.pid, tmp_path / "log", CALLS[call], f"signal=KILL:when={n}"):
                answered = answers(victim, put)
                if not answered:
                    victim.preview.process.wait(30)
        page = check_whole(client, site, put)
        assert client.page("docs/other").data["body"] == acknowledged
        if answered:
            assert page == put.page
            break
    assert answered
    assert n > every
    reset(client, put)


def answers(victim: Client, put: Put) -> bool:
    """Return whether the server lives to answer, which it does only when the page is written."""
    try:
        reply = victim.put(put.page)
    except (http.client.HTTPException, ConnectionError):
        return False
    assert reply.status == put.success
    return True


WITHOUT = {
    "an exchange of names": "renameat2",
    "an exchange of names and second names": "renameat2,/^link(at)?$",
}


@pytest.mark.parametrize("missing", WITHOUT)
def test_pages_are_written_and_removed_on_a_disk_that_knows_no(
    client: Client, site: Path, tmp_path: Path, missing: str
) -> None:
    reset(client, REPLACE)
    with traced(client.preview.process.pid, tmp_path / "log", WITHOUT[missing], "error=EOPNOTSUPP") as trace:
        assert client.put({**OLD, "body": "again\n"}).status == 200
        assert client.put(NEW).status == 200
        assert client.put(MADE).status == 201
        assert shown(client, "docs/g/a") == NEW
        assert shown(client, "docs/made/deep/b") == MADE
        assert client.delete("docs/g/a").status == client.delete("docs/made/deep/b").status == 200
    assert trace.struck
    assert listed(client) == built(site) == OTHERS
    assert client.put(OLD).status == 201
