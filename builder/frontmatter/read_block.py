"""Read a frontmatter block: its fields, and all that there is to say about them.

It stands apart from `split`, as loading YAML takes long and whoever edits a page mostly edits its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from builder.diagnostics import Diagnostic, did_you_mean
from builder.frontmatter.document import Document, withholding
from builder.frontmatter.meta import FIELDS, Meta, means_draft, meta, misfit, says_draft
from builder.frontmatter.split import BlockBounds
from builder.schema.kinds import advice
from builder.yaml.hints import space_missing
from builder.yaml.positions import place
from builder.yaml.safe import Fault, Loaded, YamlFault, load

_DRAFT_HINT = "write `draft: true` to keep the page out, `draft: false` to publish it"
_WORD = re.compile(r"\W.*", re.DOTALL)
_FALLBACKS = {
    "title": "the title is the first heading, or the file's name",
    "sidebar_label": "the label is the title",
}
_OTHERS = {
    "sidebarTitle": "sidebar_label", "linkTitle": "sidebar_label", "navTitle": "sidebar_label",
    "nav_title": "sidebar_label", "sidebar_title": "sidebar_label", "nav_order": "sidebar_position",
    "order": "sidebar_position", "weight": "sidebar_position", "hide_table_of_contents": "hide_toc",
    "tableOfContents": "hide_toc", "toc": "hide_toc", "noindex": "unlisted", "hidden": "unlisted",
    "summary": "description", "excerpt": "description", "pageTitle": "title",
}  # fmt: skip
"""Fields of other systems, and ours that say the same."""
_ADDRESS_FIELDS = ("id", "slug")
"""Fields by which other systems move a page: told where its address would be another one there.

