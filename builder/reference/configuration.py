"""The page that lists every field of `site.yml`: what it means, its kind, its default and an example."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from builder.config import Option

HEAD = """\
---
title: Configuration
description: Every field of site.yml, with its meaning, its default and an example.
sidebar_position: 2
---

The file `site.yml` in the folder of your site holds its settings. This page lists every field. All are
optional; an empty file is a valid one.
"""

FOOT = """\
## Mistakes

A field with a value of the wrong kind is reported as
[`config-invalid`](./diagnostics.mdx#config-invalid), and its default is used. Of a list or a mapping, such as
`nav` or `redirects`, only the wrong entry is left out: the default is not used, even when nothing remains. A
name that is no field is reported as [`config-unknown-key`](./diagnostics.mdx#config-unknown-key), with the
nearest name. Both say the line and the column. The site is built in any case.
"""

_RARE = frozenset({
    "language", "words", "direction", "embed_hosts", "css", "social_image", "announcement", "last_updated",
})  # fmt: skip
"""Fields whose defaults fit most sites, so that nobody should copy an example of them unread."""


def configuration_page(options: Iterable[Option]) -> str:
    """The page's source, from the documentation of all fields, inner ones after their outer one."""
    known = tuple(options)
    outer = [option for option in known if not {".", "["} & set(option.name)]
    usual = {option.name: _value(option, known) for option in outer if option.name not in _RARE}
    parts = [HEAD.rstrip("\n"), "## A usual file", _fence(usual, ' title="site.yml"'), "## Fields"]
    parts += [_section(option, known) for option in outer]
    return "\n\n".join((*parts, FOOT))


def _section(option: Option, known: Sequence[Option]) -> str:
    facts = f"Kind: {option.type}. Default: {option.default}."
    inner = [each for each in known if each.name.startswith((f"{option.name}.", f"{option.name}[]."))]
    parts = [f"### {option.name}", option.meaning, facts, _table(inner)]
    return "\n\n".join(part for part in (*parts, _fence({option.name: _value(option, known)})) if part)


def _table(inner: Sequence[Option]) -> str:
    if not inner:
        return ""
    rows = (f"| `{each.name}` | {each.type} | {each.default} | {each.meaning} |" for each in inner)
    return "\n".join(("| Field | Kind | Default | Meaning |", "| --- | --- | --- | --- |", *rows))


def _value(option: Option, known: Sequence[Option]) -> Any:
    """The example as a value; that of a mapping is made of its fields' examples."""
    if option.example:
        return yaml.safe_load(option.example)
    for mark in (".", "[]."):
        prefix = option.name + mark
        inner = [each for each in known if each.name.startswith(prefix)]
        direct = [each for each in inner if not {".", "["} & set(each.name.removeprefix(prefix))]
        if direct:
            fields = {each.name.removeprefix(prefix): _value(each, known) for each in direct}
            return [fields] if mark == "[]." else fields
    return yaml.safe_load(option.example)


def _fence(values: dict[str, Any], meta: str = "") -> str:
    text = yaml.dump(values, Dumper=_Indented, sort_keys=False, allow_unicode=True, width=1_000)
    return f"```yaml{meta}\n{text}```"


class _Indented(yaml.SafeDumper):
    """Writes lists as people do: indented below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Never without an indent."""
        super().increase_indent(flow, indentless=False)
