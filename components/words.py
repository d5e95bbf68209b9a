"""Every word that Twinpress itself adds to pages, in English.

The other languages are data of the theme: `themes/default/words/<language>.json`, with the same names.
"""

from __future__ import annotations

import re

from msgspec import Struct

PLACE = "{}"
"""Stands for a name or number within a word's text."""
_PART = re.compile(r"\{(day|month|year)\}")


_meanings: list[str] = []


def _word(english: str, meaning: str) -> str:
    """A field: its English text, and its documentation as an option of `site.yml`."""
    _meanings.append(meaning)
    return english


class Words(Struct, frozen=True):
    """The words of one language. Where the English text has `{}`, every translation has it once."""

    skip: str = _word("Skip to content", "The first link of a page, for keyboards.")
    skip_menu: str = _word("Skip to navigation", "The second link of a page with a sidebar, for keyboards.")
    for_agents: str = _word(
        "For AI agents: {} lists all pages of this site as Markdown.",
        "The line with `llms.txt` at the top of each page, unseen, and of each twin.",
    )
    main: str = _word("Main", "Names the links of the header for screen readers.")
    announcement: str = _word("Announcement", "Names the line above every page for screen readers.")
    dismiss: str = _word("Dismiss", "The button that closes it.")
    menu: str = _word("Menu", "The button that opens the menu on a phone.")
    close_menu: str = _word("Close menu", "The button that closes the menu.")
    site: str = _word("Site", "Names the menu for screen readers.")
    breadcrumbs: str = _word("Breadcrumbs", "Names the links to the folders above a page for screen readers.")
    on_this_page: str = _word("On this page", "The title of the table of contents.")
    pages: str = _word(
        "Pages",
        "Names the links to the previous and next page; a section of `llms.txt`, the number of its pages.",
    )
    previous: str = _word("Previous", "The link to the page before.")
    next: str = _word("Next", "The link to the page after.")
    edit: str = _word("Edit this page", "The link to the page's `edit_url`.")
    feedback: str = _word("Give feedback", "The link to the page's `feedback`.")
    markdown: str = _word("View as Markdown", "The link to the twin.")
    copy_page: str = _word("Copy page", "The button that copies the twin.")
    page_menu: str = _word("More for this page", "Names the button that opens the page's menu.")
    open_in: str = _word("Open in {}", "A link of that menu, with the name of an assistant.")
    ask: str = _word(
        "Read {} so that I can ask you about it.", "The text that an assistant gets, with the page's address."
    )
    email: str = _word("Email", "Names the icon for mail in the footer, for screen readers.")
    updated: str = _word("Last updated {}", "The day of the last change.")
    date: str = _word("{month} {day}, {year}", "How a day is written.")
    months: str = _word(
        "January, February, March, April, May, June, July, August, September, October, November, December",
        "The months as they stand in a day.",
    )
    search: str = _word("Search", "The button in the header, and the name of the search field.")
    search_close: str = _word("Close search", "The button that closes the search.")
    search_recent: str = _word("Recently opened", "The title above the pages that the reader opened last.")
    search_results: str = _word(
        "Pages: {} of {total}", "The number of pages that are shown, and of those that were found."
    )
    search_more: str = _word("Show more results", "The last line of the list while there are more results.")
    search_none: str = _word("Nothing found for {}", "Shown when there are no results, with the query.")
    search_failed: str = _word(
        "The search could not be loaded. Press Enter to try again.", "Shown when there is no connection."
    )
    theme_auto: str = _word("Theme: auto", "The button for light and dark, while the system decides.")
    theme_light: str = _word("Theme: light", "The same button when the reader has chosen light.")
    theme_dark: str = _word("Theme: dark", "The same button when the reader has chosen dark.")
    category: str = _word("{}: pages", "The button that opens a category in the menu.")
    all_of: str = _word("All of {}", "The link to all pages of a large category.")
    draft: str = _word("draft", "Marks a draft in the menu of the preview.")
    draft_title: str = _word("Draft.", "Begins the remark at the top of a draft.")
    draft_note: str = _word(
        "Only this preview shows the page; a build leaves it out.", "The rest of that remark."
    )
    documentation: str = _word("Documentation", "The first section of `llms.txt`.")
    not_found: str = _word("Page not found", "The title of the not-found page.")
    not_found_text: str = _word(
        "There is nothing at this address. The page may have moved, or the link that led here may be wrong.",
        "The text of the not-found page.",
    )
    not_found_near: str = _word("Were you looking for one of these?", "The title above the nearest pages.")
    moved: str = _word("Page moved", "The title of a redirect's page.")
    moved_to: str = _word("Go on to {}.", "The text of that page, with the new address.")
    heading: str = _word("Link to {}", "The link beside a heading.")
    copy: str = _word("Copy code", "The button at a code block.")
    copy_curl: str = _word("Copy as cURL", "The button of `Endpoint`.")
    copy_host: str = _word("Copy host", "The button of `WhereItLives`.")
    copied: str = _word("Copied", "Shown when something was copied.")
    link_copied: str = _word("Link copied", "Shown when the address of a heading was copied.")
    code: str = _word("Code", "Names code that scrolls, for screen readers.")
    diagram: str = _word("Diagram", "Begins the text of a diagram that has none of its own.")
    diagram_source: str = _word("Source of the diagram", "Opens the text that a diagram was made of.")
    table: str = _word("Table {}", "Names a table that scrolls, by its number.")
    load: str = _word("Load", "The button of `Embed`.")
    load_title: str = _word("Load {}", "The same button for screen readers, with the title.")
    open_on: str = _word("Open on {}", "The link of `Embed`, with the host.")
    code_examples: str = _word("Code examples", "Names the tabs of `CodeGroup` for screen readers.")
    code_tab: str = _word("Code {}", "A tab of `CodeGroup` without a label, by its number.")
    options: str = _word("Options", "Names the tabs of `Tabs` for screen readers.")
    tab: str = _word("Tab {}", "A tab of `Tabs` without a label, by its number.")
    details: str = _word("Details", "An `AccordionItem` without a title.")
    endpoint: str = _word("Endpoint", "An `Endpoint` without verb and path.")
    auth_required: str = _word("Auth required", 'Shown by `Endpoint` for `auth="required"`.')
    auth_optional: str = _word("Auth optional", 'Shown by `Endpoint` for `auth="optional"`.')
    auth_none: str = _word("No auth", 'Shown by `Endpoint` for `auth="none"`.')
    auth: str = _word("Auth: {}", "Shown by `Endpoint` for any other scheme.")
    required: str = _word("required", "Marks a `Param` that must be given.")
    default: str = _word("default", "Stands before the default of a `Param`.")
    where_it_lives: str = _word("Where it lives", "Stands before the host in the twin of `WhereItLives`.")
    premium: str = _word(
        "{} is shown on sites with the premium plan.", "The notice in place of a premium component."
    )
    premium_inline: str = _word(
        "{}: shown on sites with the premium plan", "The same within a line of text, in brackets."
    )
    footnote: str = _word("Back to reference {}", "The link back from a footnote.")
    task_done: str = _word("Done", "A ticked box, for screen readers.")
    task_open: str = _word("To do", "An empty box, for screen readers.")
    note: str = _word("Note", "The label of this admonition.")
    tip: str = _word("Tip", "The label of this admonition.")
    info: str = _word("Info", "The label of this admonition.")
    important: str = _word("Important", "The label of this alert.")
    warning: str = _word("Warning", "The label of this admonition.")
    caution: str = _word("Caution", "The label of this admonition.")
    danger: str = _word("Danger", "The label of this admonition.")


