"""Questions about the sample site, answered with `search` and `read` alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tests
from builder.build import build
from builder.output import MemoryOutput
from builder.plan.options import Options
from server.mcp.find import opened
from server.mcp.reading import ReadingService
from tests.server.mcp.test_reading_tools import called
from tests.themes.conftest import SAMPLE_SITE

QUESTIONS = json.loads((Path(tests.__file__).parent / "builder/search/query/questions.json").read_text())
ENOUGH = 0.95


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> ReadingService:
    output = MemoryOutput()
    build(SAMPLE_SITE, output, Options(cache="read"))
    return ReadingService(opened(output.get))


def test_the_right_page_is_among_the_first_three(service):
    missed = []
    for question, wanted in QUESTIONS.items():
        results = called(service, "search", query=question, limit=3)["structuredContent"]["results"]
        if not {each["path"] for each in results} & set(wanted):
            missed.append(question)
    assert len(QUESTIONS) >= 30
    assert len(missed) <= (1 - ENOUGH) * len(QUESTIONS), missed


def test_the_heading_that_is_found_can_be_read(service):
    """But in twins that are written by hand, and have other headings."""
    unread = []
    for question in QUESTIONS:
        for hit in called(service, "search", query=question, limit=5)["structuredContent"]["results"]:
            asked = {"path": hit["url"], "heading": hit["heading"]}
            if hit["heading"] and called(service, "read", **asked)["isError"]:
                unread.append(hit["url"])
    assert {url.partition("#")[0] for url in unread} <= {
        "https://twinpress.example/docs/reference/command-line/"
    }
