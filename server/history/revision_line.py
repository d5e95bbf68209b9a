"""The line of revisions, and what is added at its end.

A layer below `fold`: it knows neither locks nor pending changes on disk.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from dulwich.objects import Blob

from builder.store import ChangeNote, KeptBytes
from builder.store.names import SETTINGS, is_content, is_text
from server.history import commits
from server.history.forest import Forest
from server.history.objects import Repository
from server.history.revision import Blobs, HistoryEntry, Revision

BEGIN = "begin"
"""What the first revision does; it lists no files, as it would have to list all."""
FILES = "files"
"""What it is about where pages were kept before."""
BROUGHT = "import"


class Line:
    """Adds revisions behind the last one; `source` is the ID of the pending changes.

    `head` is the newest, and `kept` the contents of the files that were changed. `has_files` says whether
    versions of files beside pages were added.
    """

    def __init__(self, repository: Repository, source: str) -> None:
        self._repository = repository
        self._source = source
        self.head = repository.head
        self.kept: dict[str, str] = {}
        self._forest = Forest(repository, repository.tree_of(self.head) if self.head else None)
        self.covers_files = self.head is not None and repository.covers_files(self.head)
        self.has_files = False

    def begin(
        self,
        present: Mapping[str, str],
        entries: list[HistoryEntry],
        settings: Iterable[tuple[int, bytes]] = (),
    ) -> None:
        """The first revision: the site as it was before these changes, which `present` has already.

        In a history that has pages alone, that of the other files. `settings` are earlier versions of
        `site.yml` that were kept elsewhere, with the times at which they were replaced.
        """
        first = self._before(present, entries)
        about = "" if self.head is None else FILES
        for file, blob in first.items():
            if not about or not is_content(file):
                self._forest.put(file, blob)
        self.covers_files = True
        when = entries[0].time if entries else time.time()
        for replaced, data in settings:
            self._bring(replaced, self._blob(SETTINGS, data), when)
        self._forest.put(SETTINGS, first.get(SETTINGS))
        self._append(Revision("", when, ChangeNote(act=BEGIN, about=about), (), (), (), outside=True))

    def _before(self, present: Mapping[str, str], entries: list[HistoryEntry]) -> Mapping[str, str]:
        first = dict(present)
        for entry in reversed(entries):
            for each in entry.files:
                first.pop(each.file, None)
                if each.old is not None:
                    first[each.file] = self._blob(each.file, each.old)
        return first

    def _bring(self, replaced: int, blob: str, when: float) -> None:
        """A version of `site.yml` from before there was a history of it."""
        change = Blobs(SETTINGS, self._forest.get(SETTINGS), blob)
        self._forest.put(SETTINGS, blob)
        until = datetime.fromtimestamp(replaced, UTC)
        note = ChangeNote(act=BROUGHT, about=f"{SETTINGS} as it was until {until:%Y-%m-%d %H:%M:%S} UTC")
        self._append(Revision("", when, note, (change,), (), (), outside=True))

    def add(self, entry: HistoryEntry) -> None:
        """A change, and before it what had been changed outside in its files."""
        files = [
            Blobs(each.file, self._maybe(each.file, each.old), self._maybe(each.file, each.new))
            for each in entry.files
        ]
        self._found({each.file: each.old for each in files}, entry.time)
        for each in files:
            self._forest.put(each.file, each.new)
        self.kept |= {each.file: each.new for each in files if each.new is not None}
        self._append(
            Revision("", entry.time, entry.note, tuple(files), entry.made, entry.gone, outside=False)
        )

    def outside(self, present: Mapping[str, str], when: float) -> None:
        """Add what is different now without a change of Twinpress's own."""
        known = self._forest.files()
        self._found({file: present.get(file) for file in sorted({*known, *present})}, when)

    def _found(self, now: Mapping[str, str | None], when: float) -> None:
        files = [Blobs(file, self._forest.get(file), blob) for file, blob in now.items()]
        changed = tuple(each for each in files if each.old != each.new)
        for each in changed:
            self._forest.put(each.file, each.new)
        if changed:
            self._append(Revision("", when, ChangeNote(), changed, (), (), outside=True))

    def _append(self, revision: Revision) -> None:
        tree = self._forest.write()
        made = commits.commit_of(revision, tree, self.head, self._source, covers_files=self.covers_files)
        self.head = self._repository.add(made).decode()

    def present(self) -> frozenset[str]:
        """The ids of the contents of all files after the last revision."""
        return frozenset(self._forest.files().values())

    def _maybe(self, file: str, data: bytes | KeptBytes | None) -> str | None:
        return None if data is None else self._blob(file, data)

    def _blob(self, file: str, data: bytes | KeptBytes) -> str:
        """The id of these bytes, which the repository has then; it has those that are kept already."""
        if isinstance(data, KeptBytes):
            return data.id
        if not is_text(file):
            self.has_files = True
            return self._repository.versions.add(data)
        return self._repository.add(Blob.from_string(data)).decode()
