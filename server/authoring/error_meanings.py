"""Explain each code of the API and its way out, for the document and for the reference."""

from __future__ import annotations

from server.http.error_codes import meanings

MEANINGS = meanings({
    "INVALID_PATH": "This cannot be a path. The message has the rule that it breaks.",
    "BAD_KEY": "This is no key of this site: it is unknown, deleted, or of another site.",
    "KEY_EXPIRED": "One-off keys live for an hour. Ask the owner for a new one.",
    "KEY_DISABLED": "The owner has disabled the key, and can enable it again.",
    "PAGE_LIMIT_REACHED": "The site has as many pages as it may have.",
    "OWNER_ONLY": "This is the owner's alone, or takes a key that may do it. The message says what "
    "to ask for.",
    "PAGE_NOT_FOUND": "There is no page at this path.",
    "SECTION_NOT_FOUND": "The page has no such section. The message lists those that it has.",
    "CHANGE_NOT_FOUND": "Your key has made no such change, or the history has it no more.",
    "PATH_CONFLICT": "Something else stands where the page would be, such as a page with another case; or "
    "others have changed what an undo would put back. The message names it.",
    "SCREENSHOT_UNAVAILABLE": "No picture can be taken here. The message says what is missing.",
    "PREVIEW_FAILED": "The page is too much to be rendered, or pictured, within the limits. Simplify it.",
    "REVISION_MISMATCH": "The page is not as the condition wants it. Read it again, and decide again.",
    "BODY_TOO_LARGE": "The request, or the page, is too large. Such a page can be replaced or removed.",
    "TOO_BUSY": "Too many connections are open, somebody else keeps writing to the site, too many questions "
    "about it wait, or it is read for the first time. "
    "Wait as many seconds as `Retry-After` says.",
    "STORAGE_FULL": "There is no room left on the disk, or in the site's history: the message says which. "
    "The page is as it was.",
})  # fmt: skip
"""Every code of the API."""
