"""Read `mkdocs.yml`, with the one that it inherits from, and give its settings as `site.yml` has them.

Nothing in it is loaded or run. Tags of YAML such as `!ENV` and `!!python/name:` are left out, so that what
they stand before is a text or a list; of `!ENV [NAME, default]` the default is taken.
"""

from __future__ import annotations

import html
import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from builder.importer.old_site import Loss
from builder.importer.page_work import Choices
from builder.importer.source_page import read_yaml
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.social_places import social_places
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
_COLORS = {
    "red": "#ef5552", "pink": "#e92063", "purple": "#ab47bd", "deep purple": "#7e56c2", "indigo": "#4051b5",
    "blue": "#2094f3", "light blue": "#02a6f2", "cyan": "#00bdd6", "teal": "#009485", "green": "#4cae4f",
    "light green": "#8bc34b", "lime": "#cbdc38", "yellow": "#ffec3d", "amber": "#ffc105", "orange": "#ffa724",
    "deep orange": "#ff6e42", "brown": "#795649", "grey": "#757575", "blue grey": "#546d78",
}  # fmt: skip
"""The names of Material's colours."""
_TOLD = ("extra_javascript", "hooks")
_TAGS = re.compile(r"<[^<>]{0,500}>")


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


def settings_of(
    config: Configuration, docs: str, choices: Choices, losses: list[Loss]
) -> Mapping[str, object]:
    """Return the settings; what has no place there is told."""
    repository = config.text("repo_url").rstrip("/")
    label = config.text("repo_name") or "Repository"
    settings: dict[str, object] = {
        "title": config.text("site_name"),
        "description": " ".join(config.text("site_description").split()),
        "url": (choices.url or config.text("site_url")).rstrip("/"),
        "docs_at": "/",
        "language": config.text("theme", "language"),
        "logo": _rooted(config.text("theme", "logo")),
        "favicon": _rooted(config.text("theme", "favicon")),
        "accent": _accent(config),
        "css": _styles(config, losses),
        "edit_url": _edit_url(config, repository, docs),
        "nav": [{"label": label, "href": repository}] if repository else None,
        "footer": _footer(config, losses),
        "analytics": _analytics(config, losses),
    }
    _tell(config, losses)
    return {name: value for name, value in settings.items() if value}


def _accent(config: Configuration) -> str:
    """Return the colour of the first palette that names one that is known."""
    palette = config.value("theme", "palette")
    for each in palette if isinstance(palette, list) else [palette]:
        primary = each.get("primary") if isinstance(each, dict) else None
        if str(primary) in _COLORS:
            return _COLORS[str(primary)]
    return ""


def _styles(config: Configuration, losses: list[Loss]) -> list[str]:
    """Return the style sheets of the site's own, and tell that they name what the old theme had."""
    listed = config.value("extra_css")
    losses += [
        Loss("style sheet", config.file, 0, str(each), "its rules are for the old theme")
        for each in (listed if isinstance(listed, list) else [])
    ]
    return []


def _footer(config: Configuration, losses: list[Loss]) -> Mapping[str, object]:
    copyright_ = " ".join(html.unescape(_TAGS.sub(" ", config.text("copyright"))).split())
    listed = config.value("extra", "social")
    pairs = [
        (str(each.get("icon") or each.get("name") or ""), str(each["link"]))
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and isinstance(each.get("link"), str)
    ]
    social = social_places(pairs, config.file, losses)
    footer: dict[str, object] = {"text": copyright_, "social": dict(social)}
    return {name: value for name, value in footer.items() if value}


def _analytics(config: Configuration, losses: list[Loss]) -> Mapping[str, object]:
    if config.value("extra", "analytics", "property"):
        told = str(config.value("extra", "analytics", "property"))
        losses.append(Loss("analytics", config.file, 0, told, "see `analytics` in site.yml"))
    return {}


def _tell(config: Configuration, losses: list[Loss]) -> None:
    for name in _TOLD:
        listed = config.value(name)
        losses += [
            Loss(f"`{name}` of the configuration", config.file, 0, str(each)[:200])
            for each in (listed if isinstance(listed, list) else [])
        ]
    if config.value("extra", "version", "provider") == "mike" or config.plugin("mike") is not None:
        losses.append(Loss("versions by mike", config.file, 0, "extra.version", "this version alone"))
    listed = config.value("extra", "alternate")
    losses += [
        Loss("other language of the site", config.file, 0, f"{each.get('name')}: {each.get('link')}")
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict)
    ]


def _edit_url(config: Configuration, repository: str, docs: str) -> str:
    """Return the address for editing; the new site's pages lie in `docs`."""
    uri = config.text("edit_uri")
    if uri and not re.match(r"https?://", uri):
        uri = f"{repository}/{uri}" if repository else ""
    uri = uri.rstrip("/")
    if not uri or "?" in uri or "#" in uri:
        return ""
    base = posixpath.basename(docs)
    return f"{uri.removesuffix(f'/{base}')}/{{path}}" if uri.startswith("https://") else ""


def _rooted(path: str) -> str:
    return path if not path or re.match(r"[a-z]+:|/", path) else f"/{path}"
