"""Questions about redirects, which the process that reads pages answers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from builder.config.settings_text import InvalidSettings
from builder.moves.owners_redirects import OwnersRedirect, owners_alone
from builder.moves.redirect_plan import RefusedRedirect, own_redirects
from builder.moves.redirect_rules import RedirectChange, plan_of_key, rewritten
from builder.review import Review
from builder.site import CONFIG_FILE, Site
from server.authoring.review_process import RefusedQuestion
from server.authoring.site_matters.redirect_structs import ChangedRedirect, ListedRedirect
from server.authoring.site_matters.settings_files import SettingsPlan


class RedirectsQuestion(Struct, frozen=True):
    """The redirects of a site are asked for: `most` of them, from number `first` on."""

    first: int
    most: int

    def answer(self, review: Review, site: Site) -> list[ListedRedirect]:
        """Return them in the order in which they are written."""
        config, last = site.config, self.first + self.most
        return [
            _listed(site, old, target) for old, target in list(config.redirects.items())[self.first : last]
        ]


class RedirectChangeQuestion(Struct, frozen=True):
    """The plan of a key's change is asked for, in this text of `site.yml`."""

    text: bytes | None
    change: RedirectChange

    def answer(self, review: Review, site: Site) -> SettingsPlan | RefusedQuestion:
        """Return the text that is to be, or why there is none."""
        pages = sorted((*site.pages, *site.drafts), key=lambda page: page.path)
        whole = replace(site, pages=tuple(pages), drafts=())
        try:
            plan = plan_of_key(whole, self.change)
            before = (self.text or b"").decode(errors="surrogateescape")
            text = rewritten(before, site.config, plan)
        except OwnersRedirect as refused:
            return RefusedQuestion("OWNER_ONLY", str(refused))
        except (RefusedRedirect, InvalidSettings) as refused:
            return RefusedQuestion("PATH_CONFLICT", str(refused))
        changed = _changed(own_redirects(site.config), plan.redirects)
        data = self.text if text == before else text.encode(errors="surrogateescape")
        return SettingsPlan({CONFIG_FILE: data}, (changed, list(plan.said)))


def _listed(site: Site, old: str, target: str) -> ListedRedirect:
    file, line, _ = site.config.redirect_place(old)
    is_owners = old in site.config.redirect_lines or bool(owners_alone(site.config, old, target))
    return ListedRedirect(from_=old, to=target, file=file, line=line, owner_only=is_owners)


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[ChangedRedirect]:
    every = [*before, *(old for old in now if old not in before)]
    return [
        ChangedRedirect(from_=old, to=now.get(old), was=before.get(old))
        for old in every
        if before.get(old) != now.get(old)
    ]
