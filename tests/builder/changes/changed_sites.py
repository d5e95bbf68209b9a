"""Sites that are changed by plans, for tests: the plan is made as the server makes it, and put on disk."""

from __future__ import annotations

from pathlib import Path

from builder.changes.plan_changes import ChangesPlan, plan_changes
from builder.changes.steps import Step
from builder.changes.steps_outcome import RefusedStep
from builder.config.settings_text import redirects_in
from builder.review import Review
from builder.store import ContentStore

MOST = 1_000


def planned(root: Path, *steps: Step, most: int = MOST) -> ChangesPlan:
    """The plan of a change of the site in `root`."""
    with ContentStore(root) as store:
        review = Review(root, store)
        return plan_changes(review, review.site(), steps, most)


def changed(root: Path, *steps: Step, most: int = MOST) -> ChangesPlan:
    """The same, which is made then."""
    with ContentStore(root) as store:
        review = Review(root, store)
        plan = plan_changes(review, review.site(), steps, most)
        store.put_back(plan.replacement)
        for page in plan.pages:
            if not page.deleted:
                assert store.read(page.path, any_size=True).revision == page.revision
        return plan


def refused(root: Path, *steps: Step, most: int = MOST) -> RefusedStep:
    """Return why a change is refused; nothing of the site is another then."""
    before = content(root)
    try:
        planned(root, *steps, most=most)
    except RefusedStep as error:
        assert content(root) == before
        return error
    raise AssertionError("the change is not refused")


def content(root: Path) -> dict[str, bytes]:
    """All files of a site but for what Twinpress keeps."""
    files = (path for path in root.rglob("*") if path.is_file() and ".twinpress" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def told(plan: ChangesPlan) -> dict[str, list[str]]:
    """The codes that are told of each page."""
    return {page.path: [one.code for one in page.diagnostics or ()] for page in plan.pages}


def redirects(root: Path) -> dict[str, str]:
    """The redirects of `site.yml`, but for the twins'."""
    found = redirects_in((root / "site.yml").read_text())
    return {old: str(new) for old, new in found.items() if not old.endswith(".md")}
