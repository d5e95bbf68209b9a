"""The line of revisions, and what is added at its end.

A layer below `fold`: it knows neither locks nor pending changes on disk.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from dulwich.objects import Blob

from builder.store import ChangeNote, KeptBytes
from server.history import commits
from server.history.forest import Forest
from server.history.objects import Repository
from server.history.revision import Blobs, HistoryEntry, Revision

BEGIN = "begin"
"""What the first revision does; it lists no files, as it would have to list all."""


class Line:
    """Adds revisions behind the last one; `source` is the ID of the pending changes.

    `head` is the newest, and `kept` the contents of the files that were changed.
    """

    def __init__(self, repository: Repository, source: str) -> None:
        self._repository = repository
        self._source = source
        self.head = repository.head
        self.kept: dict[str, str] = {}
        self._forest = Forest(repository, repository.tree_of(self.head) if self.head else None)

    def begin(self, present: Mapping[str, str], entries: list[HistoryEntry]) -> None:
        """The first revision: the site as it was before these changes, which `present` has already."""
        first = dict(present)
        for entry in reversed(entries):
            for each in entry.files:
                first.pop(each.file, None)
                if each.old is not None:
                    first[each.file] = self._blob(each.old)
        for file, blob in first.items():
            self._forest.put(file, blob)
        when = entries[0].time if entries else time.time()
        self._append(Revision("", when, ChangeNote(act=BEGIN), (), (), (), outside=True))

    def add(self, entry: HistoryEntry) -> None:
        """A change, and before it what had been changed outside in its files."""
        files = [Blobs(each.file, self._maybe(each.old), self._maybe(each.new)) for each in entry.files]
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
        made = commits.commit_of(revision, self._forest.write(), self.head, self._source)
        self.head = self._repository.add(made).decode()

    def _maybe(self, data: bytes | KeptBytes | None) -> str | None:
        return None if data is None else self._blob(data)

    def _blob(self, data: bytes | KeptBytes) -> str:
        """The id of these bytes, which the repository has then; it has those that are kept already."""
        if isinstance(data, KeptBytes):
            return data.id
        return self._repository.add(Blob.from_string(data)).decode()
