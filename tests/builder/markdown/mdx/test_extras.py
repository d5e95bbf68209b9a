"""Components of extras: known where the site has switched them on, else unknown with a hint that says so."""

import re

import pytest
from hypothesis import given

from components.registry import EXTRAS
from tests.builder.bodies import faults, findings, rendered, text_of
from tests.builder.pages import bodies
from tests.time_bounds import quickest

EVERY = frozenset({*EXTRAS, "keys", "definition-lists"})
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


def test_a_tab_has_the_id_that_its_author_chose():
    first, second = '<TabItem id="with-a">\n\nx\n\n</TabItem>\n', "<TabItem>\n\ny\n\n</TabItem>\n"
    text = f'<Tabs labels="a,b">\n{first}{second}</Tabs>\n'
    body = rendered(text)
    assert 'aria-controls="with-a"' in body.html
    assert '<div role="tabpanel" class="tp-panel tp-on" id="with-a"' in body.html
    assert body.ids == {"with-a"}
    assert findings(body) == []


def test_details_have_the_id_that_their_author_chose_each_once():
    body = rendered('<details id="more">\n\na\n\n</details>\n\n<details id="more">\n\nb\n\n</details>\n')
    assert body.ids == {"more", "more-1"}
    assert findings(body) == ["7:13 heading-id-taken"]


def test_headings_within_tabs_are_told_apart_in_the_table_of_contents():
    item = "<TabItem>\n\n## Install\n\n</TabItem>\n"
    body = rendered(f'## Install\n\n<Tabs labels="npm,`yarn`">\n{item}{item}</Tabs>\n\n## Next\n')
    assert [entry.label for entry in body.toc] == ["Install", "Install (npm)", "Install (yarn)", "Next"]


@pytest.mark.parametrize(
    "text", ["<FileTree>\n- {}\n</FileTree>", "<Frame>\n{}\n</Frame>"], ids=["tree", "frame"]
)
def test_many_images_take_time_that_grows_as_they_do(text):
    few, many = (text.replace("{}", "![a](/a)" * count) for count in (1_000, 4_000))
    assert (
        quickest(lambda: rendered(many, extras=EVERY))
        < 8 * quickest(lambda: rendered(few, extras=EVERY)) + 0.1
    )


SHOWN = [
    ("a <Badge color='red'>b *c*</Badge> d", "a (b *c*) d", []),
    ("<Badge>a</Badge>", "(a)", []),
    ("*a <Badge>b* c</Badge>", "*a b* c", ["1:4 component-unclosed", "1:15 component-unopened"]),
    ("a <Badge>b", "a b", ["1:3 component-unclosed"]),
    ("a <Badge></Badge><Badge/> b", "a  b", ["1:3 component-unclosed", "1:18 component-unclosed"]),
    ("a <Tooltip tip='x | y'>b</Tooltip>", "a b (x \\| y)", []),
    (
        "[<Tooltip tip='x'>b</Tooltip>](/docs/x)",
        "[x b](https://o.example/docs/x)",
        ["1:2 component-unclosed"],
    ),
    (
        "<Tooltip tip='x'>[b](/docs/x)</Tooltip>",
        "x [b](https://o.example/docs/x)",
        ["1:1 component-unclosed"],
    ),
    ("a ++ctrl+shift+s++ b", "a Ctrl+Shift+S b", []),
    ('++fn+"Play"+*++', "Fn+Play+\\*", []),
    ("a ++ctlr+s++ b", "a ++ctlr+s++ b", ["1:3 key-unknown"]),
    ("C++ and i++, a++b++ `++f1++` \\++x++", "C++ and i++, a++b++ `++f1++` \\++x++", []),
    ("Term *a* <Badge>b</Badge>\n: What ++f1++", "Term *a* (b)\n: What F1", []),
    (
        "Term [a](./nope.md)\n: b {c} d",
        "Term [a](https://o.example/docs/guide/nope.md)\n: b  d",
        ["1:10 broken-link", "2:5 expression-stripped"],
    ),
]


