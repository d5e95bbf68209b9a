"""Rules of the API that a JSON schema cannot say.

A content path has letters of any script, a condition has quotes, and a cursor is one that was given. And a
schema takes `1e300` for a whole number, which would be out of range; to the server it is none.
"""

from __future__ import annotations

import unicodedata

import msgspec
import schemathesis
from hypothesis import strategies as st

from builder import paths
from builder.errors import InvalidPath
from components.registry import NAMES
from server.authoring.conditions import tags
from server.authoring.field_types import RANGE
from server.authoring.histories.history_structs import UndoChanges
from server.authoring.site_matters.navigation_structs import ChangeNavigation
from server.authoring.structs import GUIDE_PARTS

_CHARACTERS = st.one_of(
    st.sampled_from("abcXYZ019-_."), st.characters(categories=["Ll", "Lu", "Lo", "Nd", "Mn"])
)
_SEGMENT = st.text(_CHARACTERS, min_size=1, max_size=12).map(lambda text: unicodedata.normalize("NFC", text))


def _is_path(text: str) -> bool:
    try:
        paths.parse(text)
    except InvalidPath:
        return False
    return True


_FOLDER = st.lists(_SEGMENT, min_size=1, max_size=7).map(lambda parts: "/".join(["docs", *parts]))
_PAGE = st.one_of(_FOLDER, _SEGMENT.map(lambda name: f"pages/{name}"))

schemathesis.openapi.format("content-path", _PAGE.filter(_is_path))
_PAGES = st.lists(_PAGE.filter(_is_path), min_size=1, max_size=3)
schemathesis.openapi.format("content-paths", _PAGES.map(",".join))
schemathesis.openapi.format("folder-path", _FOLDER.filter(_is_path))
schemathesis.openapi.format("guide-part", st.sampled_from(["", *GUIDE_PARTS, *sorted(NAMES)]))


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: object) -> object:
    """Have a page moved or edited that is there, and a navigation that settings take: no schema says so.

    Nor does one say that changes to undo are named in one way.
    """
    path = context.operation.path if context.operation is not None else ""
    if not isinstance(body, dict):
        return body
    if path.endswith("/ai/move") and _is_path(str(body.get("to"))) and "from" in body:
        return {**body, "from": "docs/start/install"}
    if path.endswith("/ai/edit") and _is_path(str(body.get("path"))) and _are_edits(body):
        return {
            **body,
            "path": "docs/guide/sail",
            "edits": [{"from_line": 1, "to_line": 0, "text": "x"}],
            "if_match": "*",
        }
    if path.endswith("/ai/undo") and _is(body, UndoChanges):
        return dict(list(body.items())[:1])
    if path.endswith("/ai/navigation") and _is(body, ChangeNavigation):
        return {"nav": [{"label": "Install", "href": "/docs/start/install"}]}
    return body


def _is(body: object, kind: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(body, kind)
    except msgspec.ValidationError:
        return False
    return True


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: object) -> None:
    """Have an undo rehearsed: one of all would take away the pages that the other requests are about."""
    if case.path.endswith("/ai/undo") and case.method == "POST":
        case.query = {"dry_run": "true", **(case.query or {})}


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Return whether there is something that the schema has right."""
    has_cursor = bool((case.query or {}).get("cursor"))
    is_right = _is_condition(case) and _are_edits(case.body) and _names_one_way(case)
    return not _beyond(case.body) and is_right and not has_cursor


def _is_condition(case: schemathesis.Case) -> bool:
    """Return whether the condition is one, where there is any: what it lists has quotes."""
    given = (case.headers or {}).get("If-None-Match")
    return given is None or case.method == "GET" or not tags([str(given)]).malformed


def _names_one_way(case: schemathesis.Case) -> bool:
    """Return whether the changes to undo are named in one way, where it is about an undo."""
    is_undo = case.path.endswith("/ai/undo") and isinstance(case.body, dict)
    return not is_undo or sum(value not in (None, False) for value in case.body.values()) < 2


_OF_EDITS = {("old", "new"), ("from_line", "to_line", "text")}


def _are_edits(value: object) -> bool:
    """Return whether each edit in a body is one of a text or one of lines."""
    if isinstance(value, list):
        return all(map(_are_edits, value))
    if not isinstance(value, dict):
        return True
    names = ("old", "new", "from_line", "to_line", "text")
    edits = value.get("edits")
    given = [tuple(name for name in names if name in edit) for edit in edits or () if isinstance(edit, dict)]
    by_lines = any(
        edit.get("replace_all") for edit in edits or () if isinstance(edit, dict) and "text" in edit
    )
    return set(given) <= _OF_EDITS and not by_lines and all(map(_are_edits, value.values()))


def _beyond(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_beyond, value.values()))
    if isinstance(value, list):
        return any(map(_beyond, value))
    return isinstance(value, float) and not RANGE["minimum"] <= value <= RANGE["maximum"]
