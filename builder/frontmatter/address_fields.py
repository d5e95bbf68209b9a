"""Fields by which other systems move a page: told where this page's address would be another one there.

id     the last name of the address (Docusaurus)
slug   the address, from the root or from the page's folder (Docusaurus, Starlight, Fumadocs); with the
       extra `slug` it counts here, too
"""

from __future__ import annotations

from collections.abc import Mapping

ADDRESS_FIELDS = ("id", "slug")
_FOLDER_PAGES = frozenset({"index", "readme"})
_HINTS = {
    "id": "rename the file to `{}`, or add `slug` to `extras` in `site.yml` and write `slug: {}`",
    "slug": "add `slug` to `extras` in `site.yml`, or move the file",
}


def moves(file: str, values: Mapping[str, object], name: str) -> tuple[str, str] | None:
    """Return a message and a hint when a field would move the page; None when it says what is so anyway."""
    given = values[name]
    if not isinstance(given, str) or not given.strip() or (name == "id" and values.get("slug")):
        return None
    folder, _, name_of_file = file.rpartition("/")
    stem = name_of_file.split(".")[0]
    own = folder.rpartition("/")[2] if stem.casefold() in _FOLDER_PAGES else stem
    text = given.strip().rstrip("/") or "/"
    if _is_own(text, folder, own, stem):
        return None
    last = text.rpartition("/")[2]
    suffix = file[len(folder) + 1 + len(stem) :]
    return f"does not move the page to `{text}`", _HINTS[name].format(f"{last}{suffix}", last)


def _is_own(text: str, folder: str, own: str, stem: str) -> bool:
    """Return whether an address is the page's: by its last name, or from the root with `docs` or without."""
    if not text.startswith("/"):
        return text in {own, stem, "."}
    place = folder if stem.casefold() in _FOLDER_PAGES else f"{folder}/{own}"
    return text.strip("/") in {place, place.partition("/")[2]}
