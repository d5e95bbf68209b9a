"""Render a page's frame with the theme's templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from builder.theme.views import PageView, SiteView, ThemeView


@cache
def _template(folder: Path, name: str) -> Template:
    loader = FileSystemLoader(folder / "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    return environment.get_template(name)


def page(folder: Path, site: SiteView, theme: ThemeView, view: PageView) -> str:
    """The whole HTML document of a page."""
    return _template(folder, "page.html").render(site=site, theme=theme, p=view)


def redirect(folder: Path, site: SiteView, theme: ThemeView, target: str, canonical: str) -> str:
    """The document that leads from an old address to `target`."""
    template = _template(folder, "redirect.html")
    return template.render(site=site, theme=theme, target=target, canonical=canonical)
