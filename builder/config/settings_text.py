"""The text of `site.yml` with other values: what is set is written anew, and every other line stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from builder.config import CONFIG_FILE, SIDEBAR_FILE
from builder.config.site_yml import MAX_NODES, MAX_TEXT
from builder.errors import TwinpressError
from builder.yaml.safe import YamlFault, load
from builder.yaml.write import dump, edit, edit_inner

LONGEST = 256 * 1024
"""Bytes of the file in a service: a longer one takes seconds to be looked through."""
LONG = f"has more than {LONGEST // 1024} KB"


class InvalidSettings(TwinpressError):
    """The text cannot be read as settings, so that no field of it can be changed."""


def is_long(text: str) -> bool:
    """Return whether a text is too long to be looked through."""
    return len(text) > LONGEST or len(text.encode()) > LONGEST


def with_values(text: str, values: Mapping[str, str]) -> str:
    """Return the text with some fields set, and those removed that are empty; every other line stays.

    Raises InvalidSettings when the text is no mapping that can be read.
    """
    loaded = _loaded(text)
    wanted = {
        name: value for name, value in {**loaded, **values}.items() if value != "" or name not in values
    }
    return _checked(_edited(text, loaded, wanted), wanted)


def with_redirect(text: str, old: str, new: str) -> str:
    """Return the text with a redirect from one address of the site to another. Raises InvalidSettings."""
    known = redirects_in(text)
    known.pop(new, None)  # what had moved away is here again
    return with_redirects(text, {**known, old: new})


def redirects_in(text: str) -> dict[str, object]:
    """Return the redirects of a text, as written. Raises InvalidSettings."""
    found = _loaded(text).get("redirects")
    return {str(old): new for old, new in found.items()} if isinstance(found, dict) else {}


def with_redirects(text: str, wanted: Mapping[str, object]) -> str:
    """Return the text with these redirects and no others. Raises InvalidSettings."""
    loaded = _loaded(text)
    if not wanted:
        rest = {name: each for name, each in loaded.items() if name != "redirects"}
        return _checked(_edited(text, loaded, rest), rest)
    whole = {**loaded, "redirects": dict(wanted)}
    by_lines = edit_inner(text, "redirects", wanted, _newline(text))
    # An alias stands for a mapping elsewhere, which has to stay as it is.
    if by_lines is not None and _reads_as(by_lines, whole):
        return by_lines
    return _checked(_edited(text, loaded, whole), whole)


def _checked(changed: str, wanted: Mapping[str, object]) -> str:
    """The changed text, where it reads as wanted. Raises InvalidSettings."""
    if not _reads_as(changed, wanted):
        message = "it has anchors or merges, so that no field of it can be set by itself"
        raise InvalidSettings(message, path=CONFIG_FILE, hint="write the values out")
    return changed


def _reads_as(text: str, wanted: Mapping[str, object]) -> bool:
    try:
        return _loaded(text) == wanted
    except InvalidSettings:  # a value of many lines came among the others
        return False


def field_values(text: str, names: Sequence[str]) -> dict[str, object]:
    """Return the values of those fields that a text has, as they are written. Raises InvalidSettings."""
    loaded = _loaded(text)
    return {name: loaded[name] for name in names if name in loaded}


def with_fields(text: str, fields: Mapping[str, object]) -> str:
    """Return the text with some fields set, and those removed that are None; every other line stays.

    Raises InvalidSettings, also where anchors in the text keep a field from being set by its lines.
    """
    loaded = _loaded(text)
    every = {**loaded, **fields}
    wanted = {name: value for name, value in every.items() if value is not None or name not in fields}
    return _checked(_edited(text, loaded, wanted), wanted)


def sidebar_text(before: str, entries: Sequence[object]) -> str:
    """Return the text of `sidebar.yml` with these entries, below the comment at its beginning.

    Raises InvalidSettings where it is too long.
    """
    newline = _newline(before)
    lines = before.removeprefix("\ufeff").splitlines()
    comment = [*takewhile(lambda line: not line.strip() or line.startswith("#"), lines)]
    listed = dump({"sidebar": list(entries)}).removeprefix("sidebar:").strip()
    changed = newline.join([*comment, *listed.splitlines(), ""])
    if is_long(changed):
        raise InvalidSettings(f"it would be too long: it {LONG}", path=SIDEBAR_FILE, hint="make it shorter")
    return changed


def values(text: str, names: Sequence[str]) -> Mapping[str, str]:
    """Return the values of some fields as texts, "" for those that are not there. Raises InvalidSettings."""
    loaded = _loaded(text)
    return {name: "" if loaded.get(name) is None else str(loaded[name]) for name in names}


def _edited(text: str, loaded: Mapping[str, object], wanted: Mapping[str, object]) -> str:
    newline = _newline(text)
    changed = edit(text, loaded, wanted, newline, max_nodes=MAX_NODES, max_text=MAX_TEXT)
    if is_long(changed):
        raise InvalidSettings(f"it would be too long: it {LONG}", path=CONFIG_FILE, hint="make it shorter")
    return changed if not changed or changed.endswith("\n") else changed + newline


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _loaded(text: str) -> dict[str, object]:
    if is_long(text):
        raise InvalidSettings(LONG, path=CONFIG_FILE, hint="make it shorter")
    try:
        found = load(text.removeprefix("\ufeff"), MAX_NODES, MAX_TEXT).value
    except YamlFault as fault:
        raise InvalidSettings(fault.message, path=CONFIG_FILE, hint=fault.hint) from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise InvalidSettings("expected a mapping of fields", path=CONFIG_FILE, hint="write `title: ...`")
    return {str(name): value for name, value in found.items()}