`id` is the last name of the address (Docusaurus), `slug` the address, from the root or from the page's folder
(Docusaurus, Starlight, Fumadocs); with the extra `slug` that counts here, too."""
_FOLDER_PAGES = frozenset({"index", "readme"})
_ADDRESS_HINTS = {
    "id": "rename the file to `{}`, or add `slug` to `extras` in `site.yml` and write `slug: {}`",
    "slug": "add `slug` to `extras` in `site.yml`, or move the file",
}
NOTHING = Loaded(None, {}, {}, (), ())


def read(text: str, block: BlockBounds, file: str) -> Document:
    """The parts of a page that begins with a block."""
    yaml = text[block.yaml : block.close]
    try:
        loaded = load(yaml)
    except YamlFault as fault:
        draft = says_draft(yaml)
        said = withholding(_diagnostic(file, yaml, "frontmatter-invalid", fault), draft=draft)
        return replace(_document(text, block, NOTHING, (said,)), meta=Meta(draft=draft))
    if loaded.value is not None and not isinstance(loaded.value, dict):
        return _no_mapping(text, yaml, file)
    document = _document(text, block, loaded, tuple(_faults(loaded, yaml, file)))
    if _draft_said_twice(loaded, yaml) or any(_is_unread_draft(loaded, fault) for fault in loaded.faults):
        return replace(document, meta=replace(document.meta, draft=True))
    return document


def _draft_said_twice(loaded: Loaded, yaml: str) -> bool:
    """Return whether there are two answers, one of which keeps the page out: that is the one that counts."""
    return any(fault.where.casefold() == "draft" for fault in loaded.repeated) and says_draft(yaml)


def _is_unread_draft(loaded: Loaded, fault: Fault) -> bool:
    """Return whether a fault has left no value of `draft`: nobody knows then what its author meant."""
    values = loaded.value if isinstance(loaded.value, dict) else {}
    return fault.where.casefold() == "draft" and values.get(fault.where) is None


def _no_mapping(text: str, yaml: str, file: str) -> Document:
    """Text of the page, unless it begins with a field that lacks its colon, or the space after it."""
    mistake, draft = space_missing(yaml), says_draft(yaml)
    if not draft and (mistake is None or _WORD.sub("", yaml) not in FIELDS):
        return Document({}, Meta(), text, 1)
    fault = YamlFault(*mistake) if mistake else YamlFault("expected fields, `title: ...`", 0)
    found = _diagnostic(file, yaml, "frontmatter-invalid", fault)
    return Document({}, Meta(draft=draft), text, 1, (withholding(found, draft=draft),))


def _document(text: str, block: BlockBounds, loaded: Loaded, found: tuple[Diagnostic, ...]) -> Document:
    values = loaded.value if isinstance(loaded.value, dict) else {}
    first_line, _ = place(text, block.body)
    return Document(values, meta(values), text[block.body :], first_line, found, text[: block.body])


def _faults(loaded: Loaded, yaml: str, file: str) -> Iterator[Diagnostic]:
    """Everything there is to say about a block that could be read."""
    for fault in loaded.faults:
        draft = _is_unread_draft(loaded, fault)
        told = replace(fault, hint=_DRAFT_HINT) if draft else fault
        yield withholding(_diagnostic(file, yaml, "frontmatter-type", told), draft=draft)
    for fault in loaded.repeated:
        twice = _diagnostic(file, yaml, "frontmatter-duplicate-key", fault)
        yield withholding(twice, draft=fault.where.casefold() == "draft" and says_draft(yaml))
    values = loaded.value if isinstance(loaded.value, dict) else {}
    for name, value in values.items():
        if name in _FALLBACKS and isinstance(value, str) and not value.strip():
            message = f"is empty, so {_FALLBACKS[name]}"
            empty = Fault(name, message, loaded.values[name], "write a text, or remove the line")
            yield _diagnostic(file, yaml, "value-empty", empty)
        elif name not in FIELDS and name.lower() in FIELDS:
            wrong_case = Fault(name, "is not in lower case", loaded.keys[name], did_you_mean(name, FIELDS))
            found = _diagnostic(file, yaml, "frontmatter-type", wrong_case)
            yield withholding(found, draft=name.lower() == "draft" and means_draft(value))
        elif name in _ADDRESS_FIELDS:
            if moved := _moves(file, values, name):
                yield _diagnostic(
                    file, yaml, "frontmatter-address", Fault(name, moved[0], loaded.keys[name], moved[1])
                )
        elif name not in FIELDS:
            hint = f"did you mean `{_OTHERS[name]}`?" if name in _OTHERS else did_you_mean(name, FIELDS)
            unknown = Fault(name, "is not used", loaded.keys[name], hint)
            yield _diagnostic(file, yaml, "frontmatter-unknown-key", unknown)
        elif wrong := misfit(name, value):
            hint = _DRAFT_HINT if name == "draft" else advice(FIELDS[name].kind, value)
            found = _diagnostic(file, yaml, "frontmatter-type", Fault(name, wrong, loaded.values[name], hint))
            yield withholding(found, draft=name == "draft" and means_draft(value))


def _diagnostic(file: str, yaml: str, code: str, fault: Fault | YamlFault) -> Diagnostic:
    where = fault.where if isinstance(fault, Fault) else ""
    message = f"`{where}`: {fault.message}" if where else fault.message
    line, column = place(yaml, fault.index)
    return Diagnostic(file, line + 1, column, code, message, fault.hint)


def _moves(file: str, values: Mapping[str, object], name: str) -> tuple[str, str] | None:
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
    return f"does not move the page to `{text}`", _ADDRESS_HINTS[name].format(f"{last}{suffix}", last)


def _is_own(text: str, folder: str, own: str, stem: str) -> bool:
    """Return whether an address is the page's: by its last name, or from the root with `docs` or without."""
    if not text.startswith("/"):
        return text in {own, stem, "."}
    place = folder if stem.casefold() in _FOLDER_PAGES else f"{folder}/{own}"
    return text.strip("/") in {place, place.partition("/")[2]}
