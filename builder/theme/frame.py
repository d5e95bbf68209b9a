"""Render a page's frame with the theme's templates."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined, Template
from jinja2.exceptions import TemplateError, TemplateSyntaxError

from builder.errors import ThemeError
from builder.theme.folders import NAME, Folders, templates
from builder.theme.views import PageView, SiteView, ThemeView


@lru_cache(maxsize=8)
def _environment(folders: Folders) -> Environment:
    """Templates by their names; `default/page.html` is the default theme's own in any case."""
    loaders = [FileSystemLoader(folder) for folder in templates(folders)]
    return Environment(
        loader=ChoiceLoader([*loaders, PrefixLoader({"default": loaders[-1]})]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@lru_cache(maxsize=16)
def _template(folders: Folders, name: str) -> Template:
    return _environment(folders).get_template(name)


def page(folders: Folders, site: SiteView, theme: ThemeView, view: PageView) -> str:
    """The whole HTML document of a page. Raises ThemeError when a template of the site's own fails."""
    with _own_faults(folders):
        return _template(folders, "page.html").render(site=site, theme=theme, p=view)


def redirect(folders: Folders, site: SiteView, theme: ThemeView, target: str, canonical: str) -> str:
    """The document that leads from an old address to `target`. Raises as `page` does."""
    with _own_faults(folders):
        template = _template(folders, "redirect.html")
        return template.render(site=site, theme=theme, target=target, canonical=canonical)


@contextmanager
def _own_faults(folders: Folders) -> Iterator[None]:
    """Tell whoever wrote a template what is wrong with it; the default theme's faults are ours."""
    try:
        yield
    except (TemplateError, TypeError, ValueError, AttributeError) as error:
        if folders.own is None:
            raise
        raise ThemeError(str(error) or type(error).__name__, path=_place(folders, error)) from error


def _place(folders: Folders, error: Exception) -> str:
    """The template and the line, such as `theme/templates/footer.html:3`."""
    if isinstance(error, TemplateSyntaxError):
        return _line(error.filename or error.name or NAME, error.lineno, folders)
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".html")
    ]
    return _line(frames[-1].filename, frames[-1].lineno or 0, folders) if frames else NAME


def _line(file: str, line: int, folders: Folders) -> str:
    own = f"{folders.own}/"
    return f"{NAME}/{file.removeprefix(own)}:{line}" if file.startswith(own) else f"{file}:{line}"
