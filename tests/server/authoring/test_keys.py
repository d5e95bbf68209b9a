"""Every kind of key at every endpoint, over time and from other processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from builder.redaction import REDACT
from server.authoring.site_key_limits import ClientLimits
from server.control import base62
from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import ONE_OFF_SECONDS, SiteKeys
from server.control.sites import local_site
from server.control.sqlite.local_database import local_database
from tests.server.authoring.client import authoring
from tests.server.authoring.inside import BASE, Hosted, hosted
from tests.sites import write_site
from tests.waiting import PATIENCE

ENDPOINTS = {
    "site": ("GET", f"{BASE}/ai/site", None, 200, "ok"),
    "guide": ("GET", f"{BASE}/ai/guide", None, 200, "ok"),
    "page": ("GET", f"{BASE}/ai/page?path=docs/a", None, 200, "ok"),
    "put": ("PUT", f"{BASE}/ai/page", {"path": "docs/a", "format": "md", "body": "# A\n"}, 200, "ok"),
    "delete": ("DELETE", f"{BASE}/ai/page?path=docs/none", None, 404, "PAGE_NOT_FOUND"),
    "category": ("POST", f"{BASE}/ai/category", {"path": "docs/guide", "label": "G"}, 200, "ok"),
    "unknown": ("GET", "/api/v1/pages/ai/none", None, 404, "NOT_FOUND"),
    "method": ("PATCH", f"{BASE}/ai/page", None, 405, "METHOD_NOT_ALLOWED"),
    "bad body": ("PUT", f"{BASE}/ai/page", {"path": 3}, 400, "INVALID_BODY"),
    "bad query": ("GET", f"{BASE}/ai/page?x=1", None, 400, "INVALID_QUERY"),
}
STATES = {
    "one-off": None,
    "long-lived": None,
    "none": "MISSING_KEY",
    "basic": "MISSING_KEY",
    "no scheme": "MISSING_KEY",
    "empty": "MISSING_KEY",
    "malformed": "BAD_KEY",
    "cut off": "BAD_KEY",
    "mistyped": "BAD_KEY",
    "unknown": "BAD_KEY",
    "two": "BAD_KEY",
    "of another site": "BAD_KEY",
    "of the other API": "BAD_KEY",
    "deleted": "BAD_KEY",
    "expired": "KEY_EXPIRED",
    "expired and disabled": "KEY_EXPIRED",
    "disabled": "KEY_DISABLED",
}


@dataclass(frozen=True, slots=True)
class Site:
    """A server, and the header that each state of a key has."""

    server: Hosted
    headers: dict[str, str]


def headers_of(server: Hosted, database_keys: SiteKeys, past: SiteKeys) -> dict[str, str]:
    """The value of `Authorization` for each state."""
    made = {name: database_keys.create(KeyKind.LONG_LIVED, server.site) for name in ("deleted", "disabled")}
    database_keys.delete(made["deleted"].record.id)
    database_keys.disable(made["disabled"].record.id)
    gone = past.create(KeyKind.ONE_OFF, server.site)
    both = past.create(KeyKind.ONE_OFF, server.site)
    past.disable(both.record.id)
    body = f"svc_db_{base62.random(40)}"
    texts = {
        "one-off": server.short,
        "long-lived": server.long,
        "malformed": "dpk_x",
        "cut off": server.long[:-1],
        "mistyped": server.long[:-1] + ("a" if server.long[-1] != "a" else "b"),
        "unknown": checked(f"svc_docs_{base62.random(40)}"),
        "of another site": database_keys.create(KeyKind.LONG_LIVED, "anothersite00000").text,
        "of the other API": checked(body),
        "deleted": made["deleted"].text,
        "expired": gone.text,
        "expired and disabled": both.text,
        "disabled": made["disabled"].text,
    }
    odd = {
        "none": "",
        "basic": f"Basic {server.long}",
        "no scheme": server.long,
        "empty": "Bearer ",
        "two": f"Bearer {server.long}\r\nAuthorization: Bearer {server.short}",
    }
    return odd | {name: f"Bearer {text}" for name, text in texts.items()}


def checked(body: str) -> str:
    """A well-formed key."""
    return body + base62.encode(zlib.crc32(body.encode()), 6)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with keys of all kinds."""
    root = write_site(
        tmp_path_factory.mktemp("site"),
        {"site.yml": "title: T\n", "docs/a.md": "# A\n", "docs/guide/b.md": "B\n"},
    )
    with hosted(root) as server, local_database(root) as database:
        database.write("INSERT INTO sites (id, created_at) VALUES (?, ?)", ("anothersite00000", 1))
        past = SiteKeys(database, lambda: time.time() - ONE_OFF_SECONDS - 1)
        yield Site(server, headers_of(server, SiteKeys(database), past))


def test_every_state_of_a_key_has_a_case(site: Site) -> None:
    assert site.headers.keys() == STATES.keys()


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("state", STATES)
def test_a_key_opens_what_it_should(site: Site, state: str, endpoint: str) -> None:
    method, target, body, *opened = ENDPOINTS[endpoint]
    data = json.dumps(body).encode() if body is not None else None
    answer = site.server.ask(method, target, "", data, Authorization=site.headers[state])
    refusal = STATES[state]
    assert [answer.status, answer.code] == ([401, refusal] if refusal else opened)
    assert ("www-authenticate" in answer.headers) is (answer.status == 401)
    assert answer.headers.get("www-authenticate", "Bearer").startswith("Bearer")


