"""Read components that a site wrote in JSX as templates: the elements that they return, and attributes.

    export const Since = ({ version }) => <Badge>New in {version}</Badge>

becomes `<Badge>New in %{version}</Badge>`. Nothing is run: of conditions the first element counts, and an
expression that is more than an attribute stays, so that it is told where the template is rewritten.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping

import tree_sitter_typescript
from msgspec import Struct, field
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_typescript.language_tsx()))
_LONGEST = 200_000
_DEEPEST = 50
_MOST = 5_000
_LOOKS = frozenset({"className", "class", "style", "key", "ref"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function_declaration", "function"})
_ELEMENTS = frozenset({"jsx_element", "jsx_self_closing_element", "jsx_fragment"})
_CHILDREN = "children"


class JsxSource(Struct, frozen=True):
    """The place of a component: its file, the text of that, and the name by which it is exported."""

    file: str
    text: str
    name: str


class ComponentTemplate(Struct, frozen=True):
    """The elements that a component shows. `attributes` have the default of each, "" for none."""

    body: str
    attributes: Mapping[str, str] = field(default_factory=dict)


def component_template(source: JsxSource) -> ComponentTemplate | None:
    """Return what a component shows; None for what returns no elements. Total."""
    data = source.text[:_LONGEST].encode()
    function = _function(_PARSER.parse(data).root_node, source.name)
    if function is None:
        return None
    writer = _Writer(data, *_parameters(function))
    returned = _returned(function)
    body = writer.shown(returned, 0).strip() if returned is not None else ""
    return ComponentTemplate(f"{body}\n", writer.attributes) if body else None


def _function(root: Node, name: str) -> Node | None:
    """Return the function that a file exports by a name."""
    found: dict[str, Node] = {}
    default = ""
    for statement in root.named_children:
        declared = statement.child_by_field_name("declaration") or statement
        is_default = any(each.type == "default" for each in statement.children)
        value = statement.child_by_field_name("value")
        for own, node in _declared(declared):
            found[own] = node
            default = own if is_default else default
        if is_default and value is not None:
            default = _text(value)
            if value.type in _FUNCTIONS:
                return value if name == "default" else found.get(name)
    return found.get(default if name == "default" else name)


def _declared(statement: Node) -> Iterator[tuple[str, Node]]:
    """Yield the functions that a statement defines, each with its name."""
    for each in (statement, *statement.named_children):
        name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if each.type == "function_declaration" and name is not None:
            yield _text(name), each
        is_variable = each.type == "variable_declarator" and name is not None
        if is_variable and name is not None and value is not None and value.type in _FUNCTIONS:
            yield _text(name), value


def _parameters(function: Node) -> tuple[str, Mapping[str, str]]:
    """Return the name of all attributes together, "" for none, and that and the default of each."""
    given = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
    first = given.named_children[0] if given is not None and given.named_children else given
    first = first.child_by_field_name("pattern") or first if first is not None else None
    if first is None or first.type == "identifier":
        return (_text(first) if first is not None else ""), {}
    found: dict[str, str] = {}
    for each in first.named_children:
        left, right = each.child_by_field_name("left"), each.child_by_field_name("right")
        name = left if left is not None else each
        if name.type == "shorthand_property_identifier_pattern":
            is_text = right is not None and right.type in {"string", "number"}
            found[_text(name)] = _text(right).strip("\"'") if is_text and right is not None else ""
    return "", found


def _returned(function: Node) -> Node | None:
    """Return the elements that a function returns in the end."""
    body = function.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return body
    returns = [
        each for each in body.named_children if each.type == "return_statement" and each.named_children
    ]
    return returns[-1].named_children[0] if returns else None


class _Writer:
    """Writes elements as a template. `whole` is the name of all attributes together, "" for none."""

    def __init__(self, source: bytes, whole: str, attributes: Mapping[str, str]) -> None:
        self._source = source
        self._whole = whole
        self.attributes = {name: given for name, given in attributes.items() if name != _CHILDREN}
        self._known = set(attributes)
        self._left = _MOST

    def shown(self, node: Node, depth: int) -> str:
        """Return what a node shows; an expression that is not known stays as it is, in braces."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return ""
        if node.type in _ELEMENTS:
            return self._element(node, depth)
        if node.type in {"string", "template_string"}:
            return html.escape(self._template(node) or "", quote=False)
        if node.type in {"parenthesized_expression", "jsx_expression"}:
            inner = [each for each in node.named_children if each.type != "comment"]
            return self.shown(inner[0], depth + 1) if inner else ""
        if (name := self._attribute(node)) is not None:
            return "<Slot/>" if name == _CHILDREN else f"%{{{name}}}"
        return self._chosen(node, depth)

    def _chosen(self, node: Node, depth: int) -> str:
        """Return the first elements of a condition, else the expression as it is."""
        sides = [node.child_by_field_name(name) for name in ("consequence", "alternative", "right")]
        for side in map(_bare, sides) if node.type in {"ternary_expression", "binary_expression"} else ():
            if side is not None and (side.type in _ELEMENTS or self._attribute(side) is not None):
                return self.shown(side, depth + 1)
        return f"{{{self._raw(node)}}}" if node.type not in {"null", "undefined", "false", "true"} else ""

    def _attribute(self, node: Node) -> str | None:
        """Return the attribute of the component that an expression is."""
        text = self._raw(node)
        if node.type == "identifier" and text in self._known:
            return text
        whole, _, name = text.partition(".")
        if node.type == "member_expression" and whole == self._whole and name.isidentifier():
            self._known.add(name)
            if name != _CHILDREN:
                self.attributes.setdefault(name, "")
            return name
        return None

    def _element(self, node: Node, depth: int) -> str:
        opening = node if node.type == "jsx_self_closing_element" else node.child_by_field_name("open_tag")
        name = opening.child_by_field_name("name") if opening is not None else None
        given = [self._given(each) for each in opening.named_children] if opening is not None else []
        tag = " ".join(filter(None, (self._raw(name) if name is not None else "", *given)))
        if node.type == "jsx_self_closing_element":
            return f"<{tag} />"
        inner = self._inner(node, depth)
        return f"<{tag}>{inner}</{self._raw(name)}>" if name is not None else inner

    def _inner(self, node: Node, depth: int) -> str:
        """Return what is between tags; elements alone get lines of their own."""
        parts: list[str] = []
        is_mixed = False
        for each in node.named_children:
            if each.type in {"jsx_opening_element", "jsx_closing_element"}:
                continue
            part = _joined(self._raw(each)) if "text" in each.type else self.shown(each, depth + 1)
            is_mixed = is_mixed or (bool(part.strip()) and not part.startswith("<"))
            parts.append(part)
        if is_mixed or sum(bool(part.strip()) for part in parts) < 2:
            return "".join(parts)
        return "\n" + "\n".join(part for part in parts if part.strip()) + "\n"

    def _given(self, node: Node) -> str:
        """Return an attribute of an element; looks and what acts on events are left out."""
        if node.type != "jsx_attribute":
            return ""
        name = self._raw(node.named_children[0])
        value = node.named_children[1] if len(node.named_children) > 1 else None
        if name in _LOOKS or (name.startswith("on") and name[2:3].isupper()):
            return ""
        if value is None:
            return name
        inner = value.named_children[0] if value.type == "jsx_expression" and value.named_children else value
        own = self._attribute(inner)
        text = f"%{{{own}}}" if own is not None else self._template(inner)
        return (
            f'{name}="{html.escape(text, quote=True)}"' if text is not None else f"{name}={self._raw(value)}"
        )

    def _template(self, node: Node) -> str | None:
        """Return a text in quotes or backticks, with attributes in it; None for one that holds more."""
        if node.type == "string":
            return html.unescape(self._raw(node)[1:-1])
        if node.type != "template_string":
            return None
        text = self._raw(node)[1:-1]
        for each in node.named_children:
            if each.type == "template_substitution":
                name = self._attribute(each.named_children[0]) if each.named_children else None
                if name is None:
                    return None
                text = text.replace(self._raw(each), f"%{{{name}}}")
        return text

    def _raw(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _bare(node: Node | None) -> Node | None:
    """Return an expression without the brackets round it."""
    while node is not None and node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    return node


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _joined(text: str) -> str:
    """Return a text as JSX shows it: line ends with the blanks round them are one blank, none at the ends."""
    lines = text.split("\n")
    kept = [
        line.lstrip()
        if number and number == len(lines) - 1
        else line.rstrip()
        if not number
        else line.strip()
        for number, line in enumerate(lines)
    ]
    return " ".join(filter(None, kept)) if len(lines) > 1 else text
