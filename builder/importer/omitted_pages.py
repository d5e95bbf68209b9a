"""Tell of the pages of a version or language that is not imported, and lead their addresses on."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from builder.importer.old_site import Loss


class OmittedPage(Struct, frozen=True):
    """A page that is not imported; `own` is the address of the same page that is, "" for none."""

    file: str
    address: str
    own: str = ""


class OmittedPages(Struct):
    """The pages that are not imported; `answered` are addresses to which there is nothing to lead."""

    redirects: dict[str, str] = field(default_factory=dict)
    answered: dict[str, str] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)

    def omit(self, kind: str, name: str, pages: Sequence[OmittedPage], config: str) -> None:
        """Omit a version or locale, which `config` names; without pages there is nothing to tell."""
        for page in pages:
            if page.own:
                self.redirects.setdefault(page.address, page.own)
            else:
                self.answered.setdefault(page.address, "")
                what = "page of a version or language that is not imported"
                self.losses.append(Loss(what, page.file, 0, page.address))
        if pages:
            kept = sum(bool(page.own) for page in pages)
            now = f"{kept:,} of {len(pages):,} addresses lead to the same page of the site's own {kind}"
            self.losses.append(Loss(f"{kind} that is not imported", config, 0, name, now, "changed"))
