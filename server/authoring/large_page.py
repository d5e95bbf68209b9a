"""How a page begins that is too large to be read: what its frontmatter says counts all the same."""

from __future__ import annotations

from builder.store import PAGE_LIMIT, ContentStore, Source


def beginning(store: ContentStore, page: Source) -> str:
    """As much of its text as another page may have, empty for a page that was read. Raises StorageError."""
    if page.text:
        return ""
    try:
        with store.open_file(page.file) as file:
            return file.read(PAGE_LIMIT).decode(errors="replace")
    except FileNotFoundError:
        return ""  # it has gone in this very moment, which the write will see
