"""The effect of a write on files that the request does not speak of, and on bytes that JSON cannot carry."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.store import PAGE_LIMIT
from server.authoring.site_key_limits import ClientLimits
from tests.server.api.raw import Raw
from tests.server.authoring.inside import BASE, UNLIMITED, Hosted, hosted
from tests.sites import write_site

MOST = 40
LATIN = b"---\ntitle: caf\xe9\n---\n\ncaf\xe9\nline\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site."""
    return write_site(tmp_path_factory.mktemp("site"), {"docs/index.md": "# A\n"})


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Hosted]:
    """Its server."""
    with hosted(root, ClientLimits(pages=MOST, requests=UNLIMITED.requests)) as server:
        yield server


def put(server: Hosted, page: dict[str, Any], query: str = "", **headers: str) -> Raw:
    """Write a page."""
    body = json.dumps(page, ensure_ascii=False).encode()
    return server.ask("PUT", f"{BASE}/ai/page{query}", server.long, body, **headers)


def get(server: Hosted, path: str) -> Raw:
    """Read a page."""
    return server.ask("GET", f"{BASE}/ai/page?path={quote(path)}", server.long)


def data(answer: Raw, status: int = 200) -> Any:
    """Return the data of a success."""
    assert answer.status == status, answer.body
    return answer.envelope["data"]


def told(answer: Raw, status: int = 200) -> list[tuple[str, str, str]]:
    """The code, level and file of each diagnostic of a PUT."""
    return [(one["code"], one["level"], one["file"]) for one in data(answer, status)["diagnostics"]]


