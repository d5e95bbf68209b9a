"""Pages of the reference: every field of `site.yml`, and every diagnostic with an example of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from builder.config import Option
from builder.diagnostic_codes.diagnostic_code import ERROR, INFO, WARNING, Code
from builder.reference.examples import DiagnosticExample

CONFIGURATION_HEAD = """\
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
    "extras", "variables", "search_excerpts",
})  # fmt: skip
"""Fields whose defaults fit most sites, so that nobody should copy an example of them unread."""


def configuration_page(options: Iterable[Option]) -> str:
    """The page's source, from the documentation of all fields, inner ones after their outer one."""
    known = tuple(options)
    outer = [option for option in known if not {".", "["} & set(option.name)]
    usual = {option.name: _value(option, known) for option in outer if option.name not in _RARE}
    parts = [
        CONFIGURATION_HEAD.rstrip("\n"),
        "## A usual file",
        _yaml(usual, ' title="site.yml"'),
        "## Fields",
    ]
    parts += [_section(option, known) for option in outer]
    return "\n\n".join((*parts, FOOT))


def _section(option: Option, known: Sequence[Option]) -> str:
    facts = f"Kind: {option.type}. Default: {option.default}."
    inner = [each for each in known if each.name.startswith((f"{option.name}.", f"{option.name}[]."))]
    parts = [f"### {option.name}", option.meaning, facts, _table(inner)]
    return "\n\n".join(part for part in (*parts, _yaml({option.name: _value(option, known)})) if part)


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


def _yaml(values: dict[str, Any], meta: str = "") -> str:
    text = yaml.dump(values, Dumper=_Indented, sort_keys=False, allow_unicode=True, width=1_000)
    return f"```yaml{meta}\n{text}```"


class _Indented(yaml.SafeDumper):
    """Writes lists as people do: indented below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Never without an indent."""
        super().increase_indent(flow, indentless=False)


DIAGNOSTICS_HEAD = """\
---
title: Diagnostics
description: Every message that Twinpress gives about a site's content, what it means and what to do.
sidebar_position: 3
---

This page lists every diagnostic by its code. You find the code in brackets at the end of a message:

```text
docs/guide/hello.mdx:6:28: error: there is no page or file `/docs/guide/writting.mdx` [broken-link]
    6 | Read [how to write a page](./writting.mdx).
      |                            ^
      = did you mean `/docs/guide/writing`?
```

A build writes the site with any diagnostics. They decide the exit code of
[`check`](./command-line/check.mdx) and [`build`](./command-line/build.mdx).
"""

SECTIONS = {
    ERROR: ("Errors", "An error breaks a reader's way or loses a page. The exit code is 1."),
    WARNING: (
        "Warnings",
        "A warning says that something was changed or left out. The exit code is 1 with `--strict`, else 0.",
    ),
    INFO: ("Notes", "A note is worth knowing, and never changes the exit code. As JSON its level is `info`."),
}


def diagnostics_page(codes: Mapping[str, Code], examples: Mapping[str, DiagnosticExample]) -> str:
    """The page's source. Codes stand by level, then in alphabetical order."""
    parts = [DIAGNOSTICS_HEAD.rstrip("\n")]
    for level, (title, meaning) in SECTIONS.items():
        entries = [_entry(name, codes[name], examples.get(name)) for name in _of(level, codes)]
        parts += [f"## {title}", meaning, *entries]
    return "\n\n".join(parts) + "\n"


def _of(level: str, codes: Mapping[str, Code]) -> list[str]:
    return sorted(name for name, code in codes.items() if code.level == level)


def _entry(name: str, code: Code, example: DiagnosticExample | None) -> str:
    parts = [f"### `{name}`", code.meaning, f"**What to do:** {code.mend}"]
    if example is not None:
        parts.append(_fence(example))
    return "\n\n".join(parts)


def _fence(example: DiagnosticExample) -> str:
    """The example as a code block that is longer than any fence in it."""
    marks = "```"
    while marks in example.text:
        marks += "`"
    text = example.text.rstrip("\n")
    return f'{marks}{example.language} title="{example.file}"\n{text}\n{marks}'
