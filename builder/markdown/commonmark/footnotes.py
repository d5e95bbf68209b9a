"""Footnotes, gathered at the end in the order of their first mention.

    Text.[^note]

    [^note]: What it says.

        More, indented by four.

Tokens: `footnote_ref` where it is mentioned; at the end `footnote_block_open`, for each note `footnote_open`,
its content, `footnote_close`, then `footnote_block_close`; within the content's last paragraph one
`footnote_anchor` for each mention. Their meta: `{"footnote": Footnote}`.
Env: `footnotes`, the line of each definition by its label. Notes: `footnote-undefined`, `footnote-unused`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from builder.markdown.commonmark.footnote_html import META, RENDERERS, Footnote
from builder.markdown.commonmark.parser_notes import Note, note

KEY = "footnotes"
UNUSED = "footnotes_unused"
"""In env: the opening tokens of the definitions that nothing mentions."""

_LABEL = r"\[\^([^\s\[\]]{1,200})\]"
_DEFINITION = re.compile(_LABEL + ":[ \t]*")
_MENTION = re.compile(_LABEL)


def plugin(md: MarkdownIt) -> None:
    """Recognise definitions and mentions."""
    md.block.ruler.before("reference", "footnote_def", define, {"alt": ["paragraph", "reference"]})
    md.inline.ruler.before("link", "footnote_ref", mention)
    md.core.ruler.after("inline", "footnote_tail", gather)
    for name, rule in RENDERERS.items():
        md.add_render_rule(name, rule)


def define(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """`[^label]: text` and the indented blocks below it. The first definition of a label counts."""
    start = state.bMarks[startLine] + state.tShift[startLine]
    if state.is_code_block(startLine) or not state.src.startswith("[^", start):
        return False
    found = _DEFINITION.match(state.src, start, state.eMarks[startLine])
    if found is None:
        return False
    if not silent:
        label = found[1].casefold()
        defined = state.env.setdefault(KEY, {})
        if label in defined:
            note(state.env, Note("footnote-unused", startLine, f"`{label}` is defined above", near=found[0]))
        defined.setdefault(label, startLine)
        opening = state.push("footnote_reference_open", "", 1)
        opening.meta = {META: Footnote(label)}
        opening.map = lines = [startLine, startLine]
        _content(state, startLine, endLine, found.end())
        lines[1] = state.line
        state.push("footnote_reference_close", "", -1)
    return True


def _content(state: StateBlock, startLine: int, endLine: int, begin: int) -> None:
    """Parse the blocks of a definition, as a list item indented by four."""
    marks, shift, count = state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine]
    parent, state.parentType = state.parentType, "footnote"
    before = state.blkIndent
    deep = count if count - before >= 4 else before  # where indentation makes no code
    state.blkIndent = deep + 4
    state.bMarks[startLine], state.tShift[startLine] = begin, 0
    state.sCount[startLine] = state.blkIndent
    state.md.block.tokenize(state, startLine, endLine)
    state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine] = marks, shift, count
    state.blkIndent = before
    state.parentType = parent


def mention(state: StateInline, silent: bool) -> bool:
    """`[^label]`, when the label is defined anywhere in the body; not within a link, as links do not nest."""
    if silent or KEY not in state.env or state.linkLevel or not state.src.startswith("[^", state.pos):
        return False
    found = _MENTION.match(state.src, state.pos, state.posMax)
    if found is None or found[1].casefold() not in state.env[KEY]:
        return False
    state.push("footnote_ref", "", 0).meta = {META: Footnote(found[1].casefold())}
    state.pos = found.end()
    return True


def gather(state: StateCore) -> None:
    """Number the notes in the order they are mentioned, first by the text, then by notes, and move them."""
    for token in state.tokens:
        if token.type == "inline" and "[^" in token.content:
            _note_undefined(token, state.env)
    if KEY not in state.env:
        return
    text, contents = _parted(state.tokens)
    mentions: dict[str, list[Token]] = {}
    order = _collect(text, mentions)
    for label in order:  # grows while it is gone through
        order.extend(_collect(contents[label], mentions))
    unused = contents.keys() - mentions.keys()
    for label in unused:
        _note_unused(label, state.env)
    state.env[UNUSED] = [
        token
        for token in state.tokens
        if token.type == "footnote_reference_open" and token.meta[META].label in unused
    ]
    state.tokens = [*text, *_block(contents, mentions)] if mentions else text


def _parted(tokens: Sequence[Token]) -> tuple[list[Token], dict[str, list[Token]]]:
    """The text, and the content of each note; a definition within another stands for itself."""
    text: list[Token] = []
    contents: dict[str, list[Token]] = {}
    open_: list[list[Token]] = [text]
    for token in tokens:
        if token.type == "footnote_reference_open":
            content: list[Token] = []
            contents.setdefault(token.meta[META].label, content)
            open_.append(content)
        elif token.type == "footnote_reference_close":
            open_.pop()
        else:
            open_[-1].append(token)
    return text, contents


def _collect(tokens: Sequence[Token], mentions: dict[str, list[Token]]) -> list[str]:
    """Number the mentions in `tokens`, and remember them by label; returns the labels that are new."""
    new: list[str] = []
    for token in tokens:
        for child in token.children or ():
            if child.type == "footnote_ref":
                label = child.meta[META].label
                if label not in mentions:
                    new.append(label)
                same = mentions.setdefault(label, [])
                same.append(child)
                number = same[0].meta[META].number or len(mentions)
                child.meta = {META: Footnote(label, number, len(same))}
    return new


def _block(contents: dict[str, list[Token]], mentions: dict[str, list[Token]]) -> Iterator[Token]:
    yield Token("footnote_block_open", "section", 1, block=True)
    for label, found in mentions.items():
        meta = {META: Footnote(label, found[0].meta[META].number)}
        yield Token("footnote_open", "li", 1, block=True, meta=meta)
        yield from _with_anchors(contents[label], found)
        yield Token("footnote_close", "li", -1, block=True)
    yield Token("footnote_block_close", "section", -1, block=True)


def _with_anchors(content: list[Token], mentions: list[Token]) -> list[Token]:
    """The content with the ways back at its end, in its last paragraph when it ends with one."""
    anchors = [Token("footnote_anchor", "a", 0, meta=mention.meta) for mention in mentions]
    if content and content[-1].type == "paragraph_close" and not content[-1].hidden:
        last = content[-2]
        last.children = [*(last.children or ()), *anchors]
        return content
    paragraph = Token("paragraph_open", "p", 1, block=True), Token("paragraph_close", "p", -1, block=True)
    return [*content, paragraph[0], Token("inline", "", 0, children=anchors), paragraph[1]]


def _note_undefined(token: Token, env: EnvType) -> None:
    line = token.map[0] if token.map else 0
    for child in token.children or ():
        for found in _MENTION.finditer(child.content) if child.type == "text" else ():
            message = f"there is no footnote `{found[1]}`"
            note(env, Note("footnote-undefined", line, message, near=found[0]))


def _note_unused(label: str, env: EnvType) -> None:
    message = f"nothing mentions the footnote `{label}`, so it is left out"
    note(env, Note("footnote-unused", env[KEY][label], message, near=f"[^{label}]"))
