"""Redirects that keys may change: no page is hidden, and what is the owner's alone stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.config.settings_text import redirects_in
from builder.moves.owners_redirects import OwnersRedirect, owners_alone
from builder.moves.redirect_plan import RefusedRedirect
from builder.moves.redirect_rules import RedirectChange, plan_of_key, plan_of_owner, rewritten
from builder.site import Site, load
from builder.store import ContentStore
from tests.sites import write_site

SETTINGS = """# Ours
title: T
url: https://o.example
redirects:
  # the shop
  /shop: https://shop.example/  # leads away
  /old: /docs/a
  /years/:year: /docs/a
  /chat: /shop
  /v1/*: https://v1.example/:splat
nav:
  - {label: A, href: /docs/a}
"""
FILES = {
    "site.yml": SETTINGS,
    "static/_redirects": "/theirs /docs/a\n/ff/* https://ff.example/:splat\n",
    "static/a.pdf": "%PDF",
    "docs/a.md": "# A\n",
    "docs/g/b.md": "# B\n",
    "docs/home/index.md": "# H\n",
    "docs/draft.md": "---\ndraft: true\n---\n# D\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    with ContentStore(write_site(tmp_path_factory.mktemp("site"), FILES)) as store:
        return load(store, drafts=True)


def changed(site: Site, *add: tuple[str, str], remove: tuple[str, ...] = ()) -> str:
    plan = plan_of_key(site, RedirectChange(add, remove))
    return rewritten(SETTINGS, site.config, plan)


@pytest.mark.parametrize(
    ("add", "line"),
    [
        (("/new", "/docs/g/b"), "  /new: /docs/g/b\n"),
        (("/new", "/old"), "  /new: /docs/a\n"),
        (("/past/*", "/docs/a"), "  /past/*: /docs/a\n"),
        (("/new", "https://o.example/docs/a"), "  /new: https://o.example/docs/a\n"),
    ],
)
def test_a_redirect_of_a_key_is_added_and_every_other_line_stays(
    site: Site, add: tuple[str, str], line: str
) -> None:
    assert changed(site, add) == SETTINGS.replace("nav:\n", f"{line}nav:\n")


def test_one_of_several_is_removed_and_another_changed_at_once(site: Site) -> None:
    wanted = SETTINGS.replace("  /years/:year: /docs/a\n", "").replace("/old: /docs/a", "/old: /docs/g/b")
    assert changed(site, ("/old", "/docs/g/b"), remove=("/years/:year",)) == wanted


def test_those_that_led_to_an_old_address_lead_on_at_once(site: Site) -> None:
    plan = plan_of_key(site, RedirectChange((("/one", "/docs/a"), ("/two", "/one"))))
    assert (plan.redirects["/one"], plan.redirects["/two"]) == ("/docs/a", "/docs/a")
    assert plan.said == ("`/one` leads on, so it leads to `/docs/a` at once",)


@pytest.mark.parametrize(
    "add",
    [
        ("/away", "https://evil.example/"),
        ("/away", "mailto:eve@evil.example"),
        ("/away", "//evil.example"),
        ("/away", "/\\evil.example"),
        ("/away", "javascript:alert(1)"),
        ("/away", "https://o.example.evil.example/"),
        ("/away", "/shop"),
        ("/*", "/docs/a"),
        ("/:x", "/docs/a"),
        ("/:x/*", "/docs/a"),
        ("/shop", "/docs/a"),
        ("/shop.html", "/docs/a"),
        ("/shop/", "/docs/a"),
        ("/shop/index.html", "/docs/a"),
        ("/v1/sign-in", "/docs/a"),
        ("/v1/sign%2din", "/docs/a"),
        ("/v1/", "/docs/a"),
        ("/ff/a", "/docs/a"),
        ("/ff/a/*", "/docs/a"),
        ("/ff/:name", "/docs/a"),
        ("/f*", "/docs/a"),
        ("/away", "http://["),
        ("/.w*", "/docs/a"),
        ("/.well-known*", "/docs/a"),
        ("/.WELL-known/x", "/docs/a"),
        ("/theirs/", "/docs/a"),
        ("/.well-known/mcp/server-card.json", "/docs/a"),
        ("/.well-known/*", "/docs/a"),
        ("/%2ewell-known/x", "/docs/a"),
    ],
)
def test_what_is_the_owners_alone_is_refused(site: Site, add: tuple[str, str]) -> None:
    with pytest.raises(OwnersRedirect) as refused:
        changed(site, add)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (("/docs/a", "/docs/g/b"), "there is a page or file at this address, `docs/a.html`"),
        (("/docs/a.html", "/docs/g/b"), "there is a page or file at this address, `docs/a.html`"),
        (("/a.pdf", "/docs/g/b"), "there is a page or file at this address, `a.pdf`"),
        (("/docs/*", "/old"), "it would hide what there is"),
        (("/docs/g/:name", "/docs/a"), "it would hide what there is, `docs/g/b.html`"),
        (("/a*", "/docs/a"), "it would hide what there is, `a.pdf`"),
        (("/docs/a/", "/docs/g/b"), "it would hide what there is, `docs/a.html`"),
        (("/docs/a/index.html", "/docs/g/b"), "it would hide what there is, `docs/a.html`"),
        (("/docs%2fa%2f", "/docs/g/b"), "it would hide what there is, `docs/a.html`"),
        (("/docs/home", "/docs/a"), "it would hide what there is, `docs/home/index.html`"),
        (("/x", "/x"), "it would lead in a circle"),
        (("/x", "/nowhere"), ""),
        (("x", "/docs/a"), "no path from the site's root"),
        (("/x?y", "/docs/a"), "no path from the site's root"),
        (("/x/*/y", "/docs/a"), "no pattern"),
        (("/theirs", "/docs/a"), "stands in another file"),
        (("", "/docs/a"), ""),
        (("/x", ""), "names no page"),
        (("/x", " "), "names no page"),
        (("/x", "#part"), "names no page"),
        (("/x", " ?a=1"), "names no page"),
        (("http://[", "/docs/a"), "no path from the site's root"),
    ],
)
def test_what_makes_no_sense_is_refused(site: Site, add: tuple[str, str], message: str) -> None:
    with pytest.raises(RefusedRedirect) as refused:
        changed(site, add)
    assert not isinstance(refused.value, OwnersRedirect)
    assert message in str(refused.value)


