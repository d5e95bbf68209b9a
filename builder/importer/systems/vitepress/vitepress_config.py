"""Read the configuration of a VitePress site, which is parsed and never run, from all files that it has."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from builder.importer.literals import Call, CodeValue, Literal, Module, first_data, json_module
from builder.importer.old_site import Loss
from builder.importer.read_literals import read_module
from builder.importer.source_page import SourcePage
from builder.importer.source_tree import SourceTree

_ENDINGS = ("ts", "mts", "js", "mjs", "cjs")
CONFIGS = tuple(f".vitepress/{name}.{ending}" for name in ("config", "config/index") for ending in _ENDINGS)
_WAY = re.compile(r"[\w$]+(?:\.[\w$]+)+")
_IN_TEMPLATE = re.compile(r"\$\{([^{}]*)\}")
_DEEPEST = 12
_MOST_NAMES = 2
_MOST = 50_000
"""Values that are looked at, so that files which name one another take bounded time."""


class ConfigReader:
    """Reads the configuration of one site; what is no data is added to the losses."""

    def __init__(self, origin: SourceTree, file: str, losses: list[Loss]) -> None:
        self._origin = origin
        self._file = file
        self._losses = losses
        self._modules: dict[str, Module] = {}
        self._left = _MOST

    def read(self) -> Mapping[str, Literal]:
        """Return the configuration, with a loss where it is no data."""
        module = self.module(self._file)
        found = self.value(module.exports.get("default"))
        if not isinstance(found, dict):
            self._losses.append(
                Loss("configuration that is no data", self._file, 0, str(getattr(found, "text", ""))[:300])
            )
            objects = [each for each in module.names.values() if isinstance(each, dict)]
            found = next((each for each in objects if "themeConfig" in each or "title" in each), {})
        return found

    def module(self, file: str) -> Module:
        """Return a file of the configuration."""
        if file not in self._modules:
            read = json_module if file.endswith(".json") else read_module
            self._modules[file] = read(self._origin.text(file) or "")
        return self._modules[file]

    def value(self, value: Literal, depth: int = 0) -> Literal:
        """Follow a name, or the call of a function, to where the configuration's files define it.

        An object with others spread into it is one with their fields.
        """
        self._left -= 1
        if self._left < 0:
            return value
        if isinstance(value, dict) and depth < _DEEPEST and any(name.startswith("...") for name in value):
            return self._spread(value, depth)
        name = value.name if isinstance(value, Call) else getattr(value, "text", "")
        if name.startswith("`"):
            return self._template(name, value, depth)
        name, *way = name.split(".") if isinstance(value, CodeValue) and _WAY.fullmatch(name) else [name]
        if way:
            return first_data(self.value(CodeValue(name, 0), depth + 1), *way) or value
        for file in [self._file, *self._modules] if name and depth < _DEEPEST else ():
            module = self.module(file)
            if isinstance(value, Call) and name in module.names:
                return self.value(module.names[name], depth + 1)
            if name in module.imports:
                return self._imported(file, *module.imports[name], value, depth)
        return value

    def _imported(self, origin: str, source: str, name: str, value: Literal, depth: int) -> Literal:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(origin), source))
        endings = ("", *(f".{one}" for one in _ENDINGS), *(f"/index.{one}" for one in _ENDINGS))
        file = next((f"{place}{end}" for end in endings if self._origin.has(f"{place}{end}")), "")
        if not source.startswith(".") or not file:
            return value
        return self.value(self.module(file).exports.get(name, value), depth + 1)

    def _template(self, text: str, value: Literal, depth: int) -> Literal:
        """Return the text of a template in which each value is data."""

        def put(found: re.Match[str]) -> str:
            inner = self.value(CodeValue(found[1].strip(), 0), depth + 1) if depth < _DEEPEST else None
            return str(inner) if isinstance(inner, str | int | float) else found[0]

        filled = _IN_TEMPLATE.sub(put, text[1:-1])
        return value if "${" in filled else filled

    def _spread(self, value: Mapping[str, Literal], depth: int) -> Literal:
        found: dict[str, Literal] = {}
        for name, each in value.items():
            text = getattr(each, "text", "")
            inner = (
                self.value(CodeValue(text.removeprefix("..."), 0), depth + 1)
                if name.startswith("...")
                else None
            )
            if isinstance(inner, dict):
                found |= inner
            elif not name.startswith("..."):
                found[name] = each
        return found


def renamed_path(path: str, old: str, new: str) -> str:
    """Return the path that a rule of `rewrites` gives, "" where the rule is for others.

    A rule names parts of a path by `:name`, and the rest of it by `:name*` or `:name(.*)`.
    """
    names: list[str] = []
    parts: list[str] = []
    for piece in re.split(r"(:\w+(?:\*|\([^()]*\))?)", old):
        found = re.match(r":(\w+)(.*)", piece)
        if found and len(names) < _MOST_NAMES:
            names.append(found[1])
            parts.append("(.+)" if found[2] else "([^/]+)")
        else:
            parts.append(re.escape(piece))
    match = re.fullmatch("".join(parts), path)
    if match is None:
        return ""
    values = dict(zip(names, match.groups(), strict=True))
    return re.sub(r":(\w+)\*?", lambda one: values.get(one[1], one[0]), new)


def filled_route(source: SourcePage, name: str, route: Literal) -> tuple[SourcePage, str] | None:
    """Return the page for one value with its path; None where the value is no data."""
    params = first_data(route, "params")
    values = (
        {key: each for key, each in params.items() if isinstance(each, str | int)}
        if isinstance(params, dict)
        else {}
    )
    path = re.sub(r"\[(\w+)\]", lambda found: str(values.get(found[1], found[0])), name)
    if "[" in path:
        return None
    content = first_data(route, "content")
    body = source.body.replace("<!-- @content -->", content) if isinstance(content, str) else source.body
    fill = re.compile(r"\{\{[ \t]*\$params\.(\w+)[ \t]*\}\}")
    body = fill.sub(lambda found: str(values.get(found[1], found[0])), body)
    return SourcePage(f"{source.file}#{path}", source.fields, body, source.first_line), path
