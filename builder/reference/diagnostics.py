"""The page that lists every diagnostic code: what it means, what to do, and a page that gives it."""

from __future__ import annotations

from collections.abc import Mapping

from builder.codes import ERROR, INFO, WARNING, Code
from builder.reference.examples import Example

HEAD = """\
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

The site is built whatever its diagnostics are. They decide the exit code of
[`check`](./command-line/check.mdx) and [`build`](./command-line/build.mdx).
"""

SECTIONS = {
    ERROR: ("Errors", "An error breaks a reader's way or loses a page. The exit code is 1."),
    WARNING: (
        "Warnings",
        "A warning tells what was changed or left out. The exit code is 1 with `--strict`, else 0.",
    ),
    INFO: ("Notes", "A note is worth knowing, and never changes the exit code. As JSON its level is `info`."),
}


def diagnostics_page(codes: Mapping[str, Code], examples: Mapping[str, Example]) -> str:
    """The page's source. Codes stand by level, then in alphabetical order."""
    parts = [HEAD.rstrip("\n")]
    for level, (title, meaning) in SECTIONS.items():
        entries = [_entry(name, codes[name], examples.get(name)) for name in _of(level, codes)]
        parts += [f"## {title}", meaning, *entries]
    return "\n\n".join(parts) + "\n"


def _of(level: str, codes: Mapping[str, Code]) -> list[str]:
    return sorted(name for name, code in codes.items() if code.level == level)


def _entry(name: str, code: Code, example: Example | None) -> str:
    parts = [f"### `{name}`", code.meaning, f"**What to do:** {code.mend}"]
    if example is not None:
        parts.append(_fence(example))
    return "\n\n".join(parts)


def _fence(example: Example) -> str:
    """The example as a code block that is longer than any fence in it."""
    marks = "```"
    while marks in example.text:
        marks += "`"
    text = example.text.rstrip("\n")
    return f'{marks}{example.language} title="{example.file}"\n{text}\n{marks}'