def test_another_form_of_a_pages_address_leads_to_that_page_alone(site: Site) -> None:
    assert "  /docs/a/: /docs/a\n" in changed(site, ("/docs/a/", "/docs/a"))
    assert "  /docs/home: /docs/home/#part\n" in changed(site, ("/docs/home", "/docs/home/#part"))


@pytest.mark.parametrize(
    "add",
    [
        [("/one/*", "/two/:splat"), ("/two/*", "/one/:splat")],
        [("/one/*", "/two/:splat"), ("/two/:x", "/three/:x"), ("/three/*", "/one/:splat")],
        [("/one/*", "/two/more/:splat"), ("/two/*", "/one/:splat")],
    ],
)
def test_patterns_that_lead_in_a_circle_are_refused(site: Site, add: list[tuple[str, str]]) -> None:
    with pytest.raises(RefusedRedirect, match="in a circle"):
        changed(site, *add)


@pytest.mark.parametrize("old", ["/shop", "/theirs", "/nowhere", "/old\0"])
def test_a_key_removes_only_what_it_may_add(site: Site, old: str) -> None:
    with pytest.raises(RefusedRedirect):
        changed(site, remove=(old,))


def test_what_had_moved_away_and_is_here_again_has_no_redirect(tmp_path: Path) -> None:
    text = "redirects:\n  /docs/a: /docs/b\n"
    with ContentStore(write_site(tmp_path, {"site.yml": text, "docs/a.md": "# A\n"})) as store:
        found = load(store, drafts=True)
    plan = plan_of_owner(found, "/docs/b", "/docs/a")
    assert rewritten(text, found.config, plan) == "redirects:\n  /docs/b: /docs/a\n"


@pytest.mark.parametrize("odd", ["12", "[1]", "{a: b}"])
def test_what_cannot_be_read_as_a_redirect_stays(tmp_path: Path, odd: str) -> None:
    text = f"redirects:\n  /odd: {odd}\n  /old: /docs/a\n"
    with ContentStore(write_site(tmp_path, {"site.yml": text, "docs/a.md": "# A\n"})) as store:
        found = load(store, drafts=True)
    plan = plan_of_key(found, RedirectChange((("/new", "/docs/a"),)))
    wanted = {**redirects_in(text), "/new": "/docs/a"}
    assert redirects_in(rewritten(text, found.config, plan)) == wanted


ADDRESSES = st.text("/:*abo.lsdhpt\\?#%2é \n&;", max_size=14) | st.sampled_from(
    ["/old", "/shop", "/docs/a", "/docs/*", "/:x", "https://shop.example", "/years/:year"]
)


@settings(max_examples=60)
@given(st.lists(st.tuples(ADDRESSES, ADDRESSES), max_size=3), st.lists(ADDRESSES, max_size=2))
def test_whatever_a_key_asks_for_the_owners_stay(
    site: Site, add: list[tuple[str, str]], remove: list[str]
) -> None:
    try:
        plan = plan_of_key(site, RedirectChange(tuple(add), tuple(remove)))
    except RefusedRedirect:
        return
    owned = {old: to for old, to in plan.redirects.items() if owners_alone(site.config, old, to)}
    assert owned == {"/shop": "https://shop.example/", "/v1/*": "https://v1.example/:splat"}
