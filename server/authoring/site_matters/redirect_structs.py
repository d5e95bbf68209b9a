"""Typed structs of requests and answers about redirects."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

MOST_ADDED, MOST_LISTED = 100, 500

Cursor = Annotated[
    str,
    Meta(
        description="`next_cursor` of the answer before; without it the list begins.",
        pattern=r"^[0-9]{0,9}$",
    ),
]
_Old = Annotated[str, Meta(min_length=1, max_length=2000)]
_New = Annotated[
    str,
    Meta(
        description="Where it leads: a path in the site, such as `/docs/new`, maybe with `#part`.",
        min_length=1,
        max_length=2000,
    ),
]
_OLD = "The old address from the site's root: `/docs/old`, or `/old/*` for all below it."


class RedirectsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The part of the list that is asked for."""

    cursor: Cursor = ""


class ListedRedirect(Struct, frozen=True):
    """A redirect of the site."""

    from_: Annotated[str, Meta(description=_OLD)] = field(name="from")
    to: Annotated[str, Meta(description="Where it leads.")]
    file: Annotated[str, Meta(description="The file in which it stands: `site.yml`, `static/_redirects`.")]
    line: Annotated[int, Meta(description="Its line there, 0 where that is not known.")]
    owner_only: Annotated[
        bool,
        Meta(
            description="Whether no key can change it: it leads to another host, stands for the whole site, "
            "or is in another file than `site.yml`."
        ),
    ]


class RedirectList(Struct, frozen=True):
    """The redirects of a site, or a part of them."""

    redirects: list[ListedRedirect]
    revision: Annotated[str, Meta(description="The revision of `site.yml`, empty when there is none.")]
    next_cursor: Annotated[str | None, Meta(description="The cursor of what follows, null at the end.")]


class NewRedirect(Struct, frozen=True, forbid_unknown_fields=True):
    """A redirect to be added; one from the same address is replaced."""

    from_: Annotated[_Old, Meta(description=_OLD)] = field(name="from")
    to: _New


class ChangeRedirects(Struct, frozen=True, forbid_unknown_fields=True):
    """Redirects to remove, then those to add; all others stay."""

    add: Annotated[list[NewRedirect], Meta(description="Those to add or change.", max_length=MOST_ADDED)] = (
        field(default_factory=list)
    )
    remove: Annotated[
        list[_Old], Meta(description="Old addresses whose redirect goes.", max_length=MOST_ADDED)
    ] = field(default_factory=list)
    if_match: Annotated[
        str | None,
        Meta(description="Only if `site.yml` has this `revision`."),
    ] = None


class ChangedRedirect(Struct, frozen=True):
    """A redirect that is new, leads elsewhere, or is gone."""

    from_: str = field(name="from")
    to: Annotated[str | None, Meta(description="Where it leads now, null when it is gone.")]
    was: Annotated[str | None, Meta(description="Where it led before, null when it is new.")]


class RedirectsResult(Struct, frozen=True):
    """The outcome of a change of redirects."""

    applied: Annotated[bool, Meta(description="False when `dry_run` was asked for.")]
    changed: list[ChangedRedirect]
    notes: Annotated[list[str], Meta(description="Remarks, such as that a redirect leads on at once.")]
    revision: Annotated[str, Meta(description="The revision of `site.yml` after the change.")]
