"""Rewrite code blocks of Docusaurus: words behind the language, comments that mark lines, npm.

https://docusaurus.io/docs/markdown-features/code-blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from builder.importer.literals import Literal, first_data
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece

_FENCE = re.compile(r"(?P<indent>[ \t>]*)(?P<ticks>`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)\n?")
_WORD = re.compile(r"\{[^}\n]*\}|[\w-]+=(?:\"[^\"\n]*\"|'[^'\n]*'|\S+)|\S+")
_COMMENT = re.compile(
    r"^(?P<lead>[ \t>]*(?://|#|--|/\*|<!--|\{/\*)[ \t]*)(?P<text>\S[^\n]{0,60}?)"
    r"(?P<tail>[ \t]*(?:\*/\}?|-->)?[ \t]*)$"
)
_MARK = re.compile(r"(?P<name>[\w-]{1,60}?)-?(?P<part>next-line|start|end|line)")
_TAB = re.compile(r"tab(?:=[\"']?([^\"'{}]*)[\"']?|=\{[^}]*\})?$")
_LONGEST = 2000
"""Characters behind a language that are looked at."""
_ADDED = ("add", "insert", "new", "success", "plus")
_REMOVED = ("remove", "delete", "deleted", "error", "old", "minus")
_COMMANDS = re.compile(r"^(?P<lead>[ \t]*(?:\$[ \t]+)?)(?P<tool>npm|npx)[ \t]+(?P<rest>[^\n]*)$")
_INSTALLS = re.compile(r"(?:install|i|add)\b[ \t]*(?P<rest>.*)")


def rewrite_fence(work: PageWork, piece: SourcePiece) -> None:
    """Rewrite one code block."""
    rewriting = work.rewriting
    found = _FENCE.match(rewriting.text, piece.start)
    if found is None:
        return
    words = _WORD.findall(found["rest"][:_LONGEST])
    if found["lang"] == "mermaid":
        work.needs_mdx = True
        rewriting.extras.add("diagrams")
    if any(word.startswith("npm2yarn") for word in words):
        _managers(work, piece, found)
        return
    kept = [word for word in words if _is_kept(word)]
    label = next((tab[1] for word in words if (tab := _TAB.match(word)) and tab[1]), "")
    if label and not any(word.startswith("title=") for word in words):
        kept.append(f'title="{label}"')
    if "live" in words:
        rewriting.tell("live code", piece.start, found[0].strip(), "the code as it is", "changed")
    rest = "".join(f" {_written(word)}" for word in kept)
    if len(kept) != len(words) or "=" in rest:
        rewriting.replace(found.start("rest"), found.end("rest"), rest)
    _marks(work, found.end(), piece.end)


def group_tabs(work: PageWork) -> None:
    """Put code blocks that follow one another into a group where they have the word `tab`."""
    text, run = work.rewriting.text, list[SourcePiece]()
    for piece in [one for one in work.rewriting.source.pieces if one.sort == "fence"]:
        found = _FENCE.match(text, piece.start)
        is_tab = found is not None and any(map(_TAB.match, _WORD.findall(found["rest"][:_LONGEST])))
        if run and (not is_tab or text[run[-1].end : piece.start].strip()):
            _group(work, run)
            run = []
        run += [piece] if is_tab else []
    _group(work, run)


def _group(work: PageWork, run: Sequence[SourcePiece]) -> None:
    if len(run) > 1:
        work.needs_mdx = True
        indent = work.rewriting.indent(run[0].start)
        end = work.rewriting.text[: run[-1].end].rstrip("\n")
        work.rewriting.insert(run[0].start, f"<CodeGroup>\n{indent}")
        work.rewriting.insert(len(end), f"\n{indent}</CodeGroup>")


def _is_kept(word: str) -> bool:
    if word.startswith("showLineNumbers"):
        return word != "showLineNumbers={false}"
    return word.startswith(("{", "title=", "vars", "file="))


def _written(word: str) -> str:
    return "showLineNumbers" if word.startswith("showLineNumbers") else word


class _Mark(Struct, frozen=True):
    """A comment that marks the next line, begins or ends a part; `sign` is "" for what is the same here."""

    name: str
    part: str
    sign: str
    lead: str
    tail: str


def _marks(work: PageWork, start: int, end: int) -> None:
    """Write comments of other names than `highlight` as they are here."""
    rewriting, at = work.rewriting, start
    lines = rewriting.text[start:end].split("\n")
    own = {text: (sign, part) for sign, part, text in map(_parted, work.around.site.syntax) if text}
    marks = [_mark(line, own) for line in lines]
    sizes = _sizes(marks)
    for number, (line, found) in enumerate(zip(lines, marks, strict=True)):
        if found and found.sign and found.part != "end":
            sign = f"[!code {found.sign}:{sizes.get(number, 1)}]"
            rewriting.replace(at, at + len(line), f"{found.lead}{sign}{found.tail}")
        elif found and found.sign:
            rewriting.replace(at, min(at + len(line) + 1, end), "")
        at += len(line) + 1


def _parted(syntax: str) -> tuple[str, str, str]:
    """Return sign, part and text of a magic comment as `magic_comments` wrote it."""
    sign, _, rest = syntax.partition(" ")
    part, _, text = rest.partition(" ")
    return sign, part, text


def _mark(line: str, own: Mapping[str, tuple[str, str]]) -> _Mark | None:
    found = _COMMENT.match(line)
    if found is None:
        return None
    if found["text"] in own:
        sign, part = own[found["text"]]
        return _Mark(f"own {sign}", part, sign, found["lead"], found["tail"])
    mark = _MARK.fullmatch(found["text"])
    sign = _kind(mark["name"]) if mark else ""
    return _Mark(mark["name"], mark["part"], sign, found["lead"], found["tail"]) if mark else None


def magic_comments(listed: Literal) -> Iterator[str]:
    """Yield the comments that mark lines, of a configuration: sign, part and text of each."""
    for each in listed if isinstance(listed, list) else []:
        sign = _kind(str(each.get("className")).replace("_", "-")) if isinstance(each, dict) else ""
        sign = sign or "highlight"
        given = {"line": first_data(each, "line")}
        given |= {part: first_data(each, "block", part) for part in ("start", "end")}
        for part, text in given.items():
            if isinstance(text, str) and text.strip() and not text.startswith("highlight-"):
                yield f"{sign} {part} {text.strip()}"


def _sizes(marks: Sequence[_Mark | None]) -> Mapping[int, int]:
    """Return for each line that begins a part how many lines there are to the nearest end."""
    ends: dict[str, int] = {}
    found: dict[int, int] = {}
    for number in range(len(marks) - 1, -1, -1):
        mark = marks[number]
        if mark and mark.part == "end":
            ends[mark.name] = number
        elif mark and mark.part == "start" and mark.name in ends:
            found[number] = max(ends[mark.name] - number - 1, 1)
    return found


def _kind(name: str) -> str:
    """Return the sign of a mark; "" for the marks that are the same here, and for no mark."""
    words = name.lower().split("-")
    if any(word.startswith(_ADDED) for word in words):
        return "++"
    return "--" if any(word.startswith(_REMOVED) for word in words) else ""


def _managers(work: PageWork, piece: SourcePiece, found: re.Match[str]) -> None:
    """Write a block for each package manager, as the plugin of Docusaurus does."""
    work.needs_mdx = True
    text, indent = work.rewriting.text, found["indent"]
    body = text[found.end() : piece.end].rstrip()
    lines = body.split("\n")[:-1] if body.strip("` ~\t>") or body else []
    whole = "\n\n".join(manager_blocks(lines, indent, found["lang"]))
    start = text.rfind("\n", 0, piece.start) + 1
    start = start if not text[start : piece.start].strip() else piece.start
    work.rewriting.replace(start, piece.end, f"{indent}<CodeGroup>\n{whole}\n{indent}</CodeGroup>")


def manager_blocks(lines: Sequence[str], indent: str, language: str) -> list[str]:
    """Return lines of npm as code for each package manager."""
    return [
        "\n".join((f'{indent}```{language} title="{name}"', *map(write, lines), f"{indent}```"))
        for name, write in _WRITERS.items()
    ]


def _other(tool: str, runner: str) -> Callable[[str], str]:
    """Return the function that writes a line of npm for another tool."""

    def write(line: str) -> str:
        found = _COMMANDS.match(line)
        if found is None:
            return line
        if found["tool"] == "npx":
            return f"{found['lead']}{runner} {found['rest']}"
        installs = _INSTALLS.match(found["rest"])
        if installs is None:
            rest = re.sub(r"(?:run|run-script) ", "" if tool == "yarn" else "run ", found["rest"])
            rest = re.sub(r"init (?=\S)", "create ", rest)
            return f"{found['lead']}{tool} {rest}".replace("@latest ", " " if tool == "yarn" else "@latest ")
        rest = installs["rest"].replace("--save-dev", "--dev").replace("-D ", "--dev ").replace("--save ", "")
        if tool == "pnpm":
            rest = rest.replace("--dev", "--save-dev")
        verb = "add" if rest.strip() else "install"
        where = "global add" if tool == "yarn" and re.search(r"(?:^| )(?:-g|--global)\b", rest) else verb
        rest = re.sub(r"(?:^| )(?:-g|--global)\b ?", " ", rest) if where != verb else rest
        return f"{found['lead']}{tool} {where} {rest.strip()}".rstrip()

    return write


_WRITERS: Mapping[str, Callable[[str], str]] = {
    "npm": str,
    "Yarn": _other("yarn", "yarn dlx"),
    "pnpm": _other("pnpm", "pnpm dlx"),
    "Bun": _other("bun", "bunx"),
}
