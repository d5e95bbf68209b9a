"""Rewrite marks within lines of MkDocs: keys, marked and raised text, icons, abbreviations."""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping

from builder.importer.page_work import PageWork
from builder.importer.systems.emoji_codes import EMOJI
from builder.importer.systems.icon_names import icon_name

_KEYS = re.compile(r"\+\+[\w\"'+ -]{1,80}\+\+")
_ICON = re.compile(r":((?:material|fontawesome|octicons|simple)-[\w-]{1,80}):")
_EMOJI = re.compile(r"(?<![\w:]):([a-z0-9_+-]{2,40}):(?![\w:])")
_ABBREVIATION = re.compile(r"^[ ]{0,3}\*\[([^\]\n]{1,100})\]:[ \t]*([^\n]*)$\n?", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:[^\n:][^\n]*)\n\n?[ ]{0,3}:[ \t]+\S", re.MULTILINE)
_INLINE_MATH = re.compile(r"\\\((?P<tex>[^\n]{1,500}?)\\\)")
_BLOCK_MATH = re.compile(
    r"^[ >]{0,40}\\\[(?P<tex>(?:(?!\n[ \t]*\n)[^\0]){1,3000}?)\\\](?=[ \t]*$)", re.MULTILINE
)
_DOLLAR_MATH = re.compile(r"\$\$|(?<![\w$\\])\$(?=\S)[^$\n]{1,500}(?<=\S)\$(?![\w$])")
_LINKED = re.compile(r"\[[^\[\]\n]{0,300}\]\([^()\n]{0,500}\)|^[ ]*#{1,6}[^\n]*$", re.MULTILINE)
_Act = Callable[[re.Match[str]], None]


def rewrite_inline(work: PageWork) -> None:
    """Rewrite all marks of a page."""
    rewriting = work.rewriting
    rewriting.each(_KEYS, lambda _: _extra(work, "keys"))
    for pattern, text, tells in _MARKS:
        rewriting.each(pattern, _replacing(work, text, tells))
    rewriting.each(_ICON, lambda found: _icon(work, found))
    rewriting.each(_EMOJI, lambda found: _emoji(work, found))
    rewriting.each(_DEFINITION, lambda _: _extra(work, "definition-lists"))
    _formulas(work)
    _abbreviations(work)


def _extra(work: PageWork, name: str) -> None:
    work.rewriting.extras.add(name)
    work.needs_mdx = True


_MARKS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"\{==(?P<a>[^={}\n]{1,500})==\}"), "<mark>{a}</mark>", ""),
    (re.compile(r"\{\+\+(?P<a>[^+{}\n]{1,500})\+\+\}"), "{a}", "text that editors have added"),
    (re.compile(r"\{--(?P<a>[^{}\n]{1,500}?)--\}"), "~~{a}~~", ""),
    (re.compile(r"\{~~(?P<a>[^~{}\n]{1,500})~>(?P<b>[^~{}\n]{0,500})~~\}"), "~~{a}~~ {b}", ""),
    (re.compile(r"\{>>(?P<a>[^{}\n]{1,500}?)<<\}"), "", "remark of an editor"),
    (re.compile(r"(?<![={])==(?=[^\s=])(?P<a>[^=\n]{1,500})(?<=\S)==(?![=}])"), "<mark>{a}</mark>", ""),
    (re.compile(r"\^\^(?=[^\s^])(?P<a>[^\^\n]{1,500})(?<=\S)\^\^"), "{a}", "underlined text"),
    (re.compile(r"(?<=\w)~(?P<a>\w{1,20})~(?!~)"), "<sub>{a}</sub>", ""),
    (re.compile(r"(?<=\w)\^(?P<a>\w{1,20})\^(?!\^)"), "<sup>{a}</sup>", ""),
)
"""Marks, what stands for each, and the loss where something is not as it was."""


def _replacing(work: PageWork, shown: str, tells: str) -> _Act:
    def act(found: re.Match[str]) -> None:
        groups = found.groupdict()
        if tells:
            work.rewriting.tell(tells, found.start(), found[0], "", "changed" if shown else "lost")
        text = shown.replace("{b}", groups.get("b") or "").replace("{a}", groups["a"])
        work.rewriting.replace(found.start(), found.end(), text)

    return act


def _icon(work: PageWork, found: re.Match[str]) -> None:
    name = icon_name(found[1])
    if name:
        work.rewriting.tell("icon", found.start(), found[0], f":icon-{name}:", "changed")
        work.needs_mdx = True
        work.rewriting.replace(found.start(), found.end(), f":icon-{name}:")
        return
    work.rewriting.tell("icon", found.start(), found[0])
    text, end = work.rewriting.text, found.end()
    end += text.startswith(" ", end)
    work.rewriting.replace(found.start(), end, "")


def _emoji(work: PageWork, found: re.Match[str]) -> None:
    character = EMOJI.get(found[1]) or _named(found[1])
    if character:
        work.rewriting.tell("emoji", found.start(), found[0], character, "changed")
        work.rewriting.replace(found.start(), found.end(), character)


def _named(name: str) -> str:
    """Return the pictogram whose name in Unicode is that of an emoji, "" for none."""
    for tried in (name, f"{name}_face", f"{name}_sign", f"{name}_symbol", f"smiling_face_with_{name}"):
        try:
            found = unicodedata.lookup(tried.replace("_", " "))
        except KeyError:
            continue
        return found if unicodedata.category(found) == "So" else ""
    return ""


def _formulas(work: PageWork) -> None:
    if "arithmatex" not in work.around.site.syntax:
        return
    text = work.rewriting.text
    code = [(one.start, one.end) for one in work.rewriting.source.pieces if one.sort in {"fence", "code"}]
    starts = [start for start, _ in code]
    for pattern, sign in ((_INLINE_MATH, "$"), (_BLOCK_MATH, "$$"), (_DOLLAR_MATH, "")):
        for found in pattern.finditer(text):
            before = bisect_right(starts, found.start()) - 1
            if before >= 0 and found.start() < code[before][1]:
                continue
            _extra(work, "math")
            if sign:
                start = found.start("tex") - 2
                work.rewriting.replace(start, found.end(), f"{sign}{found['tex'].strip()}{sign}")


def _abbreviations(work: PageWork) -> None:
    """Write the meaning of an abbreviation at its first use, and remove the line that says it."""
    meanings: dict[str, str] = {}

    def defined(found: re.Match[str]) -> None:
        meanings[found[1]] = found[2].strip()
        work.rewriting.replace(found.start(), found.end(), "")

    work.rewriting.each(_ABBREVIATION, defined)
    if meanings:
        _used(work, meanings)


def _used(work: PageWork, meanings: Mapping[str, str]) -> None:
    """Mark the first use of each, outside of links and headings."""
    names = sorted(meanings, key=len, reverse=True)[:500]
    pattern = re.compile(rf"(?<![\w\[*])(?:{'|'.join(map(re.escape, names))})(?![\w\]])")
    linked: list[tuple[int, int]] = []
    work.rewriting.each(_LINKED, lambda found: linked.append(found.span()))
    left = set(names)

    def act(found: re.Match[str]) -> None:
        if found[0] in left and not any(start <= found.start() < end for start, end in linked):
            left.discard(found[0])
            work.needs_mdx = True
            title = html.escape(meanings[found[0]], quote=True)
            work.rewriting.replace(found.start(), found.end(), f'<abbr title="{title}">{found[0]}</abbr>')

    work.rewriting.each(pattern, act)
