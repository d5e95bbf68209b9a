"""Render a page's frame with the theme's templates.

A template that includes another one makes a context for it on every page. The default theme's templates are
put into each other before they are compiled; one that the site has its own of is included as it is written.
"""

from __future__ import annotations

import marshal
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

import jinja2
from jinja2 import (
    ChoiceLoader,
    Environment,
    FunctionLoader,
    PrefixLoader,
    StrictUndefined,
    Template,
)
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.exceptions import TemplateError, TemplateNotFound, TemplatesNotFound, TemplateSyntaxError

from builder.errors import ThemeError
from builder.theme import compiled_cache
from builder.theme.site_theme import NAME, named
from builder.theme.theme_folders import Folders
from builder.theme.views import PageView, SiteView, ThemeView

_MAKER = Path(__file__).with_name("templates.py").read_bytes()
"""What says how templates are compiled: one text becomes other code when, say, `trim_blocks` changes."""


class Compiled(BytecodeCache):
    """Takes and keeps what Jinja compiles of the templates in a folder; without it they are compiled anew.

    `maker` is what says how they are compiled, beside their own text.
    """

    def __init__(self, folder: Path, maker: bytes = _MAKER) -> None:
        self._folder = folder
        self._maker = maker

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The file of a template: for this Python and this Jinja."""
        return str(
            compiled_cache.place(self._folder / name.replace("/", "-"), f"jinja-{jinja2.__version__}.pyc")
        )

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what is there, if it is whole and was made of this very text."""
        data = compiled_cache.kept(Path(bucket.key), self._made_of(bucket))
        if data is not None:
            bucket.code = marshal.loads(data)  # noqa: S302 - as Python does with its own

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it."""
        compiled_cache.keep(Path(bucket.key), self._made_of(bucket), marshal.dumps(bucket.code))

    def _made_of(self, bucket: Bucket) -> bytes:
        return self._maker + bucket.checksum.encode()


_FOLDER = "templates"
_NAME = re.compile(r"[a-z-]+\.html")
_INCLUDE = re.compile(rf'\{{% include "({_NAME.pattern})" %\}}\n?')
"""As the default theme's templates write it."""


@lru_cache(maxsize=8)
def _environment(folders: Folders) -> Environment:
    """Templates by their names; `default/page.html` is the default theme's own in any case."""
    own, default = FunctionLoader(partial(_own, folders)), FunctionLoader(partial(_default, folders))
    return Environment(
        loader=ChoiceLoader([own, default, PrefixLoader({"default": default})]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=None if folders.own else Compiled(folders.default / _FOLDER),
    )


def _own(folders: Folders, name: str) -> tuple[str, str, None] | None:
    """A template of the site: its text, and its file as the writer knows it."""
    file = f"{_FOLDER}/{name}"
    return (folders.own[file], named(file), None) if file in folders.own else None


def _default(folders: Folders, name: str) -> tuple[str, str, None] | None:
    """A template of the default theme, with those that it includes in their places."""
    file = folders.default / _FOLDER / name
    if not _NAME.fullmatch(name) or not file.is_file():
        return None
    return _INCLUDE.sub(partial(_included, folders), file.read_text("utf-8")), str(file), None


def _included(folders: Folders, found: re.Match[str]) -> str:
    """A template in the place of the line that includes it."""
    if f"{_FOLDER}/{found[1]}" in folders.own:
        return found[0]
    inner = _default(folders, found[1])
    return inner[0].removesuffix("\n") if inner else found[0]


@lru_cache(maxsize=16)
def _template(folders: Folders, name: str) -> Template:
    return _environment(folders).get_template(name)


def load(folders: Folders) -> None:
    """Compile the template of pages. Raises ThemeError when one of the site's own cannot be."""
    with _own_faults(folders):
        _template(folders, "page.html")


def page(folders: Folders, site: SiteView, theme: ThemeView, view: PageView) -> str:
    """The whole HTML document of a page. Raises ThemeError when a template of the site's own fails."""
    with _own_faults(folders):
        return _template(folders, "page.html").render(site=site, theme=theme, p=view)


def redirect(folders: Folders, site: SiteView, theme: ThemeView, target: str, canonical: str) -> str:
    """The document that leads from an old address to `target`. Raises as `page` does."""
    with _own_faults(folders):
        template = _template(folders, "redirect.html")
        return template.render(site=site, theme=theme, target=target, canonical=canonical)


_FAULTS = (
    TemplateError, TypeError, ValueError, AttributeError, ArithmeticError, LookupError, MemoryError,
    RecursionError,
)  # fmt: skip
"""What a template meets that calculates or asks for what there is not."""


@contextmanager
def _own_faults(folders: Folders) -> Iterator[None]:
    """Tell whoever wrote a template what is wrong with it; the default theme's faults are ours."""
    try:
        yield
    except _FAULTS as error:
        if not folders.own:
            raise
        raise ThemeError(_said(error), path=_place(error), hint=_hint(error)) from error


def _said(error: Exception) -> str:
    if isinstance(error, TemplateNotFound):
        return f"there is no template {' or '.join(f'`{name}`' for name in _missing(error))}"
    return str(error) or type(error).__name__


def _hint(error: Exception) -> str:
    if isinstance(error, TemplateNotFound):
        return f"templates lie in `{NAME}/{_FOLDER}`, and those of the default theme are `default/...`"
    return ""


def _missing(error: TemplateNotFound) -> list[str]:
    return [str(name) for name in (error.templates if isinstance(error, TemplatesNotFound) else [error.name])]


def _place(error: Exception) -> str:
    """The template and the line, such as `theme/templates/footer.html:3`."""
    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename or error.name or NAME}:{error.lineno}"
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".html")
    ]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else NAME
