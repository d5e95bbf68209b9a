"""Components of extras: known where the site has switched them on, else unknown with a hint that says so."""

import pytest

from components.registry import EXTRAS
from tests.builder.bodies import findings, rendered

EVERY = frozenset(EXTRAS)
BLOCKS = [(extra, name) for extra, names in EXTRAS.items() for name in names]


def hints(text, extras=frozenset()):
    return [one.hint for one in rendered(text, extras=extras).diagnostics if one.code == "component-unknown"]


@pytest.mark.parametrize(("extra", "name"), BLOCKS, ids=[name for _, name in BLOCKS])
def test_without_its_extra_a_tag_is_unknown_and_the_hint_names_the_extra(extra, name):
    text = f"<{name}>\n\nText.\n\n</{name}>\n\nSome <{name}>words</{name}>.\n"
    body = rendered(text, extras=EVERY - {extra})
    assert body.html == "<p>Text.</p>\n<p>Some words.</p>\n"
    assert body.twin == "Text.\n\nSome words.\n"
    assert hints(text, EVERY - {extra}) == [f"add `{extra}` to `extras` in `site.yml`"] * 2


@pytest.mark.parametrize(("extra", "name"), BLOCKS, ids=[name for _, name in BLOCKS])
def test_without_its_extra_a_broken_tag_is_text_as_ever(extra, name):
    broken = f'<{name} a="b>\n\nText.\n'
    assert findings(rendered(broken)) == []
    assert "tag-broken" in findings(rendered(broken, extras=frozenset({extra})))[0]


@pytest.mark.parametrize(
    ("tag", "hint"),
    [
        ("CardGroup", "did you mean `CardGrid`?"),
        ("Tile", "did you mean `Card`?"),
        ("Crad", "did you mean `Card`?"),
        ("columns-", ""),
        ("COLUMNS", "write `Columns` and add `columns` to `extras` in `site.yml`"),
    ],
)
def test_hints_for_names_of_other_tools_stay(tag, hint):
    found = [one.hint for one in rendered(f"<{tag}>\n\nText.\n\n</{tag}>\n").diagnostics]
    assert hint in found[0]


def test_with_an_extra_its_names_are_near_to_others():
    assert hints("<Colums>\n\nText.\n\n</Colums>\n", EVERY) == ["did you mean `Columns`?"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_page_that_uses_no_extra_is_the_same_with_it(extra):
    text = "# A\n\nSome *text* with <kbd>C</kbd>.\n\n<Card title='T'>b</Card>\n\n- a\n- b\n"
    assert rendered(text, extras=frozenset({extra})) == rendered(text)
