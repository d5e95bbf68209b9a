"""Any changes in any order: once they are undone, the same bytes are there again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from builder.changes.plan_changes import plan_changes
from builder.changes.steps import (
    CategoryStep,
    DeleteCategoryStep,
    DeleteStep,
    EditStep,
    LineReplacement,
    MoveStep,
    RedirectStep,
    Step,
    TextReplacement,
    WriteStep,
)
from builder.changes.steps_outcome import RefusedStep
from builder.review import Review
from builder.store import ContentStore, Replacement
from tests.builder.changes.changed_sites import content
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\nredirects:\n  /gone: /docs/a\n",
    "docs/a.mdx": "---\ntitle: A\n---\n\nA, see [b](./b) and [c](g/c.md)\n",
    "docs/b.md": "\ufeff# B\r\n\r\n[a](a.mdx)\r\n",
    "docs/b.llms.md": "B for machines\n",
    "docs/g/_category_.yml": "# kept\nlabel: G\n",
    "docs/g/c.md": "C, see [a](/docs/a)\n",
    "docs/g/index.mdx": "---\nbroken: [\n---\n\nG\n",
    "pages/p.md": "P\n",
}
PATHS = st.sampled_from(
    ["docs/a", "docs/b", "docs/g/c", "docs/g/index", "pages/p", "docs/x", "docs/g/y", "docs/h/z"]
)
FOLDERS = st.sampled_from(["docs/g", "docs/h", "docs/new"])
TEXT = st.text(st.sampled_from("ab[]()./#-\n\r\ufeff: é"), max_size=30)
FIELDS = st.dictionaries(
    st.sampled_from(["title", "draft", "tags", "other"]),
    st.one_of(st.none(), st.booleans(), TEXT, st.lists(TEXT, max_size=2)),
    max_size=2,
)
EDITS = st.one_of(
    st.builds(TextReplacement, st.sampled_from(["A", "see", "#", "\n", "zz"]), TEXT, st.booleans()),
    st.builds(LineReplacement, st.integers(1, 4), st.integers(0, 4), TEXT),
)
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(WriteStep, PATHS, st.sampled_from(["md", "mdx"]), FIELDS, TEXT, st.one_of(st.none(), TEXT)),
    st.builds(EditStep, PATHS, st.lists(EDITS, max_size=2).map(tuple), FIELDS, st.sampled_from([None, "*"])),
    st.builds(DeleteStep, PATHS),
    st.builds(MoveStep, st.one_of(PATHS, FOLDERS), st.one_of(PATHS, FOLDERS), st.booleans()),
    st.builds(CategoryStep, FOLDERS, st.just({"label": "L"})),
    st.builds(DeleteCategoryStep, FOLDERS),
    st.builds(RedirectStep, st.sampled_from(["/gone", "/docs/x"]), st.sampled_from([None, "/docs/b"])),
)


@settings(max_examples=60)
@given(st.lists(st.lists(STEPS, min_size=1, max_size=4).map(tuple), min_size=1, max_size=4))
def test_any_changes_that_are_undone_leave_the_same_bytes(changes: list[tuple[Step, ...]]) -> None:
    with tempfile.TemporaryDirectory() as place, ContentStore(write_site(Path(place), SITE)) as store:
        root, done = Path(place), list[tuple[dict[str, bytes], Replacement]]()
        review = Review(root, store)
        for steps in changes:
            before = content(root)
            try:
                plan = plan_changes(review, review.site(), steps, 100)
            except RefusedStep:
                assert content(root) == before
                continue
            store.put_back(plan.replacement)
            done.append((before, plan.replacement))
            for page in plan.pages:
                if not page.deleted:
                    assert store.read(page.path, any_size=True).revision == page.revision
        for before, replacement in reversed(done):
            old = {file: replacement.expected[file] for file in replacement.wanted}
            store.put_back(Replacement(replacement.wanted, old))
            assert content(root) == before