def make(root: Path, files: dict[str, bytes | None]) -> None:
    """Write files; None removes one."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)


PIECES = st.sampled_from([
    b"---\n", b"title: A\n", b"x: !foo bar\n", b"a: [\n", b"\n", b"\r\n", b"\xff", b"caf\xe9", b"\0",
    b"text\n", b"\xff\xfet\0e\0", b"draft: yes\n", b"title: B\n", b"\xed\xa0\x80",
    "\ufeff".encode(), "\ufffd".encode(),
])  # fmt: skip
CONTENT = st.lists(PIECES, max_size=10).map(b"".join)


@settings(max_examples=80)
@given(CONTENT, st.none() | CONTENT, st.sampled_from(["mdx", "md"]))
def test_putting_what_get_gave_changes_no_byte(
    server: Hosted, root: Path, page: bytes, twin: bytes | None, format: str
) -> None:
    make(root, {"docs/p.mdx": None, "docs/p.md": None, f"docs/p.{format}": page, "docs/p.llms.md": twin})
    read = get(server, "docs/p")
    for query in ("?dry_run=true", ""):
        written = put(server, data(read), query, If_Match=read.headers["etag"])
        assert data(written)["revision"] == read.headers["etag"].strip('"')
    assert (root / f"docs/p.{format}").read_bytes() == page
    kept = root / "docs/p.llms.md"
    assert (kept.read_bytes() if kept.exists() else None) == twin


def test_bytes_that_are_no_utf8_stay_with_their_text_and_go_with_it(server: Hosted, root: Path) -> None:
    make(root, {"docs/latin.mdx": LATIN, "docs/latin.llms.md": b"\xe9\n"})
    page = data(get(server, "docs/latin"))
    same = put(server, page)
    assert (root / "docs/latin.mdx").read_bytes() == LATIN
    assert told(same) == [
        ("page-encoding", "error", "docs/latin.mdx"),
        ("page-encoding", "error", "docs/latin.llms.md"),
    ]
    other = put(server, {**page, "body": page["body"].replace("\ufffd", "\u00e9")})
    assert told(other) == [
        ("page-encoding", "warning", "docs/latin.mdx"),
        ("page-encoding", "error", "docs/latin.llms.md"),
    ]
    assert (root / "docs/latin.mdx").read_bytes().decode().endswith("\ncaf\u00e9\nline\n")
    assert (root / "docs/latin.llms.md").read_bytes() == b"\xe9\n"


def test_a_twin_that_is_too_large_to_be_given_stays(server: Hosted, root: Path) -> None:
    large = b"x" * (PAGE_LIMIT + 1)
    make(root, {"docs/large.md": b"B\n", "docs/large.llms.md": large})
    read = get(server, "docs/large")
    page = data(read)
    assert page["llmBody"] is None
    written = put(server, {**page, "body": "C\n"})
    assert told(written) == [("twin-kept", "warning", "docs/large.llms.md")]
    assert (root / "docs/large.llms.md").read_bytes() == large
    assert get(server, "docs/large").headers["etag"] == written.headers["etag"]
    make(root, {"docs/large.llms.md": large + b"y"})
    assert get(server, "docs/large").headers["etag"] != written.headers["etag"]
    assert put(server, page, If_Match=written.headers["etag"]).code == "REVISION_MISMATCH"
    assert told(put(server, {**page, "llmBody": "small"})) == []
    assert (root / "docs/large.llms.md").read_bytes() == b"small"


def test_of_two_formats_the_other_one_goes_with_a_word(server: Hosted, root: Path) -> None:
    make(root, {"docs/two.mdx": b"X\n", "docs/two.md": b"Y\n"})
    read = get(server, "docs/two")
    assert data(read)["format"] == "mdx"
    make(root, {"docs/two.md": b"Z\n"})
    assert get(server, "docs/two").headers["etag"] != read.headers["etag"]
    assert put(server, data(read), If_Match=read.headers["etag"]).code == "REVISION_MISMATCH"
    assert ("page-dropped", "warning", "docs/two.md") in told(put(server, data(read), "?dry_run=true"))
    assert ("page-dropped", "warning", "docs/two.md") in told(put(server, data(read)))
    assert not (root / "docs/two.md").exists()
    assert told(put(server, {**data(read), "format": "md"})) == []  # this is what the request says


def test_a_twin_without_a_page_goes_with_a_word(server: Hosted, root: Path) -> None:
    make(root, {"docs/orphan.llms.md": b"Twin.\n"})
    written = put(server, {"path": "docs/orphan", "body": "Page.\n"})
    assert told(written, 201) == [("twin-dropped", "warning", "docs/orphan.llms.md")]


def test_what_becomes_of_frontmatter_that_cannot_be_given_is_told(server: Hosted, root: Path) -> None:
    make(root, {"docs/colon.md": b"---\ntitle: A: b\ndescription: D\ndraft: [\n---\n\nText\n"})
    page = data(get(server, "docs/colon"))
    assert page["frontmatter"] == {}
    same = put(server, {**page, "body": "Other\n"})
    assert ("frontmatter-invalid", "error", "docs/colon.md") in told(same)
    assert [code for code, *_ in told(same)] == ["frontmatter-invalid"]
    mended = put(server, {**page, "frontmatter": {"title": "A"}})
    assert told(mended) == [
        ("frontmatter-replaced", "warning", "docs/colon.md"),
        ("draft-kept", "warning", "docs/colon.md"),
    ]
    assert data(get(server, "docs/colon"))["frontmatter"] == {"description": "D", "title": "A", "draft": True}


def test_what_a_page_too_large_to_be_given_says_before_its_text_is_kept(server: Hosted, root: Path) -> None:
    block = b"---\ntitle: A\ndraft: true\nfoo: bar\nbad: .nan\n---\n"
    make(root, {f"docs/big-{name}.mdx": block + b"x\n" * 700_000 for name in ("a", "b", "c")})
    page = {"path": "docs/big-a", "frontmatter": {"title": "New"}, "body": "x\n"}
    found = data(put(server, page))["diagnostics"]
    assert [one["code"] for one in found] == [
        "frontmatter-replaced",
        "draft-kept",
        "frontmatter-unknown-key",
    ]
    assert "kept from it: `draft`, `foo`; lost: `bad`" in found[0]["message"]
    assert data(get(server, "docs/big-a"))["frontmatter"] == {"title": "New", "draft": True, "foo": "bar"}
    bare = {"path": "docs/big-b", "body": "x\n"}
    assert ("draft-kept", "warning", "docs/big-b.mdx") in told(put(server, bare))
    assert data(get(server, "docs/big-b"))["frontmatter"] == {"title": "A", "draft": True, "foo": "bar"}
    published = {**page, "path": "docs/big-c", "frontmatter": {"draft": False, "foo": 1}}
    assert "draft-kept" not in [code for code, *_ in told(put(server, published))]
    assert data(get(server, "docs/big-c"))["frontmatter"] == {"draft": False, "foo": 1, "title": "A"}


def test_a_page_that_is_too_large_to_be_read_can_be_replaced_and_removed(server: Hosted, root: Path) -> None:
    large = b"x" * (PAGE_LIMIT + 1)
    make(root, {"docs/huge.md": large, "docs/vast.md": large})
    assert get(server, "docs/huge").code == "BODY_TOO_LARGE"
    page = {"path": "docs/huge", "format": "md", "body": "Small.\n"}
    assert put(server, page, If_None_Match="*").code == "REVISION_MISMATCH"
    assert put(server, page, "?dry_run=true").status == 200
    assert (root / "docs/huge.md").read_bytes() == large
    assert put(server, page, If_Match="*").status == 200
    assert (root / "docs/huge.md").read_bytes() == b"Small.\n"
    assert server.ask("DELETE", f"{BASE}/ai/page?path=docs/vast", server.long).status == 200
    assert not (root / "docs/vast.md").exists()


def test_a_page_and_a_twin_of_the_largest_size_fit_into_a_request(server: Hosted, root: Path) -> None:
    text = "\u65e5" * (PAGE_LIMIT // 3)
    full = json.dumps({"path": "docs/full", "format": "md", "body": text}).encode()
    assert server.ask("PUT", f"{BASE}/ai/page", server.long, full).status == 201
    assert (root / "docs/full.md").read_bytes().decode() == text
    lines = "x\n" * (PAGE_LIMIT // 2)
    assert put(server, {"path": "docs/full", "format": "md", "body": lines, "llmBody": lines}).status == 200
    answer = server.ask("PUT", f"{BASE}/ai/page", server.long, full + b" " * 4 * PAGE_LIMIT)
    assert answer.code == "BODY_TOO_LARGE"
    assert "escapes" in str(answer.envelope["error"])


def test_a_byte_order_mark_of_a_body_is_kept(server: Hosted, root: Path) -> None:
    put(server, {"path": "docs/mark", "format": "md", "body": "\ufeffText\n", "frontmatter": {"title": "A"}})
    assert (root / "docs/mark.md").read_bytes() == "\ufeff---\ntitle: A\n---\n\nText\n".encode()
    page = data(get(server, "docs/mark"))
    assert page["body"] == "Text\n"
    put(server, {**page, "body": "Other\n"})
    assert (root / "docs/mark.md").read_bytes() == "\ufeff---\ntitle: A\n---\n\nOther\n".encode()


def test_a_character_that_a_check_tells_of_is_told_at_once(server: Hosted) -> None:
    made = put(server, {"path": "docs/nulls", "format": "md", "body": "a\0b\n"})
    assert ("nul-character", "warning", "docs/nulls.md") in told(made, 201)


CONFLICTS = ["docs/Z/q", "docs/link/q", "docs/fifo", "docs/folder", "docs/up", "docs/link", "docs/note/q"]


@pytest.mark.parametrize("path", CONFLICTS)
def test_a_rehearsal_refuses_what_the_write_would_refuse(server: Hosted, root: Path, path: str) -> None:
    make(root, {"docs/z/A.md": b"A\n", "docs/UP.mdx": b"U\n", "docs/note": b"no folder"})
    for name in ("docs/folder.mdx", "docs/x"):
        (root / name).mkdir(exist_ok=True)
    if not (root / "docs/link").is_symlink():
        (root / "docs/link").symlink_to("z")
        (root / "docs/link.mdx").symlink_to("UP.mdx")
        os.mkfifo(root / "docs/fifo.mdx")
    before = sorted((root / "docs").rglob("*"))
    rehearsed = put(server, {"path": path, "body": "x"}, "?dry_run=true")
    real = put(server, {"path": path, "body": "x"})
    assert (rehearsed.status, rehearsed.code) == (real.status, real.code) == (409, "PATH_CONFLICT")
    assert rehearsed.envelope == real.envelope
    assert sorted((root / "docs").rglob("*")) == before


def test_a_rehearsal_makes_no_folder(server: Hosted, root: Path) -> None:
    assert put(server, {"path": "docs/new/er/x", "body": "x"}, "?dry_run=true").status == 200
    assert not (root / "docs/new").exists()


def test_no_two_writers_pass_the_limit_of_pages_together(tmp_path: Path) -> None:
    with hosted(
        write_site(tmp_path, {"docs/a.md": "A\n"}), ClientLimits(pages=3, requests=UNLIMITED.requests)
    ) as few:
        body = [json.dumps({"path": f"docs/n{n}", "body": "x"}).encode() for n in range(12)]
        connections = [few.connect() for _ in body]
        for connection, sent in zip(connections, body, strict=True):
            head = few.head(b"PUT /api/v1/pages/ai/page HTTP/1.1", b"Content-Length: %d" % len(sent))
            connection.sendall(head + b"Connection: close\r\n\r\n" + sent)
        statuses = sorted(int(connection.makefile("rb").readline().split()[1]) for connection in connections)
        for connection in connections:
            connection.close()
        assert statuses == [201, 201, *[403] * 10]
        assert put(few, {"path": "docs/more"}, "?dry_run=true").code == "PAGE_LIMIT_REACHED"
        assert put(few, {"path": "docs/a", "format": "md"}).status == 200
