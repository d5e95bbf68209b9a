"""A revision as a git commit; its record is JSON in the last line of the commit's message."""

from __future__ import annotations

import json

from dulwich.objects import Commit, ObjectID
from msgspec.structs import replace

from builder.store import ChangeNote
from server.history.revision import Blobs, Revision, redacted


def commit_of(
    revision: Revision, tree: ObjectID, parent: str | None, pending_file: str, *, covers_files: bool
) -> Commit:
    """A revision as a commit; its own id is not looked at.

    `covers_files` says whether the tree has `site.yml` and the files beside pages.
    """
    note = revision.note
    record = {
        "time": revision.time,
        "note": [note.key, note.label, note.act, note.about],
        "id": note.id,
        "files": [[each.file, each.old, each.new] for each in revision.files],
        "made": revision.made,
        "gone": revision.gone,
        "outside": revision.outside,
        "journal": pending_file,
        "covers_files": covers_files,
    }
    commit = Commit()
    commit.tree = tree
    commit.parents = [ObjectID(parent.encode())] if parent else []
    commit.author = commit.committer = _author(note)
    commit.author_time = commit.commit_time = int(revision.time)
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = f"{_subject(revision)}\n\n{json.dumps(record)}\n".encode("utf-8", "surrogateescape")
    return commit


def _subject(revision: Revision) -> str:
    if revision.note.act:
        return f"{revision.note.act} {revision.note.about}".strip()
    names = [each.file for each in revision.files[:3]]
    return ("changed outside: " if revision.outside else "change ") + (", ".join(names) or "folders")


def _author(note: ChangeNote) -> bytes:
    """As git wants it: no angle brackets and no line ends."""
    said = "".join(letter for letter in f"{note.label} {note.key}" if letter.isprintable())
    name = said.replace("<", "").replace(">", "").strip() or "Twinpress"
    return f"{name} <>".encode()


def record_of(commit: Commit) -> dict[str, object]:
    """Return a commit's record of its change, unchecked. Raises ValueError."""
    found = json.loads(commit.message.rstrip(b"\n").rpartition(b"\n")[2])
    if not isinstance(found, dict):
        raise ValueError("a commit without record")  # noqa: TRY004 - the repository is damaged
    return found


def revision_of(name: str, commit: Commit) -> Revision:
    """A commit as a revision. Raises ValueError, KeyError or TypeError."""
    record: dict[str, list[str]] = record_of(commit)  # type: ignore[assignment]  # a wrong shape raises here
    return Revision(
        id=name,
        time=float(record["time"]),  # type: ignore[arg-type]
        note=redacted(replace(ChangeNote(*record["note"]), id=str(record.get("id", "")))),
        files=tuple(Blobs(*each) for each in record["files"]),
        made=tuple(record["made"]),
        gone=tuple(record["gone"]),
        outside=bool(record["outside"]),
    )
