"""Remember the contents that are on the disk for good, so that they can be replaced without waiting.

What is in the repository is; what is in the file of pending changes is once that is synced. So a change of a
page waits for the disk only when the page was changed just before too, and not synced with another one since.
"""

from __future__ import annotations

from collections.abc import Mapping

from dulwich.objects import Blob
from msgspec.structs import replace

from builder.store import ChangeAnnouncement, FileChange, KeptBytes
from builder.store.names import is_text


class DurableContents:
    """The id of the last content of each file that is known to be kept; of pages and `site.yml` alone.

    What the history keeps of other files may go when there is too much of it.

    All methods may be called in any thread: whatever one of them says is true for good.
    """

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}
        self._waiting: dict[str, str] = {}

    def has(self, change: ChangeAnnouncement) -> bool:
        """Return whether all that a change replaces is kept."""
        return all(each.old is None or self._has(each) for each in change.files)

    def by_id(self, change: ChangeAnnouncement) -> ChangeAnnouncement:
        """The change with ids in the place of what it replaces, as far as that is kept."""
        return replace(change, files=tuple(map(self._named, change.files)))

    def made(self, change: ChangeAnnouncement) -> None:
        """Note that a change's bytes are in the file of pending changes, which is not synced."""
        self._waiting |= {each.file: id_of(each.new) for each in change.files if each.new is not None}

    def synced(self) -> None:
        """Note that the file of pending changes is synced."""
        self.keep(self._waiting)
        self._waiting = {}

    def put_aside(self) -> None:
        """Note that another file has taken its place: what it has will be in the repository soon."""
        self._waiting = {}

    def keep(self, files: Mapping[str, str]) -> None:
        """Note that these contents, by file, are kept for good."""
        self._kept |= files

    def forget(self) -> None:
        """Forget all: the repository was damaged."""
        self._kept = {}

    def _named(self, each: FileChange) -> FileChange:
        return replace(each, old=KeptBytes(id_of(each.old))) if each.old and self._has(each) else each

    def _has(self, each: FileChange) -> bool:
        return each.old is not None and is_text(each.file) and id_of(each.old) == self._kept.get(each.file)


def id_of(data: bytes | KeptBytes) -> str:
    """The id under which the repository has these bytes."""
    return data.id if isinstance(data, KeptBytes) else Blob.from_string(data).id.decode()
