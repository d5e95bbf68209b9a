"""Write operations of API descriptions as text: an `Endpoint`, its `Params`, and examples.

https://spec.openapis.org/oas/latest.html. What is read is JSON or YAML of the site's own files; descriptions
that lie elsewhere are not asked for. References within a description are followed, a bounded number deep.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from builder.importer.source_page import read_yaml
from builder.importer.source_tree import SourceTree
from builder.yaml.safe import YamlFault

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
OPERATION = re.compile(
    r"(?:(?P<file>\S+\.(?:json|ya?ml)|https?://\S+)[ ]+)?(?P<method>[A-Za-z]+)[ ]+(?P<path>\S+)"
)
_HEAD = re.compile(r"[\"']?(?:openapi|swagger)[\"']?[ ]*:")
_SIGNS = re.compile(r"[{}<]")
_CODE = re.compile(r"(`{1,8})(?:(?!\1).){0,2000}\1", re.DOTALL)
_PLACES = {"path": "Path", "query": "Query", "header": "Headers", "cookie": "Cookies"}
_DEEPEST = 4
_MOST_FIELDS = 200

Values = Mapping[str, object]


class ApiOperation(Struct, frozen=True):
    """An operation of a description: verb in capitals, path, and what is said of it."""

    description: ApiDescription
    method: str
    path: str
    said: Values

    @property
    def title(self) -> str:
        """The name that readers saw."""
        found = self.said.get("summary") or self.said.get("operationId") or f"{self.method} {self.path}"
        return " ".join(str(found).split())

    @property
    def tag(self) -> str:
        """The first tag, "" for none."""
        tags = self.said.get("tags")
        return str(tags[0]) if isinstance(tags, list) and tags else ""


class ApiDescription:
    """A description of an API as it was read."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._left = _MOST_FIELDS * 100

    def operations(self) -> Iterator[ApiOperation]:
        """Yield all operations, in the order of the description."""
        for path, item in _mapping(self._values.get("paths")).items():
            for method, said in self.resolved(item).items():
                if method in METHODS and isinstance(said, dict):
                    shared = _listed(self.resolved(item).get("parameters"))
                    given = {**said, "parameters": [*shared, *_listed(said.get("parameters"))]}
                    yield ApiOperation(self, method.upper(), str(path), given)

    def resolved(self, given: object, depth: int = 0) -> Values:
        """Return a mapping, that which a reference names in its place."""
        found = _mapping(given)
        named = found.get("$ref")
        if not isinstance(named, str) or depth > _DEEPEST:
            return found
        value: object = self._values
        for step in named.partition("#/")[2].split("/"):
            value = _mapping(value).get(step.replace("~1", "/").replace("~0", "~"))
        return self.resolved(value, depth + 1)

    @property
    def server(self) -> str:
        """The address before all paths, "" where there is none."""
        servers = _listed(self._values.get("servers"))
        url = _mapping(servers[0]).get("url") if servers else None
        host = self._values.get("host")
        old = f"https://{host}{self._values.get('basePath') or ''}" if isinstance(host, str) else ""
        return url.rstrip("/") if isinstance(url, str) and url.startswith("http") else old

    def has_auth(self, said: Values) -> bool:
        """Return whether an operation asks for credentials."""
        return bool(said.get("security", self._values.get("security")))

    def fields(self, schema: object, prefix: str = "", depth: int = 0) -> Iterator[str]:
        """Yield a `Param` for each property of a schema, those of inner objects with a dotted name."""
        whole = self._merged(schema)
        required = _listed(whole.get("required"))
        for name, given in _mapping(whole.get("properties")).items():
            self._left -= 1
            if self._left <= 0:
                return
            inner = self._merged(given)
            yield param(f"{prefix}{name}", inner, is_required=name in required)
            below = self._merged(inner.get("items")) if inner.get("type") == "array" else inner
            if below.get("properties") and depth < _DEEPEST - 2:
                dots = "[]." if below is not inner else "."
                yield from self.fields(below, f"{prefix}{name}{dots}", depth + 1)

    def _merged(self, schema: object) -> Values:
        """Return a schema with those that it is made of."""
        found = self.resolved(schema)
        parts = [self.resolved(each) for each in _listed(found.get("allOf"))[:20]]
        if not parts:
            return found
        properties: dict[str, object] = {}
        required: list[object] = []
        for part in (*parts, found):
            properties |= _mapping(part.get("properties"))
            required += _listed(part.get("required"))
        return {**found, "type": "object", "properties": properties, "required": required}

    def example(self, media: Values) -> object:
        """Return an example of a body; None where the description gives none."""
        listed = [self.resolved(each).get("value") for each in _mapping(media.get("examples")).values()]
        given = media.get("example", listed[0] if listed else None)
        return given if given is not None else self.sample(media.get("schema"))

    def sample(self, schema: object, above: tuple[object, ...] = ()) -> object:
        """Return the example that a schema and its properties give; None for none, as within itself."""
        named, whole = _mapping(schema).get("$ref"), self._merged(schema)
        self._left -= 1
        if (named and named in above) or len(above) > _DEEPEST or self._left <= 0:
            return None
        if "example" in whole:
            return whole["example"]
        inner = (*above, named)
        if whole.get("type") == "array":
            item = self.sample(whole.get("items"), inner)
            return None if item is None else [item]
        found = {
            name: value
            for name, each in _mapping(whole.get("properties")).items()
            if (value := self.sample(each, inner)) is not None
        }
        return found or None


