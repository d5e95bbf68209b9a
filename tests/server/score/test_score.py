"""`twinpress score` says of broken sites what the reference implementation says of them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from aiohttp import web

from builder.errors import TwinpressError
from builder.plan import llms_index
from server.score.score_target import score_of
from server.score.scoring import Score, score
from server.score.site_facts import read_site
from server.score.web import LoopbackWeb, session
from tests.ports import free_port
from tests.server.commands import twinpress
from tests.server.score.broken_sites import CHANGES, build_it, host, variants
from tests.server.score.record import RECORDED
from tests.sites import build_site, write_site

AFDOCS = json.loads(RECORDED.read_text("utf-8"))["sites"]
BY_HOST = {
    "content-negotiation",
    "http-status-codes",
    "redirect-behavior",
    "cache-header-hygiene",
    "auth-gate-detection",
    "bot-protection-interference",
}


CLOSE = {"no pointer in HTML": 2, "a pointer in half of HTML": 1}
"""Points by which a score may differ where content begins after ten percent or so: blanks decide on that."""


def named(name: str, does: str) -> str:
    """The name under which a site is recorded."""
    return f"{name}, {does}".rstrip(", ")


def quiet(done: int, total: int) -> None:
    """Take the progress, and show none."""


async def served(name: str, does: str, built_for: int | None = None) -> Score:
    """Serve a broken site, and score it. `built_for` is the port in its `url`, or None for its own."""
    port = free_port()
    runner = web.AppRunner(host(CHANGES[name](build_it(built_for or port)), does))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    origin = f"http://127.0.0.1:{port}"
    async with session() as opened:
        found = score(await read_site(origin, LoopbackWeb(opened, origin), quiet))
    await runner.cleanup()
    return found


CASES = [each for each in variants() if named(*each) in AFDOCS]


@pytest.mark.parametrize(("name", "does"), CASES, ids=[named(*each) for each in CASES])
def test_a_served_site_has_the_score_of_the_reference_implementation(name: str, does: str) -> None:
    found = asyncio.run(served(name, does))
    expected = AFDOCS[named(name, does)]
    levels = {key: result.level for key, result in found.results.items()}
    assert {key: levels[key] for key in expected["levels"]} == expected["levels"]
    assert abs(found.total - expected["score"]) <= CLOSE.get(name, 0)


def test_a_site_that_is_served_elsewhere_than_its_url_says_so_and_what_to_do() -> None:
    found = asyncio.run(served("as built", "", built_for=1))
    assert found.total == 59
    assert "no link of `llms.txt` leads to the address that was given" in found.reason
    assert "give the folder of the build" in found.reason


def written(folder: Path, name: str) -> Path:
    """Write a broken site into a folder."""
    return write_site(folder / "dist", CHANGES[name](build_it(8000)))


@pytest.mark.parametrize("name", [name for name, does in CASES if not does])
def test_a_folder_has_the_same_results_but_for_those_of_the_host(tmp_path: Path, name: str) -> None:
    site, found = score_of(str(written(tmp_path, name)), quiet)
    # A host that negotiates has agents get markdown from links to HTML.
    unknown = BY_HOST | ({"llms-txt-links-markdown"} if name == "llms.txt links to HTML" else set())
    levels = {key: result.level for key, result in found.results.items()}
    by_host = {key for key, result in found.results.items() if result.by_host}
    assert by_host == BY_HOST
    assert site.depends
    expected = {key: level for key, level in AFDOCS[name]["levels"].items() if key not in unknown}
    assert {key: level for key, level in levels.items() if key in expected} == expected


REFUSED = [
    ("https://docs.example.com/", "`docs.example.com` is not this machine"),
    ("http://10.0.0.1/", "`10.0.0.1` is not this machine"),
    ("http://localhost.example.com/", "is not this machine"),
    ("ftp://127.0.0.1/", "is no address of the form"),
    ("nowhere", "there is no folder `nowhere`"),
]


@pytest.mark.parametrize(("target", "says"), REFUSED)
def test_only_folders_and_servers_on_this_machine_are_read(target: str, says: str) -> None:
    with pytest.raises(TwinpressError, match=says):
        score_of(target, quiet)


def test_nothing_is_asked_of_another_host_that_pages_and_indexes_name(tmp_path: Path) -> None:
    files = build_it(8000)
    files["llms.txt"] += "\n- [Away](https://elsewhere.example/a.md)\n"
    files["robots.txt"] += "\nSitemap: https://elsewhere.example/sitemap.xml\n"
    site, _ = score_of(str(write_site(tmp_path / "dist", files)), quiet)
    assert site.broken == ()
    assert all(page.url.startswith("http://127.0.0.1:8000/") for page in site.pages)


def test_a_site_without_an_address_is_read_too(tmp_path: Path) -> None:
    built = build_site(tmp_path / "site", {"site.yml": "title: T\n", "docs/a.md": "# A\n\nText.\n"})
    files = {path: built.text(path) for path in built.output.paths if path.endswith((".html", ".md", ".txt"))}
    site, found = score_of(str(write_site(tmp_path / "dist", files)), quiet)
    assert [page.url for page in site.pages] == ["http://localhost/docs/", "http://localhost/docs/a"]
    assert found.results["markdown-link-portability"].level == "warn"


def test_the_command_shows_a_card_and_json_and_its_exit_code(tmp_path: Path) -> None:
    good, broken = written(tmp_path / "a", "as built"), written(tmp_path / "b", "code without an end")
    assert twinpress("score", good, "--min", "90", cwd=tmp_path).returncode == 0
    shown = twinpress("score", broken, "--min", "90", cwd=tmp_path)
    assert shown.returncode == 1
    assert "FAIL markdown-code-fence-validity" in shown.stdout
    assert "/docs/p0: line " in shown.stdout
    told = json.loads(twinpress("score", broken, "--format", "json", cwd=tmp_path).stdout)
    assert {type(each["share"]) for each in told["checks"]} == {float}
    fences = next(each for each in told["checks"] if each["id"] == "markdown-code-fence-validity")
    assert (fences["level"], len(fences["pages"])) == ("fail", 2)


def test_a_score_of_100_does_not_hide_that_a_check_failed(tmp_path: Path) -> None:
    pages = {f"docs/p{number}.md": f"# Page {number}\n\n{'A text. ' * 20}\n" for number in range(20)}
    settings = "title: T\ndescription: About it.\nurl: https://docs.example.com\n"
    built = build_site(tmp_path / "site", {"site.yml": settings, **pages})
    files = {path: built.text(path) for path in built.output.paths if path.endswith((".html", ".md", ".txt"))}
    files["docs/p7.md"] += "\n```\nwithout an end\n"
    shown = twinpress("score", write_site(tmp_path / "dist", files), cwd=tmp_path)
    assert shown.stdout.split(" (")[0] == "100 of 100 for agents, 1 check failed"
    assert shown.returncode == 1


LARGE = {
    "site.yml": "title: T\ndescription: About it.\nurl: https://docs.example.com\n",
    "docs/index.md": f"---\ntitle: Start\n---\n{'A text. ' * 20}\n",
    **{
        f"docs/{folder}/p{number}.md": f"# {folder} {number}\n\n{'A text. ' * 20}\n"
        for folder in ("a", "b", "b/inner")
        for number in range(12)
    },
}
PART = "docs/b/inner/llms.txt"
URL = "https://docs.example.com"
BREAKS = [
    ("nothing", PART, "", {}),
    (
        "a dead link",
        PART,
        "- [Gone](https://docs.example.com/docs/gone.md)\n",
        {"llms-txt-links-resolve": "warn"},
    ),
    ("too many characters", PART, "x" * 50_000, {"llms-txt-size": "warn"}),
    ("code without an end", PART, "\n```\ncode\n", {"markdown-code-fence-validity": "fail"}),
    ("a way back", PART, f"- [Up]({URL}/llms.txt)\n", {}),
]


@pytest.mark.parametrize(("name", "part", "more", "levels"), BREAKS, ids=[each[0] for each in BREAKS])
def test_the_parts_of_an_index_are_looked_at_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, part: str, more: str, levels: dict[str, str]
) -> None:
    monkeypatch.setattr(llms_index, "LONGEST", 1_300)
    built = build_site(tmp_path / "site", LARGE)
    kept = (".html", ".md", ".txt", ".xml")
    files = {path: built.text(path) for path in built.output.paths if path.endswith(kept)}
    files[part] += more
    site, found = score_of(str(write_site(tmp_path / "dist", files)), quiet)
    assert len(site.parts) == 5
    assert len(site.listed) == 40 + (name == "a dead link")
    index = {
        key: each.level for key, each in found.results.items() if key.startswith(("llms", "markdown-code"))
    }
    assert {key: level for key, level in index.items() if level != "pass"} == levels
    assert "6 files" in found.results["llms-txt-size"].message
