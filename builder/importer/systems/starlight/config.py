"""Read the configuration of Astro and of Starlight in it, which is parsed and never run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from builder.importer.host_redirects import host_redirects
from builder.importer.literals import Call, Literal, first_data, read_module
from builder.importer.old_site import Loss
from builder.importer.origin import Origin

CONFIGS = tuple(f"astro.config.{ending}" for ending in ("mjs", "ts", "js", "mts", "cjs"))

_NOT_IN_SLUG = re.compile(r"[^\w\s-]")


class Config:
    """The configuration of a site; what is no data is added to the losses."""

    def __init__(self, origin: Origin, file: str, losses: list[Loss]) -> None:
        self._origin = origin
        self._file = file
        self._losses = losses
        self._module = read_module(origin.text(file) or "")
        config = self._module.exports.get("default")
        self.astro: Mapping[str, Literal] = config if isinstance(config, dict) else {}

    def starlight(self) -> Mapping[str, Literal]:
        """Return what Starlight is told, wherever its call stands; nothing, and a loss, for no data."""
        listed = self.astro.get("integrations")
        found: Literal = None
        for each in (*(listed if isinstance(listed, list) else ()), *self._module.names.values()):
            if isinstance(each, Call) and each.name.lower().endswith("starlight") and each.arguments:
                found = self._followed(each.arguments[0])
                break
            if isinstance(each, dict) and "title" in each and found is None:
                found = each
        if isinstance(found, dict):
            return {name: self._followed(value) for name, value in found.items()}
        self._losses.append(Loss("configuration that is no data", self._file, 0, getattr(found, "text", "")))
        return {}

    def _followed(self, value: Literal) -> Literal:
        """Return what a name stands for that is imported from another file."""
        source, name = self._module.imports.get(getattr(value, "text", ""), ("", ""))
        if not source.startswith("."):
            return value
        place = posixpath.normpath(source)
        for end in ("", ".ts", ".js", ".mjs", "/index.ts", "/index.js"):
            text = self._origin.text(f"{place}{end}") if self._origin.has(f"{place}{end}") else None
            if text is not None:
                return read_module(text).exports.get(name, value)
        return value

    def redirects(self) -> Iterator[tuple[str, str]]:
        """Yield the redirects of Astro, and those of the host."""
        listed = self.astro.get("redirects")
        for old, new in listed.items() if isinstance(listed, dict) else ():
            target = new if isinstance(new, str) else _str(first_data(new, "destination"))
            if not target:
                self._losses.append(Loss("redirect that is no data", self._file, 0, old))
            elif not re.search(r"\[(?!\.\.\.)", old + target):
                yield re.sub(r"\[\.\.\.\w+\]", "*", old), re.sub(r"\[\.\.\.\w+\]", "*", target)
            else:
                self._losses.append(Loss("redirect with a name", self._file, 0, f"{old} -> {target}"))
        yield from host_redirects(self._origin, ("", "public"), self._losses)


def _str(value: object) -> str:
    return value if isinstance(value, str) else ""


def slugged(part: str) -> str:
    """Return a name as Astro makes an address of it."""
    return re.sub(r"\s", "-", _NOT_IN_SLUG.sub("", part.lower()).strip())
