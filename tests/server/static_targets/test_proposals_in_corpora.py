"""Random renames, moves, splits and deletions in documentation of others: all are told, and found again."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from msgspec import Struct

from builder.plan.addresses import Addresses, addresses_of
from builder.plan.layout import lay_out
from builder.site import load
from builder.store import ContentStore
from server.static_targets.former_site import FormerSite, page_texts, site_at_commit
from server.static_targets.vanished_findings import vanished_since
from tests.corpora import copied
from tests.server.static_targets.git_remote import git

ACTS = ("rename", "rename", "move", "move", "rewrite", "split", "delete")
NAMES = (
    "setup",
    "basics",
    "overview-of-it",
    "part",
    "deep-dive",
    "how-it-works",
    "notes",
    "the-rest",
    "more",
)
AT_ONCE = 10
WAYS = ("git", "text")
CASES = [
    *(pytest.param("jest", 20, way) for way in WAYS),
    *(pytest.param(name, 200, way, marks=pytest.mark.slow) for name in ("redux", "jest") for way in WAYS),
]


class _Changes(Struct):
    """The end of each address: the addresses that are right now, none for a page that was deleted."""

    right: dict[str, set[str]]


def _addresses(site: Path) -> Addresses:
    with ContentStore(site) as store:
        return addresses_of(lay_out(load(store)))


def _changed(site: Path, rng: random.Random) -> _Changes:
    """Change some pages, and commit that."""
    with ContentStore(site) as store:
        pages = [page for page in load(store).pages if page.url != "/"]
    changes = _Changes({})
    folders = sorted({page.folder for page in pages} | {f"docs/{rng.choice(NAMES)}"})
    for number, page in enumerate(rng.sample(pages, min(AT_ONCE, len(pages) // 3))):
        act, file = rng.choice(ACTS), site / page.file
        text, suffix = file.read_text(), file.suffix
        name = f"{rng.choice(NAMES)}-{number}"
        folder = rng.choice(folders) if act == "move" else page.folder
        new = f"{folder}/{page.path.rpartition('/')[2] if act == 'move' else name}"
        if act == "move" and (site / f"{new}{suffix}").exists():
            new = f"{folder}/{name}"
        file.unlink()
        changes.right[page.url] = set()
        if act == "delete":
            continue
        for part, (path, body) in enumerate(_parts(act, new, text, rng)):
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            (site / f"{path}{suffix}").write_text(body)
            changes.right[page.url].add(_url(path))
            assert part < 2
    git(site, "add", "-A")
    git(site, "commit", "-qm", "Change")
    return changes


def _parts(act: str, new: str, text: str, rng: random.Random) -> list[tuple[str, str]]:
    lines = text.split("\n")
    if act == "rewrite":
        head = 5 if text.startswith("---") else 1
        kept = [line for at, line in enumerate(lines) if at < head or rng.random() > 0.3]
        return [(new, "\n".join(kept).replace("title:", "title: About", 1))]
    if act == "split":
        half = len(lines) // 2
        return [(new, "\n".join(lines[:half])), (f"{new}-2", "# The rest\n\n" + "\n".join(lines[half:]))]
    return [(new, text)]


def _url(path: str) -> str:
    return f"/{path.removesuffix('index')}" if path.endswith("/index") else f"/{path}"


@pytest.mark.parametrize(("name", "wanted", "way"), CASES)
def test_each_vanished_address_is_told_and_most_have_the_right_redirect(
    tmp_path: Path, name: str, wanted: int, way: str
) -> None:
    site = copied(name, tmp_path / "site")
    (site / "site.yml").write_text("title: T\n")
    git(site, "init", "-q")
    git(site, "add", "-A")
    git(site, "commit", "-qm", "Begin")
    rng, counts, first = random.Random(f"{name}{way}"), Counter[str](), git(site, "rev-parse", "HEAD").strip()
    wrong = []
    while counts["told"] + counts["missed"] < wanted:
        texts = page_texts(site)
        former = (
            site_at_commit("HEAD", site, _addresses)
            if way == "git"
            else FormerSite("before", _addresses(site), text=texts.get)
        )
        changes = _changed(site, rng)
        found = vanished_since(former, _addresses(site), site, asks_git=way == "git").addresses
        told = {each.address: each.target for each in found}
        gone = (former.addresses.places.keys() - _addresses(site).places.keys()) & changes.right.keys()
        counts["missed"] += len(gone - told.keys())
        counts["told"] += len(gone & told.keys())
        lists = {address for address in former.addresses.places if address.endswith("/")}
        counts["false"] += len(told.keys() - gone - lists)
        for address in gone:
            if changes.right[address]:
                is_right = told.get(address) in changes.right[address]
                counts["right" if is_right else "wrong"] += 1
                wrong += [] if is_right else [(address, told.get(address), changes.right[address])]
        git(site, "reset", "-q", "--hard", first)
    assert (counts["missed"], counts["false"]) == (0, 0)
    assert counts["right"] >= 0.9 * (counts["right"] + counts["wrong"]), wrong
