"""The guide tells what an agent would otherwise learn from refusals."""

from __future__ import annotations

import pytest

from builder import paths
from components.registry import EXTRAS
from server.authoring.error_meanings import MEANINGS
from server.authoring.guide import EXTRAS as TOLD_OF
from server.authoring.guide import SwitchedOn, guide
from server.authoring.site_key_limits import ClientLimits
from server.http.error_codes import STATUS

TOLD = [
    *(f"`{path}`" for path in sorted(paths.RESERVED)),
    *(f"`{ending}`" for ending in sorted(paths.ENDINGS)),
    *(f"`{code}` ({STATUS[code]})" for code in MEANINGS),
    "`null` clears one",
    "Leaving it out removes it",
    "at the start of `body`",
    "expression-stripped",
    "premium-hidden",
    "broken-anchor",
    "20,000 values",
]


@pytest.mark.parametrize("words", TOLD)
def test_the_guide_tells(words: str) -> None:
    assert words in guide("Harbour", "free", ClientLimits())


@pytest.mark.parametrize("extra", [*EXTRAS, "keys", "definition-lists"])
def test_the_guide_tells_of_the_extras_that_the_site_has_alone(extra: str) -> None:
    words = f"\n- {TOLD_OF[extra]}\n"
    assert words in guide("Harbour", "free", ClientLimits(), SwitchedOn([extra]))
    assert words not in guide("Harbour", "free", ClientLimits())


def test_the_guide_tells_how_often_a_key_may_ask() -> None:
    told = " ".join(guide("Harbour", "free", ClientLimits()).split())
    assert "may make 300 requests in a minute, a long-lived one (`svc_docs_`) 3,000 requests" in told
    free = " ".join(guide("Harbour", "free", ClientLimits(requests={"one-off": 0, "long-lived": 60})).split())
    assert "may make requests without limit, a long-lived one (`svc_docs_`) 60 requests in a minute" in free


def test_the_guide_tells_of_extras_that_the_site_has() -> None:
    plain, with_both = (
        guide("Harbour", "free", ClientLimits(), SwitchedOn(extras)) for extras in ((), ("math", "diagrams"))
    )
    assert "math-invalid" not in plain
    assert "mermaid" not in plain
    assert "- Formulas in TeX: `$x^2$`" in with_both
    assert "- Diagrams: a fence `mermaid`" in with_both


def test_the_guide_says_what_a_site_has_switched_on():
    site = SwitchedOn(("includes", "components"), ("version",), {"Plan": ("name", "price")})
    text = guide("Harbour", "free", ClientLimits(), site)
    assert '<Include src="./_parts/install.mdx" version="2" />' in text
    assert "`<Plan name price>`" in text
    assert "`%{version}`" in text
    assert "<Include" not in guide("Harbour", "free", ClientLimits())


def test_the_guide_says_who_decides_the_order_and_the_addresses() -> None:
    site = SwitchedOn(("slug",), sidebar="sidebar.yml", docs_at="/")
    text = " ".join(guide("Harbour", "free", ClientLimits(), site).split())
    assert "`slug: setup` in its folder" in text
    assert "written down in `sidebar.yml`" in text
    assert "readers find `docs/a/b` at `/a/b`" in text
    slashes = guide("Harbour", "free", ClientLimits(), SwitchedOn(trailing_slash=True))
    assert "readers find `docs/a/b` at `/docs/a/b/`" in slashes
    plain = guide("Harbour", "free", ClientLimits())
    assert not any(word in plain for word in ("slug: ", "sidebar.yml", "Here `docs/`"))
