"""Read `mkdocs.yml`, with the one that it inherits from; nothing in it is loaded or run.

Tags of YAML such as `!ENV` and `!!python/name:` are left out, so that what they stand before is a text or a
list; of `!ENV [NAME, default]` the default is taken.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from builder.importer.source_page import read_yaml
from builder.importer.source_tree import NoSource, SourceTree
from builder.yaml.safe import YamlFault

_TAG = re.compile(
    r"(?<![^\s\[{,-])!(?:![\w/.:-]+|(?:ENV|relative|include)\b)"
    r"|(?<=[\[{,:-])(?P<gap>[ \t]{0,20})![A-Za-z][\w/.:-]*"
)
_ENV = re.compile(r"!ENV[ ]+\[[^\[\]\n]{0,500},[ ]*([^,\[\]\n]{0,300})\]")
_BARE_KEY = re.compile(r"[\w.+-]{1,40}")
_FAMILIES = frozenset({"pymdownx", "markdown", "material", "zensical"})
"""Names in front of those of extensions."""
_DEEPEST = 5


class Configuration:
    """The settings of a site, and what reads them."""

    def __init__(self, origin: SourceTree, file: str) -> None:
        self.file = file
        self.values = _of_toml(origin, file) if file.endswith(".toml") else _inherited(origin, file, 0)
        self._plugins = tuple(self._named("plugins"))

    def value(self, *way: str) -> object:
        """Return what stands at a path of keys; None for nothing."""
        found: object = self.values
        for key in way:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def text(self, *way: str) -> str:
        """Return the text at a path of keys, "" for none."""
        found = self.value(*way)
        return found.strip() if isinstance(found, str) else ""

    def plugins(self) -> tuple[tuple[str, Mapping[str, object]], ...]:
        """Return each plugin with its options."""
        return self._plugins

    def plugin(self, name: str) -> Mapping[str, object] | None:
        """Return the options of a plugin; None where the site does not use it."""
        return next(
            (options for each, options in self._plugins if each.removeprefix("material/") == name), None
        )

    def extensions(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield each extension of markdown with its options."""
        yield from self._named("markdown_extensions")

    def _named(self, key: str) -> Iterator[tuple[str, Mapping[str, object]]]:
        listed = self.values.get(key)
        if isinstance(listed, dict):
            listed = [{name: options} for name, options in listed.items()]
        for each in listed if isinstance(listed, list) else []:
            for name, options in each.items() if isinstance(each, dict) else [(each, None)]:
                yield str(name), options if isinstance(options, dict) else {}


def _of_toml(origin: SourceTree, file: str) -> Mapping[str, object]:
    """Read `zensical.toml`: the settings are a table `project`, extensions are tables within each other."""
    try:
        found = tomllib.loads(origin.text(file) or "").get("project")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise NoSource(f"cannot be read: {error}", path=file, hint="is it TOML?") from None
    if not isinstance(found, dict):
        raise NoSource("has no table `project`", path=file, hint="is it the configuration of Zensical?")
    extensions = found.get("markdown_extensions")
    if not isinstance(extensions, dict):
        return found
    flat: dict[str, object] = {}
    for name, options in extensions.items():
        inner = options.items() if name in _FAMILIES and isinstance(options, dict) else ()
        flat |= {f"{name}.{each}": given for each, given in inner} if inner else {name: options}
    return {**found, "markdown_extensions": flat}


def without_tags(text: str) -> object:
    """Read YAML without its tags; keys such as `2024` are texts. Raises YamlFault."""
    plain = _TAG.sub(lambda found: found["gap"] or "", _ENV.sub(r"\1", text))
    found = read_yaml(plain)
    keys = sorted(fault.index for fault in found.faults if "is not text" in fault.message)
    return read_yaml(_quoted(plain, keys)).value if keys else found.value


def _quoted(text: str, keys: Sequence[int]) -> str:
    """Return a text with the keys that begin at some places in quotes."""
    parts, at = [], 0
    for start in keys:
        key = _BARE_KEY.match(text, start)
        if key is not None and start >= at:
            parts += [text[at:start], f'"{key[0]}"']
            at = key.end()
    return "".join((*parts, text[at:]))


def _inherited(origin: SourceTree, file: str, depth: int) -> Mapping[str, object]:
    try:
        found = without_tags(origin.text(file) or "")
    except YamlFault as fault:
        raise NoSource(f"cannot be read: {fault.message}", path=file, hint="is it YAML?") from None
    if not isinstance(found, dict):
        raise NoSource("is no mapping of settings", path=file, hint="is it the configuration of MkDocs?")
    parent = found.get("INHERIT")
    place = (
        posixpath.normpath(posixpath.join(posixpath.dirname(file), parent)) if isinstance(parent, str) else ""
    )
    if not place or depth >= _DEEPEST or not origin.has(place):
        return found
    return _merged(_inherited(origin, place, depth + 1), found)


def _merged(below: Mapping[str, object], above: Mapping[str, object]) -> Mapping[str, object]:
    """Return settings over others, mappings within them together."""
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        result[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result
