"""Rewrite pages of Starlight: its components, admonitions and the words behind a fence's language."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from builder.importer.admonition_lines import rewrite_admonitions
from builder.importer.embeds import EMBEDDED
from builder.importer.literals import CodeValue
from builder.importer.mdx_page import BOXES, beside, page_module, rewrite_mdx
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.systems.icon_names import icon_name
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules, renamed
from builder.markdown.mdx.scan.tags import Tag

_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_WORDS = re.compile(
    r"\{[\d,\s-]+\}|[\w-]+=(?:\"[^\"]*\"|'[^']*'|\{[^}]*\}|/(?:[^/\\]|\\.)*/|\S+)|\"[^\"]*\"|'[^']*'|/(?:[^/\\]|\\.)*/|\S+"
)
_TEXT_MARK = re.compile(
    r"(?P<kind>(?:ins|del|mark)=)?(?:\"(?P<text>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^']*)'|/(?P<pattern>(?:[^/\\]|\\.)*)/)"
)
_LABELLED = re.compile(r"(?P<kind>(?:ins|del|mark)=)?\{(?:\"[^\"]*\"|'[^']*'):(?P<lines>[\d, -]+)\}")
_REPEATED = re.compile(r"(?<!\\)[*+{]")
_LONGEST_PATTERN = 200
_LONGEST = 2000
"""Characters behind a language that are looked at."""
_ICONS = {
    "open-book": "book-open", "approve-check": "check", "approve-check-circle": "circle-check",
    "setting": "settings", "magnifier": "search", "list-format": "list", "right-arrow": "arrow-right",
    "left-arrow": "arrow-left", "up-arrow": "arrow-up", "down-arrow": "arrow-down", "bars": "menu",
    "translate": "languages", "add-document": "file-plus", "random": "shuffle", "comment": "message-circle",
    "comment-alt": "message-square", "cloud-download": "download", "seti:folder": "folder",
    "seti:db": "database",
    "seti:config": "settings", "external": "external-link",
    "document": "file-text", "astro": "rocket", "seti:shell": "terminal", "seti:json": "file-json",
    "seti:git": "git", "warning": "triangle-alert", "information": "info", "puzzle": "puzzle",
}  # fmt: skip
_VARIANTS = {"note": "blue", "tip": "purple", "success": "green", "caution": "amber", "danger": "red"}


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Starlight."""
    code = _raw_imports(work)
    rules = {**_RULES, "Code": Rule(lambda tags, piece, tag: _code(tags, piece, tag, code))}
    rewrite_mdx(work, rules, _resolved)
    rewrite_admonitions(work, {})
    for piece in work.rewriting.source.pieces:
        if piece.sort == "fence":
            _fence(work, piece)


