"""Headers of files: forms, conditions, ranges, how long they are kept, what they may do in a browser."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Sequence

import brotli
import pytest

from builder.config.analytics import PROVIDERS, widened
from builder.theme.assets import content_security_policy
from server.site_serving.file_headers import policy as file_policy
from tests.server.site_serving.conftest import CLIP

FOR_EVER, ASK_AGAIN = "public, max-age=31536000, immutable", "public, max-age=0, must-revalidate"


def _own(built, kind):
    """An asset of the theme that is named by its content."""
    return next(path for path in built if re.fullmatch(rf"_tp/theme\.[0-9a-f]+\.{kind}", path))


@pytest.mark.parametrize(
    ("codings", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("br;q=0.5, gzip;q=0.8", "gzip"),
        ("br;q=0, gzip;q=0", ""),
        ("*", "br"),
        ("*;q=0", ""),
        ("identity, br;q=0.5", ""),
        ("deflate", ""),
        ("br;q=no", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_texts_are_sent_in_the_form_that_is_preferred(readers, built, codings, coding):
    headers = {} if codings is None else {"Accept_Encoding": codings}
    page = readers.get("/docs/x", **headers)
    unpack = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}[coding]
    assert (page.status, page.headers.get("content-encoding", "")) == (200, coding)
    assert unpack(page.body) == built["docs/x.html"]
    assert page.headers["vary"] == "Accept, Accept-Encoding"


@pytest.mark.parametrize("path", ["/docs/guide/clip.mp4", "/hello.txt", "/empty.bin"])
def test_what_is_not_compressed_has_one_form(readers, path):
    found = readers.get(path, Accept_Encoding="br, gzip")
    assert "content-encoding" not in found.headers
    assert "vary" not in found.headers


def test_each_form_has_an_etag_of_its_own(readers):
    forms = [{}, {"Accept_Encoding": "gzip"}, {"Accept_Encoding": "br"}, {"Accept": "text/markdown"}]
    etags = [readers.get("/docs/x", **form).headers["etag"] for form in forms]
    assert len(set(etags)) == 4
    for form, etag in zip(forms, etags, strict=True):
        for other in etags:
            again = readers.get("/docs/x", If_None_Match=other, **form)
            assert (again.status == 304) == (other == etag)
            if again.status == 304:
                assert again.body == b""
                assert again.headers["etag"] == etag
                assert {"vary", "cache-control", "content-security-policy"} <= set(again.headers)
                assert "content-length" not in again.headers


@pytest.mark.parametrize(
    ("template", "status"),
    [
        ("{}", 304),
        ("W/{}", 304),
        ('"a", {}', 304),
        ('"a",{} , "b"', 304),
        ("*", 304),
        ('"a"', 200),
        ("", 200),
        ("a", 200),
    ],
)
def test_if_none_match(readers, template, status):
    etag = readers.get("/hello.txt").headers["etag"]
    assert readers.get("/hello.txt", If_None_Match=template.format(etag)).status == status
    assert readers.get("/hello.txt", method="HEAD", If_None_Match=template.format(etag)).status == status


def test_if_modified_since_counts_for_the_very_time_alone(readers):
    date = readers.get("/hello.txt").headers["last-modified"]
    assert readers.get("/hello.txt", If_Modified_Since=date).status == 304
    assert readers.get("/hello.txt", If_Modified_Since="Tue, 01 Jan 2030 00:00:00 GMT").status == 200
    assert readers.get("/hello.txt", If_Modified_Since=date, If_None_Match='"a"').status == 200


def test_a_missing_page_is_never_not_modified(readers):
    found = readers.get("/missing")
    assert readers.get("/missing", If_None_Match=found.headers["etag"]).status == 404
    assert readers.get("/missing", Range="bytes=0-3").status == 404


SIZE = len(CLIP)
RANGES = [
    ("bytes=0-0", 206, range(1)),
    ("bytes=1-3", 206, range(1, 4)),
    ("bytes=-5", 206, range(SIZE - 5, SIZE)),
    ("bytes=10-", 206, range(10, SIZE)),
    (f"bytes=0-{SIZE * 2}", 206, range(SIZE)),
    (f"bytes=-{SIZE * 2}", 206, range(SIZE)),
    ("Bytes=262140-262150", 206, range(262140, 262151)),
    (f"bytes={SIZE}-", 416, None),
    ("bytes=-0", 416, None),
    ("bytes=0-0,5-6", 200, range(SIZE)),
    ("bytes=3-1", 200, range(SIZE)),
    ("bytes=-", 200, range(SIZE)),
    ("lines=0-1", 200, range(SIZE)),
    ("bytes=0-" + "9" * 40, 200, range(SIZE)),
]


@pytest.mark.parametrize(("asked", "status", "part"), RANGES, ids=[case[0][:30] for case in RANGES])
def test_ranges_of_a_large_file(readers, asked, status, part):
    found = readers.get("/docs/guide/clip.mp4", Range=asked)
    assert found.status == status
    if part is None:
        assert (found.headers["content-range"], found.body) == (f"bytes */{SIZE}", b"")
        return
    assert found.body == CLIP[part.start : part.stop]
    expected = f"bytes {part.start}-{part.stop - 1}/{SIZE}" if status == 206 else None
    assert found.headers.get("content-range") == expected


def test_a_range_of_a_page_is_one_of_its_form(readers):
    for form in ({}, {"Accept_Encoding": "br"}):
        whole = readers.get("/docs/x", **form)
        part = readers.get("/docs/x", Range="bytes=5-20", **form)
        assert (part.status, part.body, part.headers["etag"]) == (
            206,
            whole.body[5:21],
            whole.headers["etag"],
        )


def test_a_range_counts_for_the_file_that_the_client_has_alone(readers):
    whole = readers.get("/hello.txt")
    cases = [
        (whole.headers["etag"], 206),
        ('"other"', 200),
        (f"W/{whole.headers['etag']}", 200),
        (whole.headers["last-modified"], 200),
    ]
    for condition, status in cases:
        assert readers.get("/hello.txt", Range="bytes=0-1", If_Range=condition).status == status


def test_head_says_what_get_would(readers):
    for path in ("/docs/x", "/docs/guide/clip.mp4", "/missing", "/old", "/docs/guide", "/_tp/none.css"):
        got, head = readers.get(path), readers.get(path, method="HEAD")
        assert head.body == b""
        assert {**head.headers, "date": ""} == {**got.headers, "date": ""}
        assert head.status == got.status


def test_only_what_is_named_by_its_content_is_kept_for_ever(readers, built):
    shard = next(path for path in built if path.startswith("_tp/search/"))
    for path in (_own(built, "css"), _own(built, "js"), shard):
        assert readers.get(f"/{path}").headers["cache-control"] == FOR_EVER
    for path in ("/", "/docs/x", "/docs/x.md", "/hello.txt", "/llms.txt", "/docs/guide/clip.mp4", "/old"):
        assert readers.get(path).headers["cache-control"] == ASK_AGAIN


@pytest.mark.parametrize("path", ["/", "/docs/x", "/missing"])
def test_a_page_has_the_policy_that_its_build_has_written_into_it(readers, path):
    policy = readers.get(path).headers["content-security-policy"]
    assert re.match(r"default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self';", policy)
    assert policy in html.unescape(readers.get(path).text)
    assert "sandbox" not in policy.split("; ")


@pytest.mark.parametrize("path", ["/drawing.svg", "/own.html", "/own", "/feed.xml", "/sitemap.xml"])
def test_what_else_a_browser_would_run_is_in_a_sandbox(readers, path):
    found = readers.get(path)
    if found.status == 200:
        policy = found.headers["content-security-policy"]
        assert policy.endswith("; sandbox")
        assert policy.startswith("default-src 'none';")


@pytest.mark.parametrize(
    ("path", "directive"),
    [
        ("/docs/x.md", "script-src 'none'"),
        ("/paper.pdf", "script-src 'none'"),
        ("/docs/guide/clip.mp4", "script-src 'none'"),
        ("/worker.js", "default-src 'self'"),
        ("/old", "default-src 'none'"),
        ("/_tp/none.css", "default-src 'none'"),
    ],
)
def test_every_answer_has_a_policy(readers, path, directive):
    assert directive in readers.get(path).headers["content-security-policy"]


STRICT = {
    "server": "Twinpress",
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "cross-origin-opener-policy": "same-origin",
}


@pytest.mark.parametrize(
    ("path", "host", "method"),
    [
        ("/", "quay.localhost", "GET"),
        ("/missing", "quay.localhost", "GET"),
        ("/old", "quay.localhost", "GET"),
        ("/docs/guide", "quay.localhost", "GET"),
        ("/", "www.example.org", "GET"),
        ("/", "nobody.localhost", "GET"),
        ("/", "preview-a.localhost", "GET"),
        ("/", "quay.localhost", "POST"),
    ],
)
def test_every_answer_is_strict_and_sets_no_cookie(readers, path, host, method):
    found = readers.get(path, host, method, Cookie="session=1")
    assert {name: found.headers.get(name) for name in STRICT} == STRICT
    assert "set-cookie" not in found.headers
    live = found.status == 200 or found.status in {301, 308}
    assert ("x-robots-tag" in found.headers) == (not live)


def test_pictures_may_be_shown_elsewhere_and_texts_may_not(readers):
    for path, policy in [("/drawing.svg", "cross-origin"), ("/docs/x", "same-origin")]:
        assert readers.get(path).headers["cross-origin-resource-policy"] == policy


def _page(*directives: str) -> bytes:
    policy = html.escape("; ".join(directives))
    return f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}">'.encode()


@pytest.mark.parametrize(
    ("at", "directive"),
    [
        (0, "default-src 'self'"),
        (1, "script-src 'self' 'unsafe-inline'"),
        (1, f"script-src 'self' 'sha256-{'a' * 43}=' 'unsafe-eval'"),
        (3, "img-src *"),
        (6, "connect-src *"),
        (7, "frame-src *"),
        (7, "frame-src http://example.com"),
        (7, "frame-src 'none'; script-src-elem 'unsafe-inline' *"),
        (8, "worker-src *"),
        (9, "form-action *"),
    ],
)
def test_a_page_whose_policy_is_weaker_than_that_of_a_build_is_in_a_sandbox(at: int, directive: str) -> None:
    good = content_security_policy("boot()", ["example.com", "*.example.org"]).split("; ")
    assert file_policy("docs/x.html", _page(*good)) == "; ".join(good)
    bad = [*good[:at], directive, *good[at + 1 :]]
    assert file_policy("docs/x.html", _page(*bad)).endswith("; sandbox")


def _page_with(scripts: Sequence[str], connects: Sequence[str]) -> tuple[str, bytes]:
    policy = content_security_policy("boot()", [], scripts, connects)
    return policy, _page(*policy.split("; "))


@pytest.mark.parametrize("name", PROVIDERS)
def test_hosts_of_statistics_are_in_the_policy_where_the_operator_allows_them(name: str) -> None:
    more = widened({name: "example"})
    written, page = _page_with(more.scripts, more.connects)
    assert file_policy("docs/x.html", page, analytics=True) == written
    assert file_policy("docs/x.html", page) == content_security_policy("boot()", [])


@pytest.mark.parametrize(
    ("scripts", "connects"),
    [
        (("https://evil.example",), ()),
        ((), ("https://evil.example",)),
        (("https://plausible.io.evil.example",), ()),
        ((), ("https://a.evil.goatcounter.com",)),
        (("https://plausible.io", "'unsafe-inline'"), ()),
        (("https:",), ()),
    ],
)
def test_no_other_host_is_let_in_with_statistics(scripts: Sequence[str], connects: Sequence[str]) -> None:
    assert file_policy("x.html", _page_with(scripts, connects)[1], analytics=True).endswith("; sandbox")
