"""The operations on redirects: structs in, replies out."""

from __future__ import annotations

from msgspec import Struct

from builder.config.navigation_text import settings_revision
from builder.moves.redirect_rules import RedirectChange
from builder.site import CONFIG_FILE
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.site_matters.redirect_questions import RedirectChangeQuestion, RedirectsQuestion
from server.authoring.site_matters.redirect_structs import (
    MOST_LISTED,
    ChangeRedirects,
    RedirectList,
    RedirectsQuery,
    RedirectsResult,
)
from server.authoring.site_matters.settings_files import SettingsFiles, Texts


class RedirectOperations(Struct, frozen=True):
    """The redirects of one site."""

    parts: AuthoringParts

    async def read(self, asked: RedirectsQuery, by: Caller) -> Reply:
        """List the redirects, those included that no key can change."""
        files, first = SettingsFiles(self.parts), int(asked.cursor or 0)
        revision = settings_revision(await files.texts())
        found = await files.asked(RedirectsQuestion(first, MOST_LISTED + 1), by)
        following = str(first + MOST_LISTED) if len(found) > MOST_LISTED else None
        return Reply(RedirectList(found[:MOST_LISTED], revision, following))

    async def change(self, asked: ChangeRedirects, by: Caller, rehearsal: bool) -> Reply:
        """Add and remove redirects, all or none; a rehearsal changes nothing."""
        wanted = RedirectChange(tuple((each.from_, each.to) for each in asked.add), tuple(asked.remove))

        def question(texts: Texts) -> RedirectChangeQuestion:
            return RedirectChangeQuestion(texts[CONFIG_FILE], wanted)

        files = SettingsFiles(self.parts)
        made = await files.change("redirects_put", question, by, asked.if_match, rehearsal=rehearsal)
        changed, notes = made.told
        return Reply(RedirectsResult(not rehearsal, changed, notes, made.revision))