def _aside(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.admonition(piece, tags.value(tag, "type") or "note", tags.value(tag, "title"))


def _card(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    given = [("title", tags.value(tag, "title"))]
    if icon := _icon_name(tags.value(tag, "icon")):
        given.append(("icon", icon))
    tags.open(piece, "Card", [(name, text) for name, text in given if text])


def _link_card(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    title, description = tags.value(tag, "title"), tags.value(tag, "description")
    href = tags.work.href(tags.value(tag, "href"), piece.start)
    escaped = title.replace("&", "&amp;").replace('"', "&quot;")
    inner = f">{description}</Card>" if description else " />"
    tags.replace(piece, f'<Card title="{escaped}" href="{href}"{inner}')


def _link_button(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.open(piece, "a", [("href", tags.value(tag, "href"))])


def _badge(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.rewriting.extras.add("badge")
    color = _VARIANTS.get(tags.value(tag, "variant"), "")
    shown = f' color="{color}"' if color else ""
    tags.replace(piece, f"<Badge{shown}>{tags.value(tag, 'text')}</Badge>")


def _steps(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    tags.rewriting.tell("steps", piece.start, tags.source(piece), "a numbered list", "changed")
    tags.unwrap(piece)


def _tree(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    tags.rewriting.extras.add("file-tree")
    tags.open(piece, "FileTree")


def _icon(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    name = _icon_name(tags.value(tag, "name"))
    if name:
        tags.work.needs_mdx = True
        given = tags.value(tag, "name")
        if given != name:
            tags.rewriting.tell("icon", piece.start, given, name, "changed")
        tags.replace(piece, f":icon-{name}:")
    else:
        tags.drop(piece, "icon")


def _icon_name(given: str) -> str:
    return _ICONS.get(given) or icon_name(given)


def _resolved(work: PageWork, source: str) -> str:
    """Return the file of an import: from the page, the site's folder, or by the usual names for `src`."""
    path = source.partition("?")[0]
    if path.startswith(("~/", "@/")):
        return posixpath.normpath(f"src/{path[2:]}")
    if path.startswith("/"):
        return posixpath.normpath(path.lstrip("/"))
    return beside(work, path)


def _raw_imports(work: PageWork) -> Mapping[str, str]:
    """Return the names that stand for the text of a file, each with the text."""
    if "?raw" not in work.rewriting.text:
        return {}
    module = page_module(work)
    found: dict[str, str] = {}
    for name, (source, _) in module.imports.items():
        if source.endswith("?raw"):
            code = work.around.origin.text(_resolved(work, source))
            found |= {name: code} if code is not None else {}
    return found


def _code(tags: TagRules, piece: SourcePiece, tag: Tag, imported: Mapping[str, str]) -> None:
    language, title = tags.value(tag, "lang"), tags.value(tag, "title")
    given = tag.attribute("code")
    value = tags.literal(given) if given is not None else ""
    name = value.text.strip() if isinstance(value, CodeValue) else ""
    code = value if isinstance(value, str) else imported.get(name, "")
    if not code:
        tags.drop(piece, "code from an expression")
        return
    shown = f' title="{title}"' if title else ""
    for given in tag.attributes:
        value = tags.literal(given)
        if given.name in {"ins", "del"} and re.fullmatch(r"[\d,\s-]+", str(value)):
            shown += f" {given.name}={{{value}}}"
        elif given.name not in {"code", "lang", "title", "slot"}:
            tags.rewriting.tell(
                "mark in a code block", piece.start, tags.rewriting.text[given.start : given.value_end]
            )
    ticks = "`" * max(3, max((len(run) for run in re.findall("`+", code)), default=0) + 1)
    indent = tags.rewriting.indent(piece.start)
    lines = (f"{ticks}{language}{shown}", *code.strip("\n").split("\n"), ticks)
    tags.replace(piece, f"\n{indent}".join(lines))


def _image(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    kept = [(name, tags.value(tag, name)) for name in ("src", "alt", "width", "height")]
    if not kept[0][1]:
        tags.drop(piece, "image of an expression")
        return
    tags.open(piece, "img", [(name, text) for name, text in kept if text or name == "alt"])


def _fence(work: PageWork, piece: SourcePiece) -> None:
    """Keep lines and title of a fence; what else stands behind its language is told."""
    found = _FENCE.match(work.rewriting.text, piece.start)
    if found is None or not found["rest"].strip():
        return
    kept: list[str] = []
    for word in _WORDS.findall(found["rest"][:_LONGEST]):
        number = word.startswith("showLineNumbers") and word != "showLineNumbers=false"
        if number or re.match(r"title=|(?:ins|del)=\{[\d,\s-]+\}|\{[\d,\s-]+\}", word):
            kept.append("showLineNumbers" if number else word)
        elif marked := re.fullmatch(r"mark=(\{[\d,\s-]+\})", word):
            kept.append(marked[1])
        elif re.match(r"(?:wrap|preserveIndent|startLineNumber|frame|showLineNumbers|collapse|lang)\b", word):
            work.rewriting.tell("look of a code block", piece.start, word, "the code as it is", "changed")
        elif not _TEXT_MARK.fullmatch(word) and not _LABELLED.fullmatch(word):
            work.rewriting.tell("mark in a code block", piece.start, word)
    kept += list(_marked(work, piece, found["rest"][:_LONGEST]))
    merged = "".join(f" {word}" for word in _merged(kept))
    work.rewriting.replace(found.start("rest"), found.end("rest"), merged)


def _merged(words: Sequence[str]) -> Iterator[str]:
    """Yield words with the marks of lines of one kind in one."""
    lines: dict[str, list[str]] = {}
    for word in words:
        found = re.fullmatch(r"((?:ins|del)=)?\{([\d,\s-]+)\}", word)
        if found:
            lines.setdefault(found[1] or "", []).append(found[2])
    yield from (word for word in words if not re.fullmatch(r"(?:ins=|del=)?\{[\d,\s-]+\}", word))
    yield from (f"{kind}{{{','.join(numbers)}}}" for kind, numbers in lines.items())


def _wanted(found: re.Match[str]) -> re.Pattern[str] | None:
    """Return a pattern for the texts that a mark stands for; None for one that could take long."""
    text = found["text"] or found["single"]
    if text:
        return re.compile(re.escape(re.sub(r"\\(.)", r"\1", text)))
    pattern = found["pattern"] or ""
    if not pattern or len(pattern) > _LONGEST_PATTERN or len(_REPEATED.findall(pattern)) > 1:
        return None
    try:
        return None if re.search(r"\)[*+{]|\\[1-9]", pattern) else re.compile(pattern)
    except re.error:
        return None


def _marked(work: PageWork, piece: SourcePiece, rest: str) -> Iterator[str]:
    """Yield marks of lines for those of texts in them, and for those with labels."""
    lines = work.rewriting.text[piece.start : piece.end].split("\n")[1:-1]
    for word in _WORDS.findall(rest):
        labelled, found = _LABELLED.fullmatch(word), _TEXT_MARK.fullmatch(word)
        kind = ((labelled or found or {"kind": ""})["kind"] or "").removesuffix("=")
        if labelled:
            shown = labelled["lines"].replace(" ", "")
        elif found:
            wanted = _wanted(found)
            at = [number for number, line in enumerate(lines, 1) if wanted and wanted.search(line[:_LONGEST])]
            shown = ",".join(map(str, at))
        else:
            continue
        now = f"marked lines: {shown}" if shown else ""
        work.rewriting.tell("mark in a code block", piece.start, word, now, "changed" if now else "lost")
        if shown:
            yield f"{kind}={{{shown}}}" if kind in {"ins", "del"} else f"{{{shown}}}"


_RULES: Mapping[str, Rule] = {
    "Aside": Rule(_aside, is_admonition=True),
    "Card": Rule(_card),
    "CardGrid": renamed("CardGrid", {}, frozenset({"stagger", "slot"})),
    "LinkCard": Rule(_link_card),
    "LinkButton": Rule(_link_button),
    "Tabs": renamed("Tabs", {}, frozenset({"syncKey", "slot"})),
    "TabItem": renamed("TabItem", {"label": "label"}, frozenset({"icon", "slot"})),
    "Steps": Rule(_steps),
    **dict.fromkeys(BOXES, UNWRAPPED),
    "FileTree": Rule(_tree),
    "Badge": Rule(_badge),
    "Icon": Rule(_icon),
    "Image": Rule(_image),
    "Fragment": UNWRAPPED,
    "iframe": EMBEDDED,
    "style": Rule(lambda tags, piece, _: tags.drop(piece, "<style>")),
    "script": Rule(lambda tags, piece, _: tags.drop(piece, "<script>")),
}
