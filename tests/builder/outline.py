"""The parse of a body as text that a fixture can hold: blocks by indentation, then the findings.

Card title="T"                a component with the attributes it was given
  p: some *text*              a block and its running text
  fence js: code
--
3:5 html-dropped              line, column and code of a finding
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from markupsafe import Markup

from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.syntax import parse
from builder.paths import Format
from components.base import Component

_NAMES = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "quote",
}
_INLINE = {
    "em_open": "*", "em_close": "*", "strong_open": "**", "strong_close": "**", "s_open": "~~",
    "s_close": "~~", "softbreak": " / ", "hardbreak": " // ", "link_open": "[",
}  # fmt: skip


def outline(source: str, form: Format = "mdx", *, premium: bool = True) -> str:
    """The outline of a body whose lines count from 1."""
    parsed = parse(Chunk(source, 1), form, premium=premium)
    found = [f"{one.line}:{one.column} {one.code}" for one in sorted(parsed.reading.diagnostics("page.mdx"))]
    return "\n".join([*_blocks(parsed.tokens), *(["--", *found] if found else [])])


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    depth = 0
    hold = ""
    for token in tokens:
        if token.type == "inline":
            text = running(token.children or ())
            yield f"{'  ' * max(0, depth - bool(hold))}{hold or 'title: '}{text}"
            hold = ""
        elif token.nesting > 0:
            name = _name(token)
            if token.type in {"paragraph_open", "heading_open", "th_open", "td_open"}:
                hold = f"{name}: "
            else:
                yield f"{'  ' * depth}{name}"
            depth += 1
        elif token.nesting < 0:
            depth -= 1
        elif token.type != "definition":
            info = f" {token.info.strip()}" if token.info.strip() else ""
            content = Markup(token.content).striptags() if token.type == "notice" else token.content
            content = content.strip().replace("\n", " / ")
            yield f"{'  ' * depth}{token.type}{info}: {content}".rstrip(": ")


def _name(token: Token) -> str:
    if token.type == "component_open":
        return shown(token.meta["opening"].component)
    if token.type == "heading_open":
        return f"{token.tag}{' #' + token.meta['id'] if token.meta else ''}"
    name = token.type.removesuffix("_open")
    return _NAMES.get(name, name)


def running(tokens: Sequence[Token]) -> str:
    """Running text with its marks."""
    out: list[str] = []
    addresses: list[str] = []
    for token in tokens:
        if token.type == "link_open":
            addresses.append(str(token.attrs.get("href", f"#{token.attrs.get('id', '')}")))
        if token.type == "link_close":
            out.append(f"]({addresses.pop()})")
        elif token.type == "image":
            out.append(f"![{running(token.children or ())}]({token.attrs['src']})")
        else:
            out.append(_piece(token))
    return "".join(out)


def _piece(token: Token) -> str:
    if token.type in _INLINE:
        return _INLINE[token.type]
    if token.type == "code_inline":
        return f"`{token.content}`"
    if token.type == "inline_component":
        return f"«{shown(token.meta['mark'].component)}»"
    if token.type in {"element_open", "element_close"}:
        attributes = "".join(f' {name}="{value}"' for name, value in token.attrs.items())
        return f"<{'/' if token.nesting < 0 else ''}{token.tag}{attributes}>"
    return f":{token.content}:" if token.type == "icon" else token.content


def shown(component: Component) -> str:
    """A component's tag with the attributes that are not as they are by default."""
    bare = type(component)()
    given = [
        f' {name}="{value}"'
        for name in component.__struct_fields__
        if (value := getattr(component, name)) != getattr(bare, name)
    ]
    return component.tag + "".join(given)
