"""Limits on the number of requests and on their size; names in every script."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from builder.store import PAGE_LIMIT
from server.authoring.site_key_limits import ClientLimits
from tests.server.authoring.inside import BASE, UNLIMITED, Hosted, hosted
from tests.sites import write_site

CAFE = "docs/caf\u00e9"
MOST = 6


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a name as macOS writes it."""
    name = unicodedata.normalize("NFD", CAFE)
    return write_site(tmp_path_factory.mktemp("site"), {"docs/a.md": "A\n", f"{name}.md": "Coffee.\n"})


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Hosted]:
    """Its server, which takes few pages."""
    with hosted(root, ClientLimits(pages=MOST, requests=UNLIMITED.requests)) as server:
        yield server


def put(server: Hosted, page: dict[str, object]) -> tuple[int, str]:
    """Write a page; the status and the code."""
    body = json.dumps(page, ensure_ascii=False).encode()
    answer = server.ask("PUT", f"{BASE}/ai/page", server.long, body)
    return answer.status, answer.code


def body_of(server: Hosted, path: str) -> str:
    """The body of a page."""
    answer = server.ask("GET", f"{BASE}/ai/page?path={quote(path)}", server.long)
    assert answer.status == 200, answer.body
    return str(json.loads(answer.body)["data"]["body"])


def test_a_page_may_have_a_mebibyte_and_no_byte_more(server: Hosted, root: Path) -> None:
    large = "x" * (PAGE_LIMIT - 1) + "\n"
    assert put(server, {"path": "docs/a", "format": "md", "body": large}) == (200, "ok")
    assert body_of(server, "docs/a") == large
    assert put(server, {"path": "docs/a", "format": "md", "body": large + "x"}) == (413, "BODY_TOO_LARGE")
    assert (root / "docs/a.md").stat().st_size == PAGE_LIMIT == 1024 * 1024


def test_a_request_may_have_two_mebibytes_and_no_byte_more(server: Hosted) -> None:
    page = json.dumps({"path": "docs/a", "format": "md", "body": "A\n"}).encode()
    full = page + b" " * (4 * 1024 * 1024 - len(page))
    assert server.ask("PUT", f"{BASE}/ai/page", server.long, full).code == "ok"
    answer = server.ask("PUT", f"{BASE}/ai/page", server.long, full + b" ")
    assert (answer.status, answer.code, answer.headers["connection"]) == (413, "BODY_TOO_LARGE", "close")
    chunk = b"%x\r\n%b\r\n" % (len(full) + 1, full + b" ")
    line = b"PUT /api/v1/pages/ai/page HTTP/1.1"
    chunked = server.head(line, b"Transfer-Encoding: chunked") + b"\r\n" + chunk + b"0\r\n\r\n"
    assert server.raw(chunked).code == "BODY_TOO_LARGE"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_is_the_same_in_both_forms_of_unicode(server: Hosted, root: Path, form: str) -> None:
    path = unicodedata.normalize(form, CAFE)
    assert body_of(server, path).startswith("Coffee")
    text = f"Coffee, asked for in {form}.\n"
    assert put(server, {"path": path, "format": "md", "body": text}) == (200, "ok")
    assert body_of(server, CAFE) == text
    assert len(list((root / "docs").glob("caf*"))) == 1


@pytest.mark.parametrize("path", ["docs/日本語/入門", "docs/Ελλάδα", "docs/עברית"])
def test_names_of_any_script_are_written_read_and_removed(server: Hosted, path: str) -> None:
    assert put(server, {"path": path, "body": "Text.\n"}) == (201, "ok")
    assert body_of(server, path) == "Text.\n"
    assert server.ask("DELETE", f"{BASE}/ai/page?path={quote(path)}", server.long).code == "ok"


@pytest.mark.parametrize(
    "path", ["docs/a\u202eb", "docs/a\u200bb", "docs/\uff41", "docs/a%2fb", "docs/..", "docs/a\x00"]
)
def test_names_that_deceive_are_refused(server: Hosted, path: str) -> None:
    assert put(server, {"path": path}) == (400, "INVALID_PATH")
    assert server.ask("GET", f"{BASE}/ai/page?path={quote(path)}", server.long).code == "INVALID_PATH"


def test_a_site_may_have_so_many_pages_and_no_more(server: Hosted, root: Path) -> None:
    there = len(list((root / "docs").glob("**/*.md*")))
    for number in range(MOST - there):
        assert put(server, {"path": f"docs/full/{number}"}) == (201, "ok")
    assert put(server, {"path": "docs/full/more"}) == (403, "PAGE_LIMIT_REACHED")
    assert put(server, {"path": "docs/full/0", "body": "Changed.\n"}) == (200, "ok")
    assert server.ask("DELETE", f"{BASE}/ai/page?path=docs/full/0", server.long).code == "ok"
    assert put(server, {"path": "docs/full/more"}) == (201, "ok")


LABELS = ["x" * 65_520, "\u65e5" * 30_000, "x" * 501]


@pytest.mark.parametrize("label", LABELS, ids=["long", "many bytes", "one too many"])
def test_a_label_that_is_too_long_is_refused_by_name(server: Hosted, root: Path, label: str) -> None:
    record = json.dumps({"path": "docs/labelled", "label": label}, ensure_ascii=False).encode()
    answer = server.ask("POST", f"{BASE}/ai/category", server.long, record)
    assert (answer.status, answer.code) == (400, "INVALID_BODY")
    assert "label: has " in str(answer.envelope["error"])
    assert not (root / "docs/labelled").exists()


def test_a_category_file_that_would_be_too_large_is_a_conflict(server: Hosted, root: Path) -> None:
    file = root / "docs/filled/_category_.yml"
    file.parent.mkdir()
    file.write_text("x: 1\n" + "#" * (64 * 1024 - 10))
    answer = server.ask(
        "POST", f"{BASE}/ai/category", server.long, b'{"path": "docs/filled", "label": "A label"}'
    )
    assert (answer.status, answer.code) == (409, "PATH_CONFLICT")
    assert file.stat().st_size == 64 * 1024 - 5
