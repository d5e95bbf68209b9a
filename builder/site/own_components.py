"""Own components of a site, the files in `_components/`: their attributes, and what is wrong with them.

Apart from what else pages include: it loads what reads tags, and most sites have no components of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.markdown.parts import component_file
from builder.store.names import COMPONENTS
from builder.store.part_files import PartFiles


def faults(files: PartFiles, own: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield what is wrong with own components, of which `own` are the files."""
    for file in own:
        name, dot, suffix = file.rpartition("/")[2].partition(".")
        if dot and suffix == "mdx" and not name.startswith("_"):
            yield from component_file.faults(name, file, files.read(file).text)


def own_components(root: Path, config: SiteConfig) -> Mapping[str, tuple[str, ...]]:
    """The names of the attributes of each own component of the site in the folder `root`."""
    if "components" not in config.extras:
        return {}
    files = PartFiles(root)
    texts = {
        name.removesuffix(".mdx"): files.read(f"{COMPONENTS}/{name}") for name in files.names(COMPONENTS)
    }
    return {
        name: tuple(component_file.read(part.text).attributes)
        for name, part in texts.items()
        if component_file.NAME.fullmatch(name) and not part.problem
    }
