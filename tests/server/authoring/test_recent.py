"""Answers are kept for as long as they are true, and no more of them than there is room for."""

from __future__ import annotations

import os
import time
from pathlib import Path

from server.authoring.answer_cache import MOST, Answer, Recent
from tests.sites import write_site

OLD = 1_000_000_000
LARGE = MOST // 4


def kept(recent: Recent, root: Path, name: str, size: int) -> bool:
    """Keep an answer about an old page; whether it is given again."""
    file = f"docs/{name}.md"
    write_site(root, {file: "# A\n"})
    answer = Answer(b"x" * size, name, f"/docs/{name}")
    recent.keep(f"docs/{name}", (file,), time.time_ns() + 3600 * 10**9, answer)
    return recent.get(f"docs/{name}") is answer


def test_what_is_kept_has_a_limit_in_bytes(tmp_path: Path) -> None:
    recent = Recent(tmp_path)
    (tmp_path / "docs").mkdir()
    for number in range(12):
        write_site(tmp_path, {f"docs/{number}.md": "# A\n"})
    for number in range(12):
        assert kept(recent, tmp_path, str(number), LARGE)
        assert kept(recent, tmp_path, str(number), LARGE)
    there = [number for number in range(12) if recent.get(f"docs/{number}")]
    assert there == [8, 9, 10, 11]
    assert not kept(recent, tmp_path, "0", MOST + 1)
    assert kept(recent, tmp_path, "0", 10)


def test_an_answer_is_given_no_more_when_the_file_has_changed(tmp_path: Path) -> None:
    recent = Recent(tmp_path)
    assert kept(recent, tmp_path, "a", 10)
    os.utime(tmp_path / "docs/a.md", (OLD, OLD))
    assert recent.get("docs/a") is None
