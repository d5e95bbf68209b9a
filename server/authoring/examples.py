"""One example of each endpoint, for the document; a test runs them in this order against a site of theirs."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.describe.table import Example
from server.authoring.structs import (
    Category,
    DeleteResult,
    Finding,
    Guide,
    InboundLink,
    Page,
    PageSummary,
    PutCategory,
    PutPage,
    PutResult,
    SiteResult,
    SiteSummary,
)

SITE: Mapping[str, str] = {
    "site.yml": "title: Harbour\ndescription: How to use Harbour.\nurl: https://harbour.example\n",
    "docs/start/_category_.yml": "label: Getting started\nposition: 1\n",
    "docs/start/install.mdx": (
        "---\ntitle: Install\ndescription: Install Harbour in a minute.\n---\n\nGet the [file](./download).\n"
    ),
    "docs/start/download.md": "---\ntitle: Download\n---\n\nThe newest release.\n",
}
"""The files of the site that the examples are about."""


_NEW = "docs/start/first-steps"

EXAMPLES: Mapping[str, Example] = {
    "site": Example(
        SiteResult(
            SiteSummary(
                id="4nXbT0cVzQ9LrW2d",
                title="Harbour",
                description="How to use Harbour.",
                url="https://harbour.example",
                plan="free",
                page_count=2,
                updated_at="2026-03-01T09:30:00+00:00",
                published_at=None,
                categories=[Category("docs/start", "Getting started", 1, None)],
            ),
            [
                PageSummary("docs/start/download", "Download", "md"),
                PageSummary("docs/start/install", "Install", "mdx"),
            ],
        )
    ),
    "guide": Example(Guide("# Writing the documentation of Harbour\n\n...")),
    "page": Example(
        Page(
            "docs/start/install",
            "mdx",
            {"title": "Install", "description": "Install Harbour in a minute."},
            "Get the [file](./download).\n",
            None,
        ),
        parameters={"path": "docs/start/install"},
    ),
    "put": Example(
        PutResult(
            path=_NEW,
            format="mdx",
            url=f"/{_NEW}",
            created=True,
            revision="caf82382c39ffa5f62ff5adcecaed56b",
            diagnostics=[
                Finding(
                    "component-unknown",
                    "warning",
                    "body",
                    3,
                    1,
                    f"{_NEW}.mdx",
                    8,
                    "there is no component `Stepz`",
                    "did you mean `Step`?",
                )
            ],
        ),
        status=201,
        body=PutPage(
            path=_NEW,
            frontmatter={"title": "First steps", "description": "From nothing to a first boat."},
            body="[Install](./install) Harbour first.\n\n<Stepz>Then open it.</Stepz>\n",
        ),
    ),
    "delete": Example(
        DeleteResult(
            "docs/start/download",
            deleted=True,
            inbound_links=[InboundLink("docs/start/install", "docs/start/install.mdx", 6, 16)],
        ),
        parameters={"path": "docs/start/download"},
    ),
    "category": Example(
        Category("docs/start", "Begin here", 1, collapsed=False),
        body=PutCategory("docs/start", label="Begin here", collapsed=False),
    ),
}
