"""Pages of vanished addresses are found where they are now, and redirects of redirects are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.build import build
from builder.output import FolderOutput, MemoryOutput
from builder.plan.addresses import Addresses, addresses_of, read_addresses
from builder.plan.layout import lay_out
from builder.plan.vanished import Vanished
from builder.site import load
from builder.store import ContentStore
from server.static_targets.former_site import site_at, site_at_commit
from server.static_targets.vanished_findings import findings, vanished_since
from tests.server.static_targets.git_remote import git
from tests.sites import write_site

TEXT = "\n\n".join(
    f"The {word} of the harbour is told here, with all that is known of it."
    for word in (
        "depth",
        "width",
        "master",
        "pilot",
        "tide",
        "wharf",
        "crane",
        "light",
        "bell",
        "mole",
        "gate",
        "basin",
    )
)
OTHER = "\n\n".join(
    f"Somebody writes of {word} as well, and of other things by the sea."
    for word in (
        "gulls",
        "nets",
        "rope",
        "salt",
        "sails",
        "tar",
        "boats",
        "knots",
        "fish",
        "ice",
        "wind",
        "sand",
    )
)
BEFORE = {
    "site.yml": "title: T\n",
    "docs/intro.md": f"# Begin here\n\n{OTHER}\n",
    "docs/pilot.md": f"# The harbour\n\n{TEXT}\n",
    "docs/kept.md": "# Kept\n",
}
HALF = TEXT[: len(TEXT) // 2]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site of three pages, in a repository."""
    made = write_site(tmp_path / "site", BEFORE)
    git(made, "init", "-q")
    git(made, "add", "-A")
    git(made, "commit", "-qm", "Begin")
    return made


def _addresses(site: Path) -> Addresses:
    with ContentStore(site) as store:
        return addresses_of(lay_out(load(store)))


@pytest.mark.parametrize("way", ["a built folder", "a commit"])
def test_pages_are_found_by_their_title_and_by_their_text(site: Path, tmp_path: Path, way: str) -> None:
    build(site, FolderOutput(tmp_path / "out"))
    (site / "docs/intro.md").unlink()
    (site / "docs/pilot.md").unlink()
    write_site(
        site,
        {
            "docs/zz/1.md": "# Begin here\n\nAll of it is new.\n",
            "docs/zz/2.md": f"# Of pilots\n\n{HALF}\n",
            "docs/zz/3.md": "# Something else\n",
        },
    )
    before = (
        site_at(str(tmp_path / "out"), "")
        if way == "a built folder"
        else site_at_commit("HEAD", site, _addresses)
    )
    found = vanished_since(before, _addresses(site), site, asks_git=way == "a commit")
    assert {each.address: each.target for each in found.addresses} == {
        "/docs/intro": "/docs/zz/1",
        "/docs/pilot": "/docs/zz/2",
    }


def test_git_is_asked_first_and_titles_come_before_likeness(site: Path) -> None:
    git(site, "mv", "docs/pilot.md", "docs/renamed.md")
    write_site(site, {"docs/z.md": f"# The harbour\n\n{HALF}\n"})
    git(site, "add", "-A")
    git(site, "commit", "-qm", "Change")
    before = site_at_commit("HEAD^", site, _addresses)
    for asks_git, target in ((True, "/docs/renamed"), (False, "/docs/renamed")):
        found = vanished_since(before, _addresses(site), site, asks_git=asks_git)
        assert [(each.address, each.target) for each in found.addresses] == [("/docs/pilot", target)]


AT_ONCE = [("redirect-chain", 2, "let it lead to `/docs/kept` at once")]
RULES = {
    "a chain": ("  /a: /b\n  /b: /docs/kept\n", AT_ONCE),
    "by a pattern": ("  /a: /p/kept\n  /p/*: /docs/*\n", AT_ONCE),
    "two patterns": ("  /p/*: /q/*\n  /q/*: /docs/*\n",
                     [("redirect-chain", 2, "let it lead to `/docs/*` at once")]),
    "a circle of patterns": ("  /p/*: /q/*\n  /q/*: /p/*\n", [
        ("redirect-invalid", 2, "let one of the circle lead to a page"),
        ("redirect-invalid", 3, "let one of the circle lead to a page"),
    ]),
    "neither": ("  /a: /docs/kept\n  /p/*: /docs/*\n  /x/:y: https://o.example/:y\n", []),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "told"), RULES.values(), ids=list(RULES))
def test_chains_and_circles_are_told(site: Path, rules: str, told: list[tuple[str, int, str]]) -> None:
    write_site(site, {"site.yml": f"redirects:\n{rules}"})
    former = site_at_commit("HEAD", site, _addresses)
    found = sorted(findings(site, former, Vanished()))
    assert [(each.code, each.line, each.hint) for each in found] == told


def test_a_list_of_a_build_tells_of_the_same_addresses(site: Path) -> None:
    output = MemoryOutput()
    build(site, output)
    listed = read_addresses((output.get("_tp/urls.txt") or b"").decode())
    assert listed.places.keys() == _addresses(site).places.keys()
