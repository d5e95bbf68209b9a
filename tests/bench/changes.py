"""The plans of whole changes, as the server makes them: medians of processor time and by the clock.

python -m tests.bench.changes [--runs 3] [PAGES...]

To compare two states of the code on a machine that others use, run both by turns and look at processor time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from builder.changes.plan_changes import plan_changes
from builder.changes.steps import (
    DeleteStep,
    EditStep,
    MoveStep,
    RedirectStep,
    Step,
    TextReplacement,
    WriteStep,
)
from builder.review import Review
from builder.store import ContentStore

FOLDER = 50
"""Pages in a folder."""
BODY = "\n\n".join(f"Paragraph {number} of some words, as they stand in a guide." for number in range(40))


def site(root: Path, pages: int) -> Path:
    """A site whose pages link to their neighbours, and each folder to the first one."""
    (root / "site.yml").write_text("title: Bench\nnav:\n  - label: One\n    href: /docs/f0/p0\n")
    for number in range(pages):
        folder, name = divmod(number, FOLDER)
        text = f"---\ntitle: Page {number}\n---\n\n{BODY}\n\n[next](./p{(name + 1) % FOLDER})\n"
        text += "\n[first](/docs/f0/p0)\n" if name == 0 else ""
        file = root / f"docs/f{folder}/p{name}.mdx"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def changes() -> dict[str, tuple[Step, ...]]:
    """Changes by name."""
    edits = [
        EditStep(f"docs/f1/p{n}", (TextReplacement("Paragraph 3 of", "Section 3 of"),)) for n in range(50)
    ]
    return {
        "write one page": (WriteStep("docs/new", "mdx", {}, "New.\n"),),
        "write 200 pages": tuple(
            WriteStep(f"docs/new/n{n}", "mdx", {"title": f"N{n}"}, f"{BODY}\n[n](./n{n - 1})\n")
            for n in range(200)
        ),
        "edit 50 pages": tuple(edits),
        "delete a page": (DeleteStep("docs/f1/p7"),),
        "delete the first page": (DeleteStep("docs/f0/p0"),),
        "move a page": (MoveStep("docs/f1/p7", "docs/f2/moved"),),
        "move a folder": (MoveStep("docs/f3", "docs/manual"),),
        "move 20 pages": tuple(MoveStep(f"docs/f4/p{n}", f"docs/f5/m{n}") for n in range(20)),
        "add a redirect": (RedirectStep("/old", "/docs/f0/p0"),),
    }


def main() -> None:
    """Print the medians for each change of sites with so many pages, at least 300."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("pages", type=int, nargs="*", default=[1_000, 10_000])
    given = parser.parse_args()
    for count in given.pages:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
            root = site(Path(place), count)
            with ContentStore(root) as store:
                review = Review(root, store)
                review.site()
                time.sleep(0.1)
                review.site()  # what is older than a moment is known from now on
                for name, steps in changes().items():
                    _time(review, f"{count:6,} pages, {name:22}", steps, given.runs)


def _time(review: Review, what: str, steps: tuple[Step, ...], runs: int) -> None:
    looks, plans, clock = list[float](), list[float](), list[float]()
    for _ in range(runs):
        started = time.process_time()
        now = review.site()
        looked, began = time.process_time(), time.perf_counter()
        plan = plan_changes(review, now, steps, 20_000)
        clock.append(1000 * (time.perf_counter() - began))
        plans.append(1000 * (time.process_time() - looked))
        looks.append(1000 * (looked - started))
    left = "" if plan.broken is not None else ", links not looked at"
    unread = sum(1 for page in plan.pages if page.diagnostics is None)
    left += f", {unread} pages not reviewed" if unread else ""
    times = f"{median(looks):6.0f} ms to look at the site, {median(plans):6.0f} ms to plan"
    print(f"{what} {times}, {median(clock):6.0f} ms by the clock{left}", flush=True)


if __name__ == "__main__":
    main()
