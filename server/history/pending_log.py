"""The file of changes that are not in the repository yet: `.twinpress/state/history/pending`.

    twinpress-pending 1 ID                  a line; ID is random, 32 hexadecimal digits
    E HEAD BODY                             a change: the lengths of its two parts in bytes,
    {"time": ..., "files": [...], ...}      what it is, in JSON,
    ...ID+                                  the old and new bytes of its files, and the end; of those
                                            that are kept elsewhere or too large, the id is in the JSON
    D HEAD 0                                the change before has been made,
    {"gone": [...]}ID.                      and this is what it led to

Appending to one file is all that a writer has to wait for. ID ends every record, and as no page can know it,
the last bytes of the file tell whether the last change is settled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from builder.store import ChangeAnnouncement, ChangeNote, FileChange, KeptBytes
from builder.store.temp_files import KEEP_LIMIT
from server.history.files import OpenBytes
from server.history.revision import HistoryEntry, redacted

ID = 32
HEAD = len(b"twinpress-pending 1 ") + ID + 1
TAIL = ID + 2
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode


class Garbled(ValueError):
    """The file is not what was written: a power cut, a broken disk, or another hand.

    Up to byte `settled` it can be read.
    """

    def __init__(self, message: str, settled: int = 0) -> None:
        super().__init__(message)
        self.settled = settled


class Pending(Struct):
    """The content of the file. `open` is a change that nobody has settled, which begins at byte `settled`.

    What stands behind `whole` is the beginning of a record that was cut off.
    """

    id: str
    entries: list[HistoryEntry] = field(default_factory=list)
    open: ChangeAnnouncement | None = None
    time: float = 0.0
    settled: int = HEAD
    whole: int = HEAD


def header(identity: str) -> bytes:
    """The first line."""
    return f"twinpress-pending 1 {identity}\n".encode()


def identity_of(data: bytes) -> str:
    """The ID in the first line. Raises Garbled."""
    if not data.startswith(b"twinpress-pending 1 ") or data[HEAD - 1 : HEAD] != b"\n":
        raise Garbled("the first line")
    return data[HEAD - 1 - ID : HEAD - 1].decode("ascii", "replace")


def is_settled(identity: str, tail: bytes) -> bool:
    """Return whether a file that ends with these TAIL bytes ends with a change that has been made."""
    return tail == _end(identity, ".")


def change_record(identity: str, change: ChangeAnnouncement, time: float) -> bytes:
    """The record of a change that is about to be made; no label in it holds a key."""
    note = redacted(change.note)
    sizes = [[each.file, _size(each.old), _size(each.new), each.temporary] for each in change.files]
    head = {
        "time": time,
        "note": [note.key, note.label, note.act, note.about],
        "id": note.id,
        "files": sizes,
        "made": change.made,
        "may_go": change.may_go,
    }
    body = b"".join(part for each in change.files for part in (each.old, each.new) if isinstance(part, bytes))
    return _record("E", identity, head, body, "+")


def done_record(identity: str, gone: tuple[str, ...]) -> bytes:
    """The record that the change before it has been made."""
    return _record("D", identity, {"gone": gone}, b"", ".")


def parse(data: OpenBytes) -> Pending:
    """Read the file. A record that was cut off is left out. Raises Garbled, and OSError."""
    found = Pending(identity_of(data.part(0, HEAD)))
    try:
        _read(data, found)
    except (LookupError, TypeError, ValueError) as error:
        raise Garbled(str(error), found.settled) from error
    return found


def _read(data: OpenBytes, found: Pending) -> None:
    for kind, head, body, end in _records(data, found.id):
        if kind == b"E":
            found.open, found.time = _change(head, body), float(head["time"])
        elif found.open is not None:
            change, gone = found.open, tuple(map(str, head["gone"]))
            found.entries.append(HistoryEntry(found.time, change.note, change.files, change.made, gone))
            found.open, found.settled = None, end
        found.whole = end


def _records(data: OpenBytes, identity: str) -> Iterator[tuple[bytes, dict[str, Any], bytes, int]]:
    """Kind, head, body and end of each whole record."""
    place = HEAD
    while (line := (first := data.part(place, place + 64)).find(b"\n")) >= 0:
        kind, *sizes = first[:line].split(b" ")
        if kind not in {b"E", b"D"} or len(sizes) != 2 or not all(map(bytes.isdigit, sizes)):
            raise Garbled(f"byte {place}")
        start = place + line + 1
        middle = start + int(sizes[0])
        stop = middle + int(sizes[1])
        if stop + TAIL > len(data):
            return
        if stop > KEEP_LIMIT or data.part(stop, stop + TAIL) != _end(identity, "+" if kind == b"E" else "."):
            raise Garbled(f"byte {stop}")
        place = stop + TAIL
        yield kind, json.loads(data.part(start, middle)), data.part(middle, stop), place
    if len(data) - place >= 64:
        raise Garbled(f"byte {place}")


def _change(head: dict[str, Any], body: bytes) -> ChangeAnnouncement:
    files: list[FileChange] = []
    place = 0
    for listed in head["files"]:
        file, old, new, temporary = listed
        before: bytes | KeptBytes | None = KeptBytes(old) if isinstance(old, str) else None
        if isinstance(old, int):
            before, place = body[place : place + old], place + old
        after: bytes | KeptBytes | None = KeptBytes(new) if isinstance(new, str) else None
        if isinstance(new, int):
            after, place = body[place : place + new], place + new
        files.append(FileChange(file, before, after, temporary))
    made, may_go = (tuple(map(str, head[name])) for name in ("made", "may_go"))
    return ChangeAnnouncement(tuple(files), made, may_go, _note(head))


def _note(head: dict[str, Any]) -> ChangeNote:
    return replace(ChangeNote(*map(str, head["note"])), id=str(head.get("id", "")))


def _record(kind: str, identity: str, head: object, body: bytes, end: str) -> bytes:
    text = _ENCODE(head).encode()
    return b"%s %d %d\n%s%s%s" % (kind.encode(), len(text), len(body), text, body, _end(identity, end))


def _end(identity: str, mark: str) -> bytes:
    return f"{identity}{mark}\n".encode()


def _size(data: bytes | KeptBytes | None) -> int | str | None:
    if isinstance(data, KeptBytes):
        return data.id
    return None if data is None else len(data)