ENGLISH = Words()
NAMES = Words.__struct_fields__
MEANINGS = dict(zip(NAMES, _meanings, strict=True))
"""The documentation of each word."""


def fitted(text: str, value: object) -> str:
    """A word with its place filled."""
    return text.replace(PLACE, str(value), 1)


def parted(text: str) -> tuple[str, str]:
    """The text before a word's place, and the text after it."""
    before, _, after = text.partition(PLACE)
    return before, after


def wanted(name: str, text: str) -> str:
    """A description of the text that the word `name` must have, or an empty string if `text` is like that."""
    english: str = getattr(ENGLISH, name)
    if text.count(PLACE) != english.count(PLACE):
        return f"a text with `{PLACE}` in it once" if PLACE in english else f"a text without `{PLACE}`"
    if name == "date" and sorted(_PART.findall(text)) != ["day", "month", "year"]:
        return "a text with `{day}`, `{month}` and `{year}` in it, each once"
    if name == "search_results" and text.count("{total}") != 1:
        return "a text with `{}` and `{total}` in it, each once"
    if name == "months" and text.count(",") != english.count(","):
        return "twelve names with commas between them"
    return ""


def written_day(words: Words, date: str) -> str:
    """A day such as `2026-03-09` as people write it."""
    year, month, day = (int(part) for part in date.split("-"))
    parts = {"day": str(day), "month": words.months.split(",")[month - 1].strip(), "year": str(year)}
    return _PART.sub(lambda part: parts[part[1]], words.date)
