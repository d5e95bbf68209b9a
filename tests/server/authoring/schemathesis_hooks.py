"""Rules of the API that a JSON schema cannot say.

A content path has letters of any script, and a condition has quotes. And a schema takes `1e300` for a whole
number, which would be out of range; to the server it is none.
"""

from __future__ import annotations

import unicodedata

import msgspec
import schemathesis
from hypothesis import strategies as st

from builder import paths
from builder.errors import InvalidPath
from server.authoring.conditions import tags
from server.authoring.site_matters.history_structs import UndoChanges
from server.authoring.site_matters.navigation_structs import ChangeNavigation
from server.authoring.structs import RANGE

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
schemathesis.openapi.format("folder-path", _FOLDER.filter(_is_path))


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: object) -> object:
    """Have a navigation that settings take, and one way to undo: which ones, no schema can say."""
    path = context.operation.path if context.operation is not None else ""
    if path.endswith("/ai/navigation") and _is(body, ChangeNavigation):
        return {"nav": [{"label": "Install", "href": "/docs/start/install"}]}
    if path.endswith("/ai/undo") and _is(body, UndoChanges):
        return {"last": 1}
    return body


def _is(body: object, kind: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(body, kind)
    except msgspec.ValidationError:
        return False
    return True


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Return whether there is something that the schema has right."""
    return not _beyond(case.body) and _is_condition(case) and _is_one_way(case)


def _is_one_way(case: schemathesis.Case) -> bool:
    """Return whether what is to be undone is said in one way."""
    body = case.body
    if not case.operation.path.endswith("/ai/undo") or not _is(body, UndoChanges):
        return True
    asked = msgspec.convert(body, UndoChanges)
    return [asked.change is not None, asked.last is not None, asked.all].count(True) == 1


def _is_condition(case: schemathesis.Case) -> bool:
    """Return whether the condition is one, where there is any: what it lists has quotes."""
    given = (case.headers or {}).get("If-None-Match")
    return given is None or case.method == "GET" or not tags([str(given)]).malformed


def _beyond(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_beyond, value.values()))
    if isinstance(value, list):
        return any(map(_beyond, value))
    return isinstance(value, float) and not RANGE["minimum"] <= value <= RANGE["maximum"]
