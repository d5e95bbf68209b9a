"""Any sequence of moves in one change: readers are led from each old address to where its page is then."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from builder.changes.steps import DeleteStep, MoveStep, Step, WriteStep
from builder.changes.steps_outcome import RefusedStep
from builder.config import SiteConfig
from builder.moves.redirect_plan import key_in, own_redirects, patterns_of
from builder.plan.patterns import first
from builder.site import Site, load
from builder.store import ContentStore
from tests.builder.changes.changed_sites import changed, planned
from tests.sites import write_site

PAGES = ("docs/a", "docs/b", "docs/g/c", "docs/g/d", "docs/g/h/e")
NAMES = (*PAGES, "docs/x", "docs/y", "docs/g/x", "docs/k/a")
FOLDERS = ("docs/g", "docs/g/h", "docs/k", "docs/m", "docs/k/h")
SETTINGS = """title: T
redirects:
  /docs/x: https://other.example/
  /docs/y: /docs/a
  /old: /docs/g/c
  /docs/k/*: /docs/b
"""
STEPS = st.one_of(
    st.builds(MoveStep, st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.builds(MoveStep, st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.builds(MoveStep, st.sampled_from(FOLDERS), st.sampled_from(FOLDERS)),
    st.builds(DeleteStep, st.sampled_from(NAMES)),
    st.builds(lambda path: WriteStep(path, "md", {"title": f"new {path}"}, "New.\n"), st.sampled_from(NAMES)),
)


def loaded(root: Path) -> Site:
    with ContentStore(root) as store:
        return load(store, drafts=True)


def led(config: SiteConfig, address: str) -> str | None:
    """Return where a redirect of the site leads from an address, None for nowhere."""
    own = own_redirects(config)
    exact = key_in(own, address)
    return own[exact] if exact else first(patterns_of(own), address)


def check(before: Site, after: Site) -> None:
    """Hold the redirects of a site against where its pages were."""
    old = {page.title: page.url for page in before.pages}
    new = {page.title: page.url for page in after.pages}
    taken = set(new.values())
    for title, address in old.items():
        if title in new and address != new[title] and address not in taken:
            assert led(after.config, address) == new[title], (title, address)
    known, own = own_redirects(before.config), own_redirects(after.config)
    assert {one for one in own if not one.endswith((".md", "/"))} <= {*known, *old.values()}
    assert own["/docs/x"] == known["/docs/x"]
    assert "/docs/y" in own or "/docs/y" in taken


def possible(root: Path, steps: list[Step]) -> list[Step]:
    """The steps but for those that refuse the change as it is with them."""
    found: list[Step] = []
    for step in steps:
        try:
            planned(root, *found, step)
        except RefusedStep:
            continue
        found.append(step)
    return found


@given(st.lists(STEPS, min_size=1, max_size=6))
def test_old_addresses_lead_to_where_pages_are_and_no_others(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = {f"{path}.md": f"---\ntitle: page {path}\n---\nText.\n" for path in PAGES}
        root = write_site(Path(folder) / "site", {"site.yml": SETTINGS, **files})
        before = loaded(root)
        changed(root, *possible(root, steps))
        check(before, loaded(root))
