"""Random moves in documentation of others: no link breaks, no address vanishes, and each can be undone."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from builder.build import build
from builder.output import MemoryOutput
from builder.plan.addresses import Addresses, read_addresses
from builder.plan.vanished import vanished_addresses
from server.cli.actions import move_page, page_history
from server.history import History
from tests.corpora import copied

BROKEN = frozenset({"broken-link", "broken-anchor", "broken-image", "redirect-invalid", "path-conflict"})
CASES = [
    pytest.param("jest", 2, 1),
    *(pytest.param(name, 50, 2, marks=pytest.mark.slow) for name in ("redux", "jest")),
]


def _built(site: Path) -> tuple[Counter[tuple[str, str]], Addresses]:
    output = MemoryOutput()
    found = build(site, output).diagnostics
    broken = Counter((one.code, one.message) for one in found if one.code in BROKEN)
    return broken, read_addresses((output.get("_tp/urls.txt") or b"").decode())


def _bytes(site: Path) -> dict[str, bytes]:
    files = (file for file in site.rglob("*") if file.is_file() and ".twinpress" not in file.parts)
    return {file.relative_to(site).as_posix(): file.read_bytes() for file in files}


def _move(site: Path, rng: random.Random) -> tuple[str, str]:
    """A page that gets another name or folder, or a folder that gets another name."""
    pages = sorted(file for file in (site / "docs").rglob("*.md*") if "/_" not in file.as_posix())
    folders = sorted(path for path in (site / "docs").rglob("*") if path.is_dir())
    name = f"moved-{rng.randrange(10**6)}"
    if folders and rng.random() < 0.3:
        folder = rng.choice(folders).relative_to(site).as_posix()
        return f"{folder}/", rng.choice([f"{folder.rpartition('/')[0]}/{name}", f"docs/{name}/deeper"])
    page = rng.choice(pages).relative_to(site)
    place = rng.choice(
        [
            page.parent.as_posix(),
            "docs",
            f"docs/{name}",
            *(folder.relative_to(site).as_posix() for folder in folders),
        ]
    )
    return page.as_posix(), f"{place}/{name}"


@pytest.mark.parametrize(("name", "moves", "seed"), CASES)
def test_random_moves_break_nothing_and_can_be_undone(
    tmp_path: Path, name: str, moves: int, seed: int
) -> None:
    site = copied(name, tmp_path / "site")
    (site / "site.yml").write_text("# Theirs\ntitle: T\n")
    rng = random.Random(f"{name}{seed}")
    (broken, addresses), before = _built(site), _bytes(site)
    for _ in range(moves):
        old, new = _move(site, rng)
        assert move_page.run(old=old, new=new, site=site, no_redirect=False, dry_run=False) == 0
        now, left = _built(site)
        assert sum(now.values()) <= sum(broken.values()), (old, new, now - broken)
        assert vanished_addresses(addresses, left) == (), (old, new)
        with History(site / ".twinpress/state") as kept:
            revision = kept.revisions("", 1)[0].id
        assert page_history.undo(revision=revision, key="", leave_conflicts=False, site=site) == 0
        assert _bytes(site) == before, (old, new)
