"""The operations on header, footer and sidebar: structs in, replies out."""

from __future__ import annotations

from msgspec import Struct

from builder.config.navigation_text import settings_revision
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller, Reply
from server.authoring.site_matters.navigation_questions import (
    FILES,
    NavigationChangeQuestion,
    NavigationQuestion,
)
from server.authoring.site_matters.navigation_structs import (
    ChangeNavigation,
    NavigationContent,
    NavigationQuery,
    NavigationResult,
    given_fields,
)
from server.authoring.site_matters.settings_files import SettingsFiles, Texts


class NavigationOperations(Struct, frozen=True):
    """The navigation of one site."""

    parts: AuthoringParts

    async def read(self, _asked: NavigationQuery, by: Caller) -> Reply:
        """Show the header, the footer and the sidebar."""
        files = SettingsFiles(self.parts, FILES)
        texts = await files.texts()
        found = await files.asked(NavigationQuestion(texts), by)
        values = {name: found.values.get(name) for name in ("nav", "footer", "sidebar")}
        content = NavigationContent(
            **values,
            sidebar_file=found.sidebar_file,
            left_out=found.left_out,
            diagnostics=found.found,
            revision=settings_revision(texts),
            may_change=by.key.navigation,
        )
        return Reply(content)

    async def change(self, asked: ChangeNavigation, by: Caller, rehearsal: bool) -> Reply:
        """Change what is given, where the key may; a rehearsal changes nothing."""
        by.check_navigation()
        fields = given_fields(asked)

        def question(texts: Texts) -> NavigationChangeQuestion:
            return NavigationChangeQuestion(texts, fields)

        files = SettingsFiles(self.parts, FILES)
        made = await files.change("navigation_put", question, by, asked.if_match, rehearsal=rehearsal)
        left_out, found = made.told
        return Reply(NavigationResult(not rehearsal, made.files, left_out, found, made.revision))
