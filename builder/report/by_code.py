"""Diagnostics counted by code and message: where to begin on a site that has hundreds.

error: broken-link, 21 in 4 files
   12 | there is no page `docs/instal`
      = docs/guide/start.mdx, docs/index.md, docs/tour.mdx
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

from builder.diagnostics import Diagnostic, Level
from builder.report.formats import LEVELS, Line, json_array
from builder.report.summary import counted
from builder.report.visible_text import visible

_MESSAGES, _FILES = 8, 3
"""So many messages of a code, and files of a message, are shown to people."""
_ORDER = tuple(Level)


class MessageCount(Struct, frozen=True):
    """A message, how often it stands, and the files in which it does."""

    message: str
    count: int
    files: tuple[str, ...]


class CodeCount(Struct, frozen=True):
    """A code, how many diagnostics and files have it, and its messages, the most frequent first."""

    code: str
    level: Level
    count: int
    files: int
    messages: tuple[MessageCount, ...]


def count_by_code(diagnostics: Iterable[Diagnostic]) -> tuple[CodeCount, ...]:
    """Count them: errors first, then the most frequent."""
    found: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in diagnostics:
        found[diagnostic.code].append(diagnostic)
    counts = (_count(code, all) for code, all in found.items())
    return tuple(sorted(counts, key=lambda one: (_ORDER.index(one.level), -one.count, one.code)))


def _count(code: str, diagnostics: list[Diagnostic]) -> CodeCount:
    files: defaultdict[str, set[str]] = defaultdict(set)
    for diagnostic in diagnostics:
        files[diagnostic.message].add(diagnostic.file)
    often = Counter(diagnostic.message for diagnostic in diagnostics)
    order = sorted(often, key=lambda message: (-often[message], message))
    messages = tuple(MessageCount(each, often[each], tuple(sorted(files[each]))) for each in order)
    return CodeCount(
        code, diagnostics[0].level, len(diagnostics), len(set().union(*files.values())), messages
    )


def counts_to_lines(counts: Iterable[CodeCount], prefix: str = "") -> Iterator[Line]:
    """Each code with its first messages and their first files; `prefix` goes before file names."""
    for one in counts:
        number = f"{one.count:,} in {counted(one.files, 'file')}"
        yield (LEVELS[one.level], (f": {one.code}", "code"), (f", {number}", "message"))
        for each in one.messages[:_MESSAGES]:
            yield ((f"{each.count:>6,} | ", "gutter"), (visible(each.message), "source"))
            yield (("       = ", "gutter"), (_files(each.files, prefix), "hint"))
        if (left := len(one.messages) - _MESSAGES) > 0:
            text = f"and {counted(left, 'other message')}; `--code {one.code}` shows all"
            yield (("       = ", "gutter"), (text, "hint"))
        yield ()


def _files(files: tuple[str, ...], prefix: str) -> str:
    named = [visible(f"{prefix}{file}") if file else "the site" for file in files[:_FILES]]
    more = f" and {len(files) - _FILES:,} more" if len(files) > _FILES else ""
    return f"{', '.join(named)}{more}"


def counts_to_json(counts: Iterable[CodeCount]) -> str:
    """One array of `{code, level, count, files, messages: [{message, count, files}]}`."""
    return json_array(map(_record, counts))


def _record(one: CodeCount) -> dict[str, object]:
    messages = [{"message": each.message, "count": each.count, "files": each.files} for each in one.messages]
    return {
        "code": one.code,
        "level": one.level.value,
        "count": one.count,
        "files": one.files,
        "messages": messages,
    }
