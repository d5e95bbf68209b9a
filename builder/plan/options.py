"""Options of a build."""

from __future__ import annotations

from msgspec import Struct

from builder.cache import Use
from builder.site import Plan


class Options(Struct, frozen=True):
    """`plan` and `url` override the site's own; `reload` is a script for every page (the preview's).

    `trusted` says that the site is the own one of whoever builds it, on their own machine: only then is its
    folder `theme` used, and git run there, which the folder may tell to run other programs.
    `agreed` is the digest of the only programs in that folder that may run (`builder.theme.programs`): with
    others the default theme is used, and the build says so. None is for whatever programs there are.
    `jobs` is the number of processes that render pages; None is as many as the machine and the site are good
    for. More than one need a main module that may be imported again.
    `cache` says whether pages that are still right are taken from the site's folder `.twinpress/cache`, and
    kept there: for whoever trusts that folder as much as the site. With "own" only those are taken that this
    person's builds have kept there.
    `verify_cache` is the share of kept pages, from 0 to 1, that is rendered anew and compared.
    Without `analytics` no page has the scripts of `analytics`; nor has one where drafts are shown.
    `include_roots` are folders beside the site from which a `trusted` one may include files.
    With `counts_searches` the search tells the server of what was not found, at the address of the file that
    says so: for a server that counts it.
    """

    plan: Plan | None = None
    url: str | None = None
    drafts: bool = False
    reload: str = ""
    trusted: bool = False
    agreed: str | None = None
    jobs: int | None = 1
    cache: Use = "no"
    verify_cache: float = 0.0
    counts_searches: bool = False
    analytics: bool = True
    include_roots: tuple[str, ...] = ()