def test_the_scheme_may_be_written_in_any_case(site: Site) -> None:
    for scheme in ("bearer", "BEARER", "Bearer  "):
        answer = site.server.ask("GET", f"{BASE}/ai/site", Authorization=f"{scheme} {site.server.long}")
        assert answer.status == 200


def test_a_key_in_the_query_is_no_key_and_in_no_log(site: Site) -> None:
    key = site.server.long
    percent = "".join(f"%{ord(character):02x}" for character in key[:9]) + key[9:]
    before = len(site.server.log)
    for target, code in (
        (f"{BASE}/ai/site?key={key}", "INVALID_QUERY"),
        (f"{BASE}/ai/{key}?x", "NOT_FOUND"),
        (f"{BASE}/ai/site?key={percent}", "INVALID_QUERY"),
    ):
        assert site.server.ask("GET", target).code == "MISSING_KEY"
        assert site.server.ask("GET", target, key).code == code
    lines = site.server.logged(before + 6)[before:]
    assert len(lines) == 6
    assert not [line for line in lines if key[9:40] in line.path]
    assert not site.server.faults


def test_the_log_has_one_line_for_each_request_and_names_the_key_by_its_end(site: Site) -> None:
    before = len(site.server.log)
    for key in (site.server.long, ""):
        answer = site.server.ask("GET", f"{BASE}/ai/page?path=docs/a", key)
        line = site.server.logged(before + 1)[-1]
        assert len(site.server.log) == before + 1
        assert line.id == answer.headers["x-request-id"]
        assert (line.method, line.path, line.status) == ("GET", f"{BASE}/ai/page?path=docs/a", answer.status)
        assert line.key == (f"svc_docs_…{key[-4:]}" if key else "")
        before += 1


IN_ANOTHER_PROCESS = """
import sys
from pathlib import Path
from server.control.keys.site_keys import SiteKeys
from server.control.sqlite.local_database import local_database
from server.control.sites import local_site
with local_database(Path(sys.argv[1])) as database:
    keys = SiteKeys(database)
    getattr(keys, sys.argv[2])(keys.find(local_site(database), sys.argv[3]).id)
"""


def test_what_another_process_does_to_a_key_holds_for_the_very_next_request(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"docs/a.md": "A\n"})

    def elsewhere(change: str, key: str) -> None:
        subprocess.run(
            [sys.executable, "-c", IN_ANOTHER_PROCESS, root, change, key], check=True, timeout=PATIENCE
        )

    with hosted(root) as server:
        for change, code in (("disable", "KEY_DISABLED"), ("enable", "ok"), ("delete", "BAD_KEY")):
            elsewhere(change, server.long)
            assert server.ask("GET", f"{BASE}/ai/page?path=docs/a", server.long).code == code
        assert server.ask("GET", f"{BASE}/ai/page?path=docs/a", server.short).code == "ok"


def test_a_one_off_key_ends_with_its_hour_also_across_a_restart(tmp_path: Path) -> None:
    root, now = write_site(tmp_path, {"docs/a.md": "A\n"}), [1_000_000.0]
    target = f"{BASE}/ai/page?path=docs/a"
    with hosted(root, clock=lambda: now[0]) as server:
        key, lasting = server.short, server.long
        for seconds, code in (
            (0, "ok"),
            (3599, "ok"),
            (3599.9, "ok"),
            (3600, "KEY_EXPIRED"),
            (3601, "KEY_EXPIRED"),
        ):
            now[0] = 1_000_000.0 + seconds
            assert server.ask("GET", target, key).code == code, seconds
    for seconds, code in ((3599, "ok"), (3601, "KEY_EXPIRED"), (-5, "KEY_EXPIRED")):
        now[0] = 1_000_000.0 + seconds
        with hosted(root, clock=lambda: now[0]) as server:
            assert server.ask("GET", target, key).code == code, seconds
            assert server.ask("GET", target, lasting).code == "ok"


def test_the_terminal_shows_no_key_but_the_one_of_the_start(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"docs/a.md": "A\n"})
    with local_database(root) as database:
        key = SiteKeys(database).create(KeyKind.LONG_LIVED, local_site(database)).text
    with authoring(root) as client:
        client.ask("GET", f"{BASE}/ai/site?key={key}", Authorization=f"Bearer {key}")
        client.ask("GET", f"/api/v1/{key}/x%ff%1b[31m")
        client.preview.says(": 400 in ")
        client.preview.says(": 404 in ")
        shown = "\n".join((*client.preview.lines, *client.preview.results))
        assert key[:20] not in shown
        assert "\x1b[31m" not in shown
        keys = {found[0] for found in REDACT.finditer(shown) if len(found[0]) > 20}
        assert keys == {client.key}


def test_too_many_requests_are_told_when_to_come_again(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"docs/a.md": "A\n"})
    limits = ClientLimits(requests={KeyKind.ONE_OFF: 3, KeyKind.LONG_LIVED: 5})
    with hosted(root, limits) as server:
        for key, most in ((server.short, 3), (server.long, 5)):
            answers = [server.ask("GET", f"{BASE}/ai/page?path=docs/a", key) for _ in range(most + 1)]
            assert [answer.status for answer in answers] == [200] * most + [429]
            assert answers[-1].code == "RATE_LIMITED"
            assert 1 <= int(answers[-1].headers["retry-after"]) <= 60 / most
        assert server.ask("GET", f"{BASE}/ai/site").code == "MISSING_KEY"
