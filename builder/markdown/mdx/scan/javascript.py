"""JavaScript on pages: statements, which go, and values of attributes that are data.

    statement  = import | listed | body
    import     = "import" string  |  "import" names "from" string [ "with" braces ]
    listed     = "export" ( "*" [ "as" name ] | braces ) [ "from" string ]
    body       = "export" ( "const" | "let" | "var" ) name "=" code
               | "export" [ "default" ] ( "function" | "class" ) code
               | "export" ( "type" | "interface" | "enum" ) name code
               | "export" "default" code

A statement fills its lines. `code` goes on over brackets, and over line ends after or before an operator.
Prose that begins with the word "import" or "export" fits none of these.

    value   = item | "[" [ item { "," item } [ "," ] ] "]"
    item    = string | number | "true" | "false"
    string  = '"' ... '"' | "'" ... "'" | "`" ... "`"      (a template without "${")
"""

from __future__ import annotations

import re

from builder.lazy_regex import lazy
from builder.markdown.mdx.scan.braces import QUOTED, Braces, skip_quoted

UNCLOSED = -2
"""What begins like a statement and has no end."""

_LONGEST = 65_536

_LINE = r"\n(?![ \t]*\n)[ \t]*+"  # no line is empty, so that there is one end of a line at most
_MAYBE = rf"[ \t]*+(?:{_LINE})?"
_SPACE = rf"(?:[ \t]++(?:{_LINE})?|{_LINE})"
"""Each takes its blanks for good: parts that could share them would try all ways to part them."""
_NAME = r"[\w$]+"
_STRING = r"""(?:"[^"\n]*"|'[^'\n]*')"""
_NAMES = r"\{[^{}\"';]*\}"  # the one place where there may be empty lines
_BINDING = rf"(?:{_NAME}|{_NAMES}|\*{_SPACE}as{_SPACE}{_NAME})"
_END = r"[ \t]*+(?:;[ \t]*+)?(?://[^\n]*)?(?:\n|\Z)"

_WHOLE = lazy(
    rf"""
      import{_MAYBE}{_STRING}(?:{_SPACE}(?:with|assert){_MAYBE}\{{[^{{}}\n]*\}})?{_END}
    | import{_SPACE}(?:type{_SPACE})?{_BINDING}(?:{_MAYBE},{_MAYBE}{_BINDING})?{_MAYBE}from{_MAYBE}{_STRING}
        (?:{_SPACE}(?:with|assert){_MAYBE}\{{[^{{}}\n]*\}})?{_END}
    | export{_MAYBE}\*(?:{_MAYBE}as{_SPACE}{_NAME})?{_MAYBE}from{_MAYBE}{_STRING}{_END}
    | export{_MAYBE}(?:type{_SPACE})?{_NAMES}(?:{_MAYBE}from{_MAYBE}{_STRING})?{_END}
    """,
    re.VERBOSE,
)
_HEAD = lazy(
    rf"""export{_SPACE}(?:
      (?:const|let|var){_SPACE}(?:{_NAME}|{_NAMES}|\[[^\[\]\n]*\]){_MAYBE}(?::[^=\n]+)?=(?![=>])
    | (?:default{_SPACE})?(?:async{_SPACE})?function{_MAYBE}\*?{_MAYBE}(?:{_NAME})?{_MAYBE}(?=[(<])
    | (?:default{_SPACE})?(?:abstract{_SPACE})?class{_SPACE}[^\n{{}}]*(?=\{{)
    | (?:type|interface|enum|const{_SPACE}enum){_SPACE}{_NAME}[^\n={{}}]*(?=[={{])
    | default{_SPACE}(?=[(\[{{`"'<]|(?:async|new){_SPACE}|[\w$.]+[ \t]*(?:;|\n|\Z|\(|=>))
    )""",
    re.VERBOSE,
)
_MARK = lazy(r"""[()\[\]{}\n"'`]|/\*|//""")
_DEPTH = {"(": 1, "[": 1, ")": -1, "]": -1, "}": -_LONGEST}
_QUOTED = {**QUOTED, "`": lazy(r"(?:[^`\\]++|\\.)*(`)?", re.DOTALL)}
_EMPTY = lazy(r"[ \t]*(?:\n|\Z)")
_GOES_ON_AFTER = lazy(r"(?:[=,+\-*&|?:(\[{]|=>)\Z")
_GOES_ON_BEFORE = lazy(r"[ \t]*(?:[.?:)\]},]|&&|\|\||[+*]|=>)")

Item = str | int | float | bool
Value = Item | tuple[Item, ...]

_ITEM = lazy(
    r"""\s*(?:
      (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`)
    | (?P<number>[-+]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15}))
    | (?P<flag>true|false)
    )\s*""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = lazy(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\n)|(.))", re.DOTALL)
_MORE = lazy(r"\S")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def statement_end(braces: Braces, start: int) -> int:
    """The offset after the statement at `start`, its line end included; -1 or UNCLOSED when there is none."""
    whole = _WHOLE.match(braces.text, start)
    if whole:
        return whole.end()
    head = _HEAD.match(braces.text, start)
    return _code_end(braces, head.end()) if head else -1


def _code_end(braces: Braces, pos: int) -> int:
    text, begin, depth = braces.text, pos, 0
    hopeless: dict[str, int] = {}
    while pos - begin < _LONGEST:
        found = _MARK.search(text, pos)
        if found is None:
            return UNCLOSED if depth else len(text)
        mark, pos = found[0], found.end()
        if mark == "\n":
            if not depth and not _goes_on(text, pos):
                return pos
        elif mark in _QUOTED:
            pos = skip_quoted(text, mark, pos, hopeless, _QUOTED)
        elif mark == "{":
            pos = braces.end(found.start())
        else:
            depth += _DEPTH[mark]
        if depth < 0 or pos < 0:
            return UNCLOSED
    return UNCLOSED


def _goes_on(text: str, line: int) -> bool:
    """Return whether the code goes on in the line that begins at `line`."""
    if _EMPTY.match(text, line):
        return False
    before = text[max(0, line - 80) : line].rstrip()
    return bool(_GOES_ON_AFTER.search(before) or _GOES_ON_BEFORE.match(text, line))


def literal(source: str) -> Value | None:
    """The value that `source`, the text between the braces, stands for; None when it is no plain data."""
    found = _ITEM.fullmatch(source)
    if found:
        return _item(found)
    inner = source.strip()
    if inner.startswith("[") and inner.endswith("]"):
        return _array(inner[1:-1])
    return None


def _array(inner: str) -> tuple[Item, ...] | None:
    items: list[Item] = []
    pos = 0
    while _MORE.search(inner, pos):
        found = _ITEM.match(inner, pos)
        if found is None or (found.end() < len(inner) and inner[found.end()] != ","):
            return None
        items.append(_item(found))
        pos = found.end() + 1
    return tuple(items)


def _item(found: re.Match[str]) -> Item:
    if found["string"]:
        return _ESCAPE.sub(_unescape, found["string"][1:-1])
    if found["flag"]:
        return found["flag"] == "true"
    number = found["number"]
    return float(number) if "." in number else int(number)


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        number = int(code, 16)
        valid = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
        return chr(number) if valid else "\ufffd"
    return "" if found[4] else _SHORT.get(found[5], found[5])
