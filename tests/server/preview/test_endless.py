"""A page that never ends keeps nobody waiting but who asks for it, and is given up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.server.commands import serving
from tests.server.preview.test_reload import codes, until
from tests.sites import write_site

ENDLESS = '{% if p.title == "Slow" %}{% for each in range(10 ** 12) %}{% endfor %}{% endif %}Our own words.'
SITE = {
    "site.yml": "title: Site\n",
    "docs/index.md": "# Start\n",
    "docs/slow.md": "# Quick\n",
    "docs/other.md": "# Other\n",
    "theme/templates/footer.html": ENDLESS,
}


@pytest.mark.slow
def test_a_page_that_never_ends_keeps_nobody_waiting_but_who_asks_for_it(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    with serving(site, "--port", "0", "--trust") as preview, ThreadPoolExecutor() as others:
        assert "Our own words." in preview.get("/docs/slow").text
        with preview.states("/docs/other") as states:
            before = next(states)["page"]
            write_site(site, {"docs/slow.md": "# Slow\n"})
            renamed = until(states, lambda state: state["page"] != before)["page"]  # in its sidebar
            slow = others.submit(preview.get, "/docs/slow")
            write_site(site, {"docs/other.md": "# Other\n\nNew.\n"})
            until(states, lambda state: state["page"] != renamed)
            assert "New." in preview.get("/docs/other").text
            assert preview.get("/docs/nowhere").status == 404
            assert not slow.done()
            until(states, lambda state: "budget-exceeded" in codes(state))
        answer = slow.result()
        assert answer.status == 200
        assert "Our own words." not in answer.text
        assert "docs/slow.md" in preview.says("budget-exceeded")
        write_site(site, {"docs/slow.md": "# Quick\n"})
        with preview.states("/docs/slow") as states:
            until(states, lambda state: not codes(state))
        assert "Our own words." in preview.get("/docs/slow").text
