"""Put frontmatter and body together to the text that is stored, with as little change as can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from builder.frontmatter.block import BOM, find, newline
from builder.frontmatter.split import split
from builder.yaml_nodes import MAX_TEXT, YamlFault
from builder.yaml_write import check, dump, edit, same

FENCE = "---"


def join(frontmatter: Mapping[str, object], body: str, previous: str = "") -> str:
    """The source text of a page; `split` gives the same frontmatter and body back.

    `previous` is the page's text until now: its block stays byte for byte when it has the same values, and
    else only the lines of changed keys are written anew; its byte order mark and line ends are kept. Raises
    ValueError, naming the place, for a value that cannot be written (see `yaml_write.check`).
    """
    values = dict(frontmatter)
    check(values, "frontmatter")
    mark = BOM if previous.startswith(BOM) else ""
    for text in _candidates(values, body, previous.removeprefix(BOM)):
        now = split(mark + text, "")
        if now.body == body and same(now.frontmatter, values):
            return mark + text
    raise ValueError(f"frontmatter: is longer than {MAX_TEXT // 1024} KiB, or has too many values")


def _candidates(values: dict[str, object], body: str, old: str) -> Iterator[str]:
    """Texts that keep less and less of the old one; the last one can always be read."""
    eol = newline(old or body)
    for head in _heads(values, old, eol):
        yield head + body
        yield head + eol + body


def _heads(values: dict[str, object], old: str, eol: str) -> Iterator[str]:
    """What may stand before the body: the old block, the old block with changed lines, none, a new one."""
    block = find(old)
    if block is not None:
        yield old[: block.body]
        yaml = old[block.yaml : block.close]
        edited = _edited(yaml, values, split(old, "").frontmatter, eol) if values else ""
        if edited:
            yield old[: block.yaml] + edited + old[block.close : block.body]
    if not values:
        yield ""
    yield _new_block(values, eol)


def _edited(yaml: str, values: dict[str, object], current: Mapping[str, object], eol: str) -> str:
    """The old YAML with changed lines, or an empty string when it has no lines that could be kept."""
    try:
        edited = edit(yaml, current, values, eol)
    except YamlFault:
        return ""
    return edited if edited[-1:] in {"\r", "\n"} else edited + eol


def _new_block(values: dict[str, object], eol: str) -> str:
    """A whole new block, with an empty line behind it."""
    lines = dump(values).split("\n") if values else []
    return eol.join([FENCE, *lines, FENCE, "", ""])