class ApiDescriptions:
    """The descriptions among the files of a site."""

    def __init__(self, origin: SourceTree, files: Sequence[str]) -> None:
        self._origin = origin
        self._files = [file for file in files if file.endswith((".json", ".yaml", ".yml"))]
        self._read: dict[str, ApiDescription | None] = {}

    def of(self, file: str) -> ApiDescription | None:
        """Return the description in a file; None where it has none."""
        place = posixpath.normpath(file.lstrip("/"))
        if place not in self._read:
            self._read[place] = self._description(place)
        return self._read[place]

    def _description(self, file: str) -> ApiDescription | None:
        text = self._origin.text(file) if not re.match(r"https?:", file) else None
        if text is None or not _HEAD.search(text, 0, 5000):
            return None
        try:
            found = json.loads(text) if text.lstrip()[:1] == "{" else read_yaml(text).value
        except (ValueError, RecursionError, YamlFault):
            return None
        return ApiDescription(found) if isinstance(found, dict) else None

    def operation(self, told: str) -> ApiOperation | None:
        """Return the operation that a page names: `[file] VERB /path`; None where no file has it."""
        found = OPERATION.fullmatch(" ".join(told.split()))
        if found is None:
            return None
        for file in [found["file"]] if found["file"] else self._files:
            description = self.of(file)
            for each in description.operations() if description is not None else ():
                is_path = each.path.rstrip("/") == found["path"].rstrip("/")
                if is_path and each.method == found["method"].upper():
                    return each
        return None


def head_of(operation: ApiOperation) -> str:
    """Return the line for an operation itself."""
    given = [
        ("method", operation.method),
        ("path", operation.path),
        ("baseUrl", operation.description.server),
    ]
    given += [("auth", "required")] if operation.description.has_auth(operation.said) else []
    return f"<Endpoint {attributes(given)} />"


def lines_of(operation: ApiOperation) -> Iterator[str]:
    """Yield the paragraphs below an operation: its parameters, the fields of bodies, and examples."""
    said, description = operation.said, operation.description
    parameters = [description.resolved(each) for each in _listed(said.get("parameters"))[:_MOST_FIELDS]]
    for place, title in _PLACES.items():
        yield from _params(title, [_parameter(each) for each in parameters if each.get("in") == place])
    body = description.resolved(said.get("requestBody"))
    for media_type, media in list(_mapping(body.get("content")).items())[:1]:
        fields = list(description.fields(_mapping(media).get("schema")))
        yield from _params(f"Body ({media_type})", fields)
        yield from _example("Request", description.example(_mapping(media)))
    for status, given in list(_mapping(said.get("responses")).items())[:20]:
        yield from _response(str(status), description.resolved(given), description)


def _response(status: str, given: Values, description: ApiDescription) -> Iterator[str]:
    words = f": {text_of(given.get('description'))}" if given.get("description") else ""
    yield f"**{status}**{words}"
    for media in list(_mapping(given.get("content")).values())[:1]:
        yield from _params("Response", list(description.fields(_mapping(media).get("schema"))))
        yield from _example(f"Response {status}", description.example(_mapping(media)))


def _parameter(given: Values) -> str:
    schema = _mapping(given.get("schema")) or given
    whole = {**schema, "description": given.get("description") or schema.get("description")}
    return param(str(given.get("name") or ""), whole, is_required=given.get("required") is True)


def param(name: str, schema: Values, *, is_required: bool) -> str:
    """Return the `Param` for a field."""
    kind = schema.get("type") or ("object" if "properties" in schema else "")
    shown = " | ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    given = [("name", name), ("type", shown), ("default", _scalar(schema.get("default")))]
    flag = " required" if is_required else ""
    words = [text_of(schema.get("description"))]
    choices = [f"`{each}`" for each in _listed(schema.get("enum"))[:50] if "`" not in str(each)]
    words += [f"One of {', '.join(choices)}."] if choices else []
    text = "\n\n".join(filter(None, words))
    return f"<Param {attributes(given)}{flag}>\n{text}\n</Param>"


def _params(title: str, fields: Sequence[str]) -> Iterator[str]:
    if fields:
        yield f"<Params {attributes([('title', title)])}>"
        yield from fields
        yield "</Params>"


def _example(title: str, value: object) -> Iterator[str]:
    if value is not None:
        shown = json.dumps(value, indent=2, ensure_ascii=False, default=str)[:20_000].replace("```", "` ` `")
        yield f'```json title="{title}"\n{shown}\n```'


def text_of(given: object) -> str:
    """Return a description as text of a page: its braces and tags are no part of the page."""
    text, parts, at = str(given or "").strip(), [], 0
    for code in _CODE.finditer(text):
        parts += [_SIGNS.sub(r"\\\g<0>", text[at : code.start()]), code[0]]
        at = code.end()
    return "".join((*parts, _SIGNS.sub(r"\\\g<0>", text[at:])))


def attributes(given: Sequence[tuple[str, str]]) -> str:
    """Return the attributes of a tag that have a text."""
    return " ".join(f'{name}="{html.escape(value, quote=True)}"' for name, value in given if value)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


def _mapping(value: object) -> Values:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
