"""`twinpress links`: words for each link, answers that are kept, links left out, and Ctrl+C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from builder.errors import TwinpressError
from server.cli.actions import external_links
from server.external_links.answer import NAME
from server.external_links.asker import AskLimits
from tests.server.commands import COMMAND, environment
from tests.server.external_links.linked_host import LinkedHost, serving
from tests.sites import write_site
from tests.time_bounds import in_time
from tests.waiting import PATIENCE, until

DEFAULTS: dict[str, Any] = {
    "changed": "",
    "skip": (),
    "refresh": False,
    "private": True,
    "plan": None,
    "form": "json",
    "drafts": False,
    "safe": False,
    "include_roots": (),
}
REPLIES = {
    "/gone": (404, {}),
    "/old": (301, {"Location": "/new"}),
    "/sign-in": (401, {}),
}


@pytest.fixture
def host() -> Iterator[LinkedHost]:
    """A host with something gone, something moved and something shut."""
    with serving(LinkedHost(REPLIES)) as found:
        yield found


@pytest.fixture
def site(tmp_path: Path, host: LinkedHost, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site with links to that host, which is asked without a pause."""
    monkeypatch.setattr(external_links, "LIMITS", AskLimits(seconds=5, pause=0, patience=1))
    at = host.url("")
    write_site(
        tmp_path,
        {
            "site.yml": f"title: A\nnav: [{{label: N, href: '{at}/sign-in'}}]\n",
            "docs/index.md": f"# A\n\n[fine]({at}/fine) and\n[gone]({at}/gone#x)\n",
            "docs/b.mdx": f'# B\n\n<CardGrid>\n<Card title="C" href="{at}/old#x">Text</Card>\n</CardGrid>\n',
            "docs/d.md": f"---\ndraft: true\n---\n[d]({at}/draft)\n",
        },
    )
    return tmp_path


def run(site: Path, **options: object) -> int:
    """The exit code of the command."""
    return external_links.run(site=site, **{**DEFAULTS, **options})


def shown(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int, str, str, str | None]]:
    """The JSON that the command has written."""
    found = json.loads(capsys.readouterr().out)
    names = ("file", "line", "code", "url", "moved_to")
    return [tuple(each[name] for name in names) for each in found]  # type: ignore[misc]


def test_each_link_is_told_at_its_place(
    site: Path, host: LinkedHost, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(site) == 1
    assert shown(capsys) == [
        ("docs/b.mdx", 4, "external-moved", host.url("/old#x"), host.url("/new#x")),
        ("docs/index.md", 4, "external-broken", host.url("/gone#x"), None),
        ("site.yml", 2, "external-unsure", host.url("/sign-in"), None),
    ]
    assert [each for each in host.asked if "draft" in each] == []
    assert run(site, form="text", drafts=True) == 1
    text = capsys.readouterr().out
    assert "docs/index.md:4:" in text
    assert f"error: `{host.url('/gone#x')}`: there is nothing at this address (404) [external-broken]" in text
    assert "5 external links (5 different) in 3 pages: 1 error, 2 notes" in text
    assert "HEAD /draft" in host.asked
    assert run(site, form="github") == 1
    assert "::error file=" in capsys.readouterr().out


def test_answers_are_kept_for_seven_days_but_those_that_are_not_sure(
    site: Path, host: LinkedHost, capsys: pytest.CaptureFixture[str]
) -> None:
    run(site)
    first = shown(capsys)
    host.asked.clear()
    run(site)
    assert shown(capsys) == first
    assert set(host.asked) == {"GET /robots.txt", "HEAD /sign-in", "GET /sign-in"}
    kept = site / ".twinpress" / "cache" / NAME
    text = kept.read_text("utf-8")
    assert (kept.parent / ".gitignore").read_text() == "*\n"
    old = json.loads(text)
    for one in old["answers"].values():
        one["at"] -= 7 * 24 * 3600 + 1
    for damaged in (json.dumps(old), "{", "", text[:-9], '{"answers": {"a": 1}}', text.replace(":1}", ":2}")):
        kept.write_text(damaged, "utf-8")
        host.asked.clear()
        run(site)
        assert shown(capsys) == first
        assert "HEAD /fine" in host.asked
    host.asked.clear()
    run(site, refresh=True)
    assert "HEAD /fine" in host.asked


def test_some_links_are_left_out(site: Path, host: LinkedHost, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(site, skip=("*/gone*", host.url("/sign-in"))) == 0
    assert [each[2] for each in shown(capsys)] == ["external-moved"]
    assert [each for each in host.asked if "gone" in each] == []


def test_a_strangers_site_gets_no_cache(site: Path) -> None:
    assert run(site, safe=True) == 1
    assert not (site / ".twinpress").exists()


def test_private_hosts_are_asked_only_where_that_is_wanted(
    site: Path, host: LinkedHost, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(site, private=False) == 0
    assert {each[2] for each in shown(capsys)} == {"external-unasked"}
    assert host.asked == []


def git(site: Path, *arguments: str) -> None:
    """Run git in the site."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", *who, *arguments], cwd=site, check=True, capture_output=True)


def test_only_links_of_changed_files_are_asked(
    site: Path, host: LinkedHost, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TwinpressError, match="git cannot say"):
        run(site, changed="HEAD")
    git(site, "init", "-q")
    git(site, "add", ".")
    git(site, "commit", "-qm", "a")
    assert run(site, changed="HEAD") == 0
    (site / "docs" / "new.md").write_text(f"[n]({host.url('/gone')})\n")
    (site / "docs" / "b.mdx").write_text(f"[n]({host.url('/old')})\n")
    capsys.readouterr()
    assert run(site, changed="HEAD") == 1
    assert [each[:3] for each in shown(capsys)] == [
        ("docs/b.mdx", 1, "external-moved"),
        ("docs/new.md", 1, "external-broken"),
    ]


def test_served_elsewhere_is_asked_and_the_own_site_is_not(
    tmp_path: Path, host: LinkedHost, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = host.url("")
    text = f"[e](/gone/x) [own]({at}/manual/docs/) [other]({at}/old)\n"
    files = {
        "site.yml": f"title: A\nurl: {at}/manual\nserved_elsewhere: [/gone]\n",
        "docs/index.md": text,
        "docs/b.mdx": "",
    }
    write_site(site, files)
    run(site)
    shown(capsys)
    assert [each for each in host.asked if each.startswith("HEAD")] == [
        "HEAD /gone/x",
        "HEAD /old",
        "HEAD /new",
    ]


@pytest.mark.costly
def test_ctrl_c_keeps_what_is_known(site: Path, host: LinkedHost) -> None:
    (site / "docs" / "z.md").write_text(f"[z]({host.url('/slow')})\n")
    (site / "site.yml").write_text("title: A\n")
    (site / "docs" / "b.mdx").unlink()
    command = [str(COMMAND), "links", str(site), "--private"]
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: "HEAD /slow" in host.asked)
    with in_time(5):
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"/gone#x`: there is nothing at this address (404)" in out
    assert b"Stopped" in err
    kept = json.loads((site / ".twinpress" / "cache" / NAME).read_text())
    assert set(kept["answers"]) == {host.url("/fine"), host.url("/gone")}
