"""Read the data in files of JavaScript and TypeScript, which are parsed and never run.

Objects, lists, strings, numbers and names that the same file defines are data. All else is a `CodeValue`:
its text, and where it stands, so that the report can ask for it. A wrapper is seen through:
`defineConfig({...})`, `{...} as T`, `{...} satisfies T`, `(...)`, a function without conditions that returns
its value. Of `a || b`, `a ?? b` and `a ? b : c` the first that is data counts, which is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from builder.importer.literals import Call, CodeValue, Literal, Module, is_data
from builder.lazy_regex import lazy

_LONGEST = 2 * 1024 * 1024
_DEEPEST = 60
_MOST = 200_000
"""Nodes that are looked at, so that a file in which names stand for one another takes bounded time."""
_ESCAPE = lazy(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_OTHERWISE = re.compile(r"dev|preview|test|debug|staging|branch|local|!==? ?[\"']production", re.IGNORECASE)
_SEEN_THROUGH = {
    "as_expression",
    "satisfies_expression",
    "parenthesized_expression",
    "non_null_expression",
    "await_expression",
}
_PARSER = Parser(Language(tree_sitter_typescript.language_tsx()))


def read_module(text: str) -> Module:
    """Read a file. Total: a file that is no program has no exports."""
    source = text[:_LONGEST].encode()
    reader = _Reader(source, _PARSER.parse(source).root_node)
    return reader.module()


def read_value(text: str) -> Literal:
    """Read one expression, as stands in the braces of an attribute. Total."""
    source = f"({text[:_LONGEST]}\n)".encode()
    root = _PARSER.parse(source).root_node
    if root.has_error or root.named_child_count != 1 or root.named_children[0].type != "expression_statement":
        return CodeValue(text, 1)
    value = _Reader(source, root).value(root.named_children[0].named_children[0])
    return CodeValue(text, 1) if isinstance(value, CodeValue) else value


class _Reader:
    """Reads the tree of one file."""

    def __init__(self, source: bytes, root: Node) -> None:
        self._source = source
        self._root = root
        self._left = _MOST
        self._defined: dict[str, Node] = {}
        self._within: list[str] = []

    def module(self) -> Module:
        """Return what the file exports."""
        module = Module()
        statements = [self._declared(each) for each in self._root.named_children]
        for statement in statements:
            for name, node in self._definitions(statement):
                self._defined.setdefault(name, node)
        for given, statement in zip(self._root.named_children, statements, strict=True):
            self._import(given, module)
            self._export(given, statement, module)
        module.names = {name: self.value(node) for name, node in list(self._defined.items())}
        return module

    def _declared(self, statement: Node) -> Node:
        declared = statement.child_by_field_name("declaration")
        return declared if statement.type == "export_statement" and declared is not None else statement

    def _definitions(self, statement: Node) -> Iterator[tuple[str, Node]]:
        if statement.type in {"function_declaration", "class_declaration"}:
            name = statement.child_by_field_name("name")
            if name is not None:
                yield self._text(name), statement
        for each in statement.named_children if statement.type.endswith("_declaration") else ():
            name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
            if each.type == "variable_declarator" and name is not None and value is not None:
                yield self._text(name), value

    def _import(self, statement: Node, module: Module) -> None:
        source = statement.child_by_field_name("source")
        if source is None:
            return
        file = self._string(source)
        for name, other in self._imported(statement):
            if statement.type == "import_statement":
                module.imports[name] = file, other
            else:
                module.exports[name] = Call("import", (file, other), self._line(statement))

    def _imported(self, statement: Node) -> Iterator[tuple[str, str]]:
        for clause in statement.named_children:
            if clause.type not in {"import_clause", "export_clause"}:
                continue
            for each in _leaves(clause):
                if each.type == "identifier":
                    yield self._text(each), "default"
                elif each.type == "namespace_import":
                    yield self._text(each.named_children[0]), "*"
                else:
                    name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                    if name is not None:
                        here = self._text(alias or name)
                        yield here, self._text(name)

    def _export(self, given: Node, statement: Node, module: Module) -> None:
        if given.type == "export_statement" and given.child_by_field_name("source") is None:
            value = given.child_by_field_name("value")
            if value is not None or any(each.type == "default" for each in given.children):
                module.exports["default"] = self.value(value or statement)
            for defined, node in self._definitions(statement):
                module.exports[defined] = self.value(node)
            for clause in given.named_children:
                for each in clause.named_children if clause.type == "export_clause" else ():
                    name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                    if name is not None:
                        module.exports[self._text(alias or name)] = self._named(name)
        if given.type == "expression_statement":
            self._assigned(given.named_children[0], module)

    def _assigned(self, node: Node, module: Module) -> None:
        """Take `module.exports = value`, `module.exports.name = value` and `exports.name = value`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type != "assignment_expression" or left is None or right is None:
            return
        way = self._text(left).removeprefix("module.").split(".")
        if way[0] == "exports" and len(way) <= 2:
            module.exports[way[1] if len(way) == 2 else "default"] = self.value(right)

    def value(self, node: Node) -> Literal:
        """Return what a node stands for."""
        self._left -= 1
        if self._left < 0 or len(self._within) > _DEEPEST:
            return self._code(node)
        read = _READ.get(node.type)
        if read is not None:
            return read(self, node)
        if node.type in _SEEN_THROUGH and node.named_children:
            return self.value(node.named_children[0])
        return self._code(node)

    def _object(self, node: Node) -> Literal:
        found: dict[str, Literal] = {}
        for each in node.named_children:
            if each.type == "pair":
                key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
                if key is not None and value is not None and (name := self._key(key)) is not None:
                    found[name] = self.value(value)
            elif each.type == "shorthand_property_identifier":
                found[self._text(each)] = self._named(each)
            elif each.type == "spread_element":
                inner = self.value(each.named_children[0])
                found |= inner if isinstance(inner, dict) else {f"...{self._text(each)}": self._code(each)}
            elif each.type == "method_definition" and (name_node := each.child_by_field_name("name")):
                found[self._text(name_node)] = self._returned(each)
        return found

    def _key(self, node: Node) -> str | None:
        if node.type == "string":
            return self._string(node)
        if node.type == "computed_property_name":
            value = self.value(node.named_children[0])
            return value if isinstance(value, str) else None
        return self._text(node)

    def _array(self, node: Node) -> Literal:
        found: list[Literal] = []
        for each in node.named_children:
            if each.type == "comment":
                continue
            if each.type != "spread_element":
                found.append(self.value(each))
                continue
            inner = self.value(each.named_children[0])
            found += inner if isinstance(inner, list) else [self._code(each)]
        return found

    def _string(self, node: Node) -> str:
        return _unescaped(self._text(node)[1:-1])

    def _template(self, node: Node) -> Literal:
        parts: list[str] = []
        end = node.start_byte + 1
        for each in node.named_children:
            if each.type != "template_substitution":
                continue
            value = self.value(each.named_children[0]) if each.named_children else None
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                return self._code(node)
            parts += [_unescaped(self._between(end, each.start_byte)), str(value)]
            end = each.end_byte
        return "".join((*parts, _unescaped(self._between(end, node.end_byte - 1))))

    def _number(self, node: Node) -> Literal:
        text = self._text(node).replace("_", "")
        try:
            return int(text, 0)
        except ValueError:
            pass  # a fraction, or of a form of JavaScript's own
        try:
            return float(text)
        except ValueError:
            return self._code(node)

    def _signed(self, node: Node) -> Literal:
        value = self.value(node.named_children[0])
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return -value if is_number and self._text(node).startswith("-") else self._code(node)  # type: ignore[operator]

    def _named(self, node: Node) -> Literal:
        name = self._text(node)
        known = self._defined.get(name)
        if known is None or name in self._within:
            return None if name == "undefined" else self._code(node)
        self._within.append(name)
        try:
            return self.value(known)
        finally:
            self._within.pop()

    def _member(self, node: Node) -> Literal:
        of, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        inner = self.value(of) if of is not None else None
        key = self._text(name) if name is not None else ""
        if isinstance(inner, dict) and key in inner:
            return inner[key]
        return inner if isinstance(inner, Call) and key == "default" else self._code(node)

    def _call(self, node: Node) -> Literal:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or given is None or function.type not in {"identifier", "member_expression"}:
            return self._code(node)
        arguments = tuple(self.value(each) for each in given.named_children if each.type != "comment")
        name = self._text(function)
        if _is_wrapper(name) and len(arguments) == 1 and isinstance(arguments[0], dict | list):
            return arguments[0]
        return Call(name, arguments, self._line(node))

    def _either(self, node: Node) -> Literal:
        """Return the first of the values that is data, of several lists the longest.

        Of a condition on previews and the like, what holds otherwise counts first.
        """
        found = [self.value(each) for each in node.named_children]
        choices = found[1:] if node.type == "ternary_expression" else found
        if node.type == "ternary_expression" and _OTHERWISE.search(self._text(node.named_children[0])):
            choices = choices[::-1]
        data = [each for each in choices if is_data(each)]
        lists = [each for each in data if isinstance(each, list)]
        return max(lists, key=len) if lists else data[0] if data else self._code(node)

    def _joined(self, node: Node) -> Literal:
        """Texts that are added, and the choices of `||` and `??`."""
        sign = node.child_by_field_name("operator")
        if sign is not None and sign.type in {"||", "??"}:
            return self._either(node)
        values = [self.value(each) for each in node.named_children]
        if sign is not None and sign.type == "+" and all(isinstance(each, str) for each in values):
            return "".join(map(str, values))
        return self._code(node)

    def _returned(self, node: Node) -> Literal:
        """Return what a function without conditions gives."""
        body = node.child_by_field_name("body")
        if body is None or body.type != "statement_block":
            return self._code(node) if body is None else self.value(body)
        for statement in body.named_children:
            for name, inner in self._definitions(statement):
                self._defined.setdefault(name, inner)
        last = body.named_children[-1] if body.named_children else None
        if last is None or last.type != "return_statement" or not last.named_children:
            return self._code(node)
        return self.value(last.named_children[0])

    def _code(self, node: Node) -> CodeValue:
        return CodeValue(self._text(node), self._line(node))

    def _text(self, node: Node) -> str:
        return self._between(node.start_byte, node.end_byte)

    def _between(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")

    def _line(self, node: Node) -> int:
        return int(node.start_point[0]) + 1


_READ: Mapping[str, Callable[[_Reader, Node], Literal]] = {
    "object": _Reader._object,
    "array": _Reader._array,
    "string": _Reader._string,
    "template_string": _Reader._template,
    "number": _Reader._number,
    "true": lambda *_: True,
    "false": lambda *_: False,
    "null": lambda *_: None,
    "undefined": lambda *_: None,
    "identifier": _Reader._named,
    "member_expression": _Reader._member,
    "call_expression": _Reader._call,
    "unary_expression": _Reader._signed,
    "binary_expression": _Reader._joined,
    "ternary_expression": _Reader._either,
    "arrow_function": _Reader._returned,
    "function_declaration": _Reader._returned,
    "function_expression": _Reader._returned,
}


def _is_wrapper(name: str) -> bool:
    """Return whether a function gives back what it gets: `defineConfig`, `withMermaid`, `Object.freeze`."""
    return bool(re.match(r"(?:define|with|create|Object\.freeze$|extend)[A-Z.]?", name))


def _leaves(clause: Node) -> Iterator[Node]:
    """The names in the clause of an import."""
    for each in clause.named_children:
        if each.type == "named_imports":
            yield from _leaves(each)
        else:
            yield each


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    sign = found[1]
    if len(sign) > 1 and sign[0] in "ux":
        number = int(sign[1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return _ESCAPES.get(sign, sign)
