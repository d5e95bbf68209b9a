"""Types of fields that many requests and answers have: paths, formats, levels, frontmatter."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any, Literal

from msgspec import Meta

from builder.frontmatter.meta import FIELDS
from builder.schema.kinds import DAY, FLAG, NAME, NUMBER, TEXT, TEXTS
from builder.yaml.safe import HIGHEST, LOWEST

PATH_SCHEMA = {
    "type": "string",
    "format": "content-path",
    "pattern": "^(docs(/[^/]+){1,8}|pages/[^/]+)$",
}
"""The format is that of `builder.paths`: letters and digits of any script, which no pattern can say."""
_FOLDER_SCHEMA = {"type": "string", "format": "folder-path", "pattern": "^docs(/[^/]+){1,7}$"}
_WORDS = {TEXT: "text", NUMBER: "number", FLAG: "boolean", DAY: "day", TEXTS: "mapping of texts"}
_JSON_TYPES = {TEXT: "string", NUMBER: "number", FLAG: "boolean", DAY: "string", TEXTS: "object"}
RANGE = {"minimum": LOWEST, "maximum": HIGHEST}
"""Of every number: whole ones beyond it cannot be kept."""
VALUE_SCHEMA: dict[str, Any] = {
    "title": "Value",
    "description": "Any JSON value that can be kept as YAML: at most 32 levels deep.",
    "anyOf": [
        {"type": ["null", "boolean", "string"]},
        {"type": "number", **RANGE},
        {"type": "array", "items": {"$ref": "#/components/schemas/Value"}},
        {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Value"}},
    ],
}
_TEXTS_SCHEMA: dict[str, Any] = {
    "propertyNames": {"pattern": f"^{NAME}$"},
    "additionalProperties": {"type": "string"},
}
_FIELDS_SCHEMA: dict[str, Any] = {
    "properties": {
        name: {
            "type": [_JSON_TYPES[field.kind], "null"],
            "description": field.meaning,
            **(RANGE if field.kind is NUMBER else {}),
            **({"format": "date"} if field.kind is DAY else {}),
            **(_TEXTS_SCHEMA if field.kind is TEXTS else {}),
        }
        for name, field in FIELDS.items()
    }
}

Format = Literal["mdx", "md"]
Level = Literal["error", "warning", "info"]
Part = Literal["body", "frontmatter", "llmBody"]
PageFormat = Annotated[
    Format, Meta(description="How the page is written: `mdx` has components, `md` has none.")
]
PagePath = Annotated[
    str,
    Meta(
        description="Content path: `docs/<folder>/<name>` or `pages/<name>`, no extension.",
        extra_json_schema=PATH_SCHEMA,
    ),
]
FolderPath = Annotated[
    str,
    Meta(description="Folder path, of the form `docs/<folder>`.", extra_json_schema=_FOLDER_SCHEMA),
]
_RUNS = groupby(FIELDS.items(), key=lambda item: item[1].kind)
_FIELDS = (
    ", ".join(f"{', '.join(f'`{name}`' for name, _ in run)} ({_WORDS[kind]})" for kind, run in _RUNS) + "."
)
Frontmatter = Annotated[dict[str, object], Meta(description=f"{_FIELDS} Other keys are given as they are.")]
NewFrontmatter = Annotated[
    dict[str, Annotated[object, Meta(extra_json_schema={"$ref": "#/components/schemas/Value"})]],
    Meta(description=f"{_FIELDS} Other keys are kept.", extra_json_schema=_FIELDS_SCHEMA),
]
