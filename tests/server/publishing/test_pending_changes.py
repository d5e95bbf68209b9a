"""An owner sees what readers do not have yet, with who has changed it, and which addresses would vanish."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from builder.site import load
from builder.store import ChangeNote, ContentStore, Replacement
from server.control.sqlite.local_database import OUTER, STATE
from server.history import History
from server.publishing.make_release import ReleaseMaker, ReleaseNews, ReleaseOrder
from server.publishing.parts import PublishedFolders
from server.publishing.pending_changes import (
    ChangedTexts,
    PendingChange,
    PendingChanges,
    PendingSource,
    pending,
    texts,
)
from server.publishing.run_build import Stop
from tests.sites import write_site

pytestmark = pytest.mark.usefixtures("forked_builds")

SITE = {
    "site.yml": "title: Boats\nredirects:\n  /chat: https://chat.example\n",
    "docs/index.md": "# Boats\n\nThe harbour is open.\n",
    "docs/fees.md": "# Fees\n\n## Berths\n",
    "docs/tides.md": "# Tides\n",
    "docs/plan.png": b"\x89PNG\0",
    "docs/secret.md": "---\ndraft: true\n---\n# Secret\n",
}


class Harbour(Struct):
    """A hosted site that is open."""

    source: PendingSource
    store: ContentStore

    def publish(self) -> None:
        """Make a release."""
        maker = ReleaseMaker(self.store, self.source.work, self.source.releases, time.time)
        quiet = ReleaseNews(*[lambda _: None] * 4)
        maker.make(ReleaseOrder("free", "http://boats.localhost", "me", despite_errors=True), quiet, Stop())

    def save(self, path: str, text: str, label: str = "Anna") -> None:
        """Save a page as somebody does."""
        self.store.write(path, "md", text, note=ChangeNote("", label))

    def pending(self) -> PendingChanges:
        """All that waits."""
        return pending(self.source, load(self.store))

    def told(self) -> list[str]:
        """The changes in a line each."""
        return [
            " ".join((each.kind, each.what, each.path, each.former)).strip()
            for each in self.pending().changes
        ]

    def only(self) -> PendingChange:
        """The one change."""
        (found,) = self.pending().changes
        return found


@pytest.fixture
def harbour(tmp_path: Path) -> Iterator[Harbour]:
    root = write_site(tmp_path / "sites/1", SITE)
    folders = PublishedFolders(tmp_path)
    with History(root / OUTER / STATE) as history, ContentStore(root, history) as store:
        yield Harbour(PendingSource(root, history, folders.releases("1"), folders.work("1")), store)


def test_before_the_first_release_all_is_new_but_the_drafts(harbour: Harbour) -> None:
    found = harbour.pending()
    assert (found.live, found.is_empty, found.vanished) == (0, False, ())
    assert [each.path for each in found.drafts] == ["docs/secret"]
    assert harbour.told() == [
        "added settings site.yml",
        "added page docs/fees",
        "added page docs/index",
        "added page docs/tides",
        "added file docs/plan.png",
    ]
    assert found.count("added") == 5
    assert found.count("added", "page") == 3


def test_each_change_is_told_with_its_texts_and_who_made_it(harbour: Harbour) -> None:
    harbour.publish()
    assert harbour.pending().is_empty
    mark = harbour.pending().mark
    assert harbour.pending().mark == mark
    began = int(time.time())
    harbour.save("docs/tides", "# Tides\n\nHigh.\n")
    change = harbour.only()
    assert harbour.pending().mark != mark
    assert (change.kind, change.what, change.path, change.title) == ("changed", "page", "docs/tides", "Tides")
    assert change.revision is not None
    assert (change.revision.note.label, change.revision.outside) == ("Anna", False)
    assert began <= change.when <= time.time()
    name = "docs/tides.md"
    assert texts(harbour.source, change) == [ChangedTexts(name, name, "# Tides\n", "# Tides\n\nHigh.\n")]
    harbour.publish()
    assert (harbour.pending().live, harbour.pending().is_empty) == (2, True)


def test_drafts_wait_until_they_are_none(harbour: Harbour) -> None:
    harbour.publish()
    harbour.save("docs/secret", "---\ndraft: true\n---\n# More secrets\n")
    harbour.save("docs/tides", "---\ndraft: true\n---\n# Tides\n")
    found = harbour.pending()
    assert harbour.told() == ["removed page docs/tides"]
    assert [each.path for each in found.drafts] == ["docs/secret", "docs/tides"]
    assert [each.address for each in found.vanished] == ["/docs/tides"]
    harbour.save("docs/secret", "# No secret\n")
    assert harbour.told() == ["added page docs/secret", "removed page docs/tides"]


def test_a_removed_page_has_its_title_and_leaves_an_address_without_an_answer(harbour: Harbour) -> None:
    harbour.publish()
    harbour.store.delete("docs/fees", note=ChangeNote("", "Ben"))
    change = harbour.only()
    assert (change.kind, change.title, change.revision and change.revision.note.label) == (
        "removed",
        "Fees",
        "Ben",
    )
    assert texts(harbour.source, change) == [ChangedTexts("docs/fees.md", "", "# Fees\n\n## Berths\n", "")]
    assert [(each.address, each.target) for each in harbour.pending().vanished] == [("/docs/fees", None)]


def test_a_removed_page_has_the_title_that_readers_saw(harbour: Harbour) -> None:
    settings = "title: Boats\nextras: [keys]\nvariables: {product: Quay}\n"
    write_site(harbour.source.root, {"site.yml": settings})
    harbour.store.write("docs/keys", "mdx", "# Press ++ctrl+s++ in %{product}\n", note=ChangeNote("", "Ben"))
    harbour.publish()
    harbour.store.delete("docs/keys", note=ChangeNote("", "Ben"))
    assert harbour.only().title == "Press Ctrl+S in Quay"


def test_a_page_of_the_same_title_is_where_readers_are_led(harbour: Harbour) -> None:
    harbour.publish()
    harbour.store.delete("docs/fees")
    harbour.save("docs/money/costs", "---\ntitle: Fees\n---\nAll new.\n")
    found = harbour.pending()
    assert [(each.address, each.target) for each in found.vanished] == [("/docs/fees", "/docs/money/costs")]


def test_a_page_that_was_moved_and_changed_has_moved(harbour: Harbour) -> None:
    harbour.publish()
    data = harbour.store.read_file("docs/fees.md")
    move = Replacement(
        {"docs/fees.md": data, "docs/money/costs.md": None},
        {"docs/fees.md": None, "docs/money/costs.md": data},
    )
    harbour.store.put_back(move, note=ChangeNote("", "Anna"))
    harbour.save("docs/money/costs", "# Costs\n", "Ben")
    assert harbour.told() == ["moved page docs/money/costs docs/fees"]
    change = harbour.only()
    assert change.revision is not None
    assert change.revision.note.label == "Ben"
    assert texts(harbour.source, change) == [
        ChangedTexts("docs/fees.md", "docs/money/costs.md", "# Fees\n\n## Berths\n", "# Costs\n")
    ]
    found = harbour.pending().vanished
    assert [(each.address, each.target) for each in found] == [("/docs/fees", "/docs/money/costs")]
    write_site(
        harbour.source.root, {"site.yml": "title: Boats\nredirects:\n  /docs/fees: /docs/money/costs\n"}
    )
    assert [(each.address, each.target) for each in harbour.pending().vanished] == [
        ("/chat", "https://chat.example")
    ]


def test_files_whose_names_are_no_text_are_told(harbour: Harbour) -> None:
    for name in (b"docs/b\xff.md", b"docs/d\xfd", b"static/c\xfe.png"):
        place = harbour.source.root / os.fsdecode(name)
        place.parent.mkdir(exist_ok=True)
        place.write_text("x")
    assert harbour.pending().left_out == (r"docs/b\xff.md", r"docs/d\xfd", r"static/c\xfe.png")


def test_files_that_the_history_does_not_have_are_told_with_their_time(harbour: Harbour) -> None:
    harbour.publish()
    write_site(harbour.source.root, {"site.yml": "title: Ships\n", "static/a.bin": b"\xff\0"})
    (harbour.source.root / "docs/plan.png").unlink()
    assert harbour.told() == [
        "changed settings site.yml",
        "removed file docs/plan.png",
        "added file static/a.bin",
    ]
    settings, gone, added = harbour.pending().changes
    assert abs(settings.when - time.time()) < 60
    assert (gone.when, gone.revision) == (0, None)
    (text,) = texts(harbour.source, added)
    assert (text.before, text.after) == ("", None)
    assert [each.address for each in harbour.pending().vanished] == ["/chat", "/docs/plan.png"]


def test_what_waits_is_the_same_while_a_snapshot_is_made(harbour: Harbour) -> None:
    harbour.publish()
    harbour.save("docs/tides", "# Tides\n\nHigh.\n")
    before = harbour.told()
    for path in harbour.source.work.glob("*.msgpack"):
        path.unlink()
    assert harbour.told() == before == ["changed page docs/tides"]


def test_after_a_roll_back_what_waits_is_told_beside_what_readers_have(harbour: Harbour) -> None:
    harbour.publish()
    harbour.save("docs/tides", "# Tides\n\nHigh.\n")
    harbour.publish()
    harbour.source.releases.roll_back(1, int(time.time()))
    assert harbour.told() == ["changed page docs/tides"]


MOVING = [
    ("docs_at: /\n", "", {"/docs/fees": "/fees", "/docs/": "/", "/docs/tides": "/tides"}),
    ("", "trailing_slash: true\n", {}),
    ("extras: [slug]\n", "---\nslug: /x\n---\n# Fees\n", {"/docs/fees": "/x"}),
]


@pytest.mark.parametrize(("settings", "page", "moved"), MOVING)
def test_pages_that_settings_or_slugs_move_are_no_new_ones(
    harbour: Harbour, settings: str, page: str, moved: dict[str, str]
) -> None:
    harbour.publish()
    root = harbour.source.root
    file = root / "site.yml"
    file.write_text(file.read_text() + settings)
    if page:
        harbour.store.delete("docs/fees", note=ChangeNote("", "Ben"))
        harbour.store.write("docs/fees", "mdx", page)
    found = harbour.pending()
    assert not {each.kind for each in found.changes} & {"added", "removed"}
    lost = {each.address: each.target for each in found.vanished}
    assert lost.items() <= {**moved, "/docs/plan.png": "/plan.png"}.items()
    assert found.moved == moved
    harbour.publish()
    file.write_text(file.read_text().replace(settings, ""))
    back = harbour.pending()
    assert {new: old for old, new in back.moved.items()} == moved
    assert not {each.kind for each in back.changes} & {"added", "removed"}