@pytest.mark.parametrize(("text", "twin", "found"), SHOWN, ids=[text for text, _, _ in SHOWN])
def test_a_text_has_this_twin_and_these_findings(text, twin, found):
    body = rendered(text, extras=EVERY)
    assert body.twin == twin
    assert findings(body) == found
    assert faults(body.html) == []


def test_a_definition_list_holds_blocks():
    text = "Term\n: First\n\n  <Card title='T'>b</Card>\n\n  - x\n\n: Second\n\n> Quoted\n> : d\n"
    html = rendered(text, extras=EVERY).html
    assert html.startswith('<dl>\n<dt>Term</dt>\n<dd><p>First</p>\n<div class="tp-card">')
    assert "<blockquote>\n<dl>\n<dt>Quoted</dt>\n<dd>d</dd>\n</dl>\n</blockquote>" in html
    assert faults(html) == []


def test_what_extras_add_to_the_grammar_is_text_without_them_and_in_md():
    text = "Press ++f1++\n: x\n"
    plain = "<p>Press ++f1++\n: x</p>\n"
    assert rendered(text).html == plain
    assert rendered(text, "md", extras=EVERY).html == plain


def test_a_frame_gives_its_image_a_width_another_for_the_dark_and_a_link():
    body = rendered("<Frame dark='/img/a.png' width={30}>\n![b](/img/a.png)\n</Frame>\n", extras=EVERY)
    image = '<img src="/img/a.png" alt="b" {}width="30">'
    light = f'<a class="tp-zoom tp-light" href="/img/a.png">{image.format("")}</a>'
    lazy = image.format('loading="lazy" ')
    dark = f'<a class="tp-zoom tp-dark" href="/img/a.png">{lazy}</a>'
    assert light + dark in body.html
    assert findings(body) == []


def test_a_dark_image_is_checked_as_images_are():
    for dark, found in (("/img/no.png", "broken-image"), ("javascript:a", "link-unsafe")):
        body = rendered(f"<Frame dark='{dark}'>\n![b](/img/a.png)\n</Frame>\n", extras=EVERY)
        assert findings(body) == [f"1:13 {found}"]


TREE = """\
<FileTree>
- docs/
  - `a b.md` a remark with *emphasis*
  - _category_.yml
  - __init__.py
  - **x.mdx**
- folder
  - ...
- *a
  b* c
</FileTree>
"""


def test_a_tree_tells_folders_files_and_remarks():
    html = rendered(TREE, extras=EVERY).html
    assert '<li class="tp-is-folder"><span class="tp-file">docs/</span>' in html
    remark = '<span class="tp-file-remark">a remark with <em>emphasis</em></span>'
    assert f'<li class="tp-is-file"><span class="tp-file"><code>a b.md</code></span> {remark}' in html
    assert '<span class="tp-file">_category_.yml</span>' in html
    assert '<span class="tp-file">__init__.py</span>' in html
    assert '<span class="tp-file"><strong>x.mdx</strong></span>' in html
    assert '<li class="tp-is-folder"><span class="tp-file">folder</span>' in html
    assert '<li class="tp-is-more"><span class="tp-file">...</span>' in html
    assert faults(html) == []


@given(bodies(extras=True))
def test_the_page_around_any_body_with_extras_stays_intact(text):
    body = rendered(text, extras=EVERY)
    assert faults(body.html) == []
    assert "\0" not in body.html + body.twin


@given(bodies(junk=False, extras=True))
def test_every_word_outside_code_and_tags_is_shown_and_in_the_twin(text):
    body = rendered(text, extras=EVERY)
    hidden = set(re.findall(r"w\d+q", " ".join(re.findall(r"```.*", text))))
    words = set(re.findall(r"w\d+q", text)) - hidden
    assert words <= set(re.findall(r"w\d+q", text_of(body.html)))
    assert words <= set(re.findall(r"w\d+q", body.twin))
