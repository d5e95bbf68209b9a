"""A folder `theme` beside `site.yml` takes the place of parts of the default theme, where builds trust it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from builder.errors import ThemeError
from builder.plan.options import Options
from tests.sites import Built, build_site, write_site

OWN = Options(trusted=True)
SITE = {"site.yml": "title: T\nredirects: {/old: /docs/}\n", "docs/index.md": "# Start\n"}
FOOTER = (
    '<footer class="own">{{ site.title }} says {{ p.title }}</footer>{% include "default/footer.html" %}\n'
)


def built(folder: Path, files: dict[str, str | bytes], options: Options = OWN) -> Built:
    return build_site(folder, {**SITE, **files}, options)


def asset(site: Built, pattern: str) -> str:
    found = re.search(pattern, site.text("docs/index.html"))
    assert found
    return site.text(found[1].removeprefix("/"))


def test_a_template_of_the_site_takes_the_place_of_the_default_one(tmp_path: Path) -> None:
    site = built(
        tmp_path, {"theme/templates/footer.html": FOOTER, "site.yml": "title: <T>\nfooter: {text: Below}\n"}
    )
    assert '<footer class="own">&lt;T&gt; says Start</footer>' in site.text("docs/index.html")
    assert ">Below</p>" in site.text("docs/index.html")
    assert site.codes == []


def test_styles_and_scripts_are_replaced_by_name_and_others_added(tmp_path: Path) -> None:
    files = {
        "theme/css/print.css": ".mine { color: red }",
        "theme/css/zz.css": ".more { color: red }",
        "theme/js/scheme.js": 'root.dataset.own = "yes";',
        "theme/ondemand/tools.js": "export const use = () => {};",
    }
    site = built(tmp_path, files)
    css = asset(site, r'href="(/_tp/theme\.\w+\.css)"')
    assert ".mine" in css
    assert ".more" in css
    assert "@page" not in css
    assert 'root.dataset.own = "yes";' in asset(site, r'src="(/_tp/theme\.\w+\.js)"')
    assert "export const use = () => {};" in asset(site, r'data-tools="([^"]+)"')


def test_the_snippet_before_painting_is_allowed_by_its_hash(tmp_path: Path) -> None:
    plain, own = built(tmp_path / "a", {}), built(tmp_path / "b", {"theme/boot.js": "document.title"})
    assert "<script>document.title</script>" in own.text("docs/index.html")
    hashes = {re.findall(r"sha256-[\w+/=]+", site.text("docs/index.html"))[0] for site in (plain, own)}
    assert len(hashes) == 2


def test_without_trust_the_folder_is_not_looked_at(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "theme/templates/page.html": "{{ no.such }}",
        "theme/boot.js": "evil()",
        "theme/x": "",
    }
    site = built(tmp_path / "a", files, Options())
    plain = built(tmp_path / "b", {}, Options())
    assert site.codes == []
    assert {path: site.output.get(path) for path in site.output.paths} == {
        path: plain.output.get(path) for path in plain.output.paths
    }


@pytest.mark.parametrize(
    ("file", "content", "place", "said"),
    [
        ("templates/footer.html", "a\n{% if %}", "theme/templates/footer.html:2", "Expected an expression"),
        ("templates/footer.html", "a\n\n{{ site.titel }}", "theme/templates/footer.html:3", "titel"),
        ("templates/footer.html", "{{ 1 + 'a' }}", "theme/templates/footer.html:1", "unsupported operand"),
        (
            "templates/footer.html",
            '{% include "gone.html" %}',
            "theme/templates/footer.html:1",
            "no template `gone",
        ),
        (
            "templates/footer.html",
            '{% include "../../site.yml" %}',
            "theme/templates/footer.html:1",
            "no template",
        ),
        ("templates/footer.html", '{% include ["a", "b"] %}', "theme/templates/footer.html:1", "`a` or `b`"),
        ("templates/footer.html", "{{ 1 / 0 }}", "theme/templates/footer.html:1", "division by zero"),
        ("templates/footer.html", "{{ 'a' * 10**13 }}", "theme/templates/footer.html:1", "MemoryError"),
        ("templates/redirect.html", "{{ nobody }}", "theme/templates/redirect.html:1", "nobody"),
        ("css/base.css", b"\xff", "theme/css/base.css", "UTF-8"),
        ("words/en.json", "{", "theme/words/en.json", "no table of words"),
        ("words/en.json", '{"next": 1}', "theme/words/en.json", "no table of words"),
        ("words/en.json", '{"nxet": "Onwards"}', "theme/words/en.json", "no word `nxet`"),
        ("words/en.json", '{"updated": "New"}', "theme/words/en.json", "with `{}` in it once"),
        ("words/en.json", '{"next": " "}', "theme/words/en.json", "`next` must be a text"),
    ],
)
def test_a_fault_names_the_file_and_the_line(
    tmp_path: Path, file: str, content: str | bytes, place: str, said: str
) -> None:
    with pytest.raises(ThemeError) as raised:
        built(tmp_path, {f"theme/{file}": content})
    assert raised.value.path == place
    assert said in raised.value.message


@pytest.mark.parametrize(
    ("language", "table", "said"),
    [
        ("sw", {"theme/words/sw.json": '{"skip": "Ruka"}'}, ("Ruka", "On this page")),
        ("de-AT", {"theme/words/de.json": '{"skip": "Los"}'}, ("Los", "Auf dieser Seite")),
        ("en", {"theme/words/en.json": '{"skip": "Go"}'}, ("Go", "On this page")),
        (
            "sw",
            {"theme/words/sw.json": '{"skip": "Ruka"}', "site.yml": "words: {skip: Own}"},
            ("Own", "Search"),
        ),
    ],
)
def test_words_of_the_site_take_the_place_of_others_or_are_a_language_of_their_own(
    tmp_path: Path, language: str, table: dict[str, str | bytes], said: tuple[str, ...]
) -> None:
    config = f"{table.pop('site.yml', 'title: T')!s}\nlanguage: {language}\n"
    page = "# Start\n\n## One\n\n## Two\n"
    site = built(tmp_path, {**table, "site.yml": config, "docs/index.md": page})
    assert site.codes == []
    for word in said:
        assert word in site.text("docs/index.html")


def test_what_has_no_effect_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "theme/fonts/a.woff2": b"\0\xff",
        "theme/css/deep/a.css": "",
        "theme/.DS_Store": "",
    }
    site = built(tmp_path, files)
    assert [(each.code, each.file) for each in site.diagnostics] == [
        ("theme-unused", "theme/css/deep/a.css"),
        ("theme-unused", "theme/fonts/a.woff2"),
    ]


def test_no_link_is_followed(tmp_path: Path) -> None:
    write_site(tmp_path / "secret", {"a.css": ".secret {}", "templates/footer.html": "SECRET"})
    site = write_site(tmp_path / "site", {**SITE, "theme/templates/name.html": "own name"})
    (site / "theme/css").mkdir()
    for name in ("css/zz.css", "boot.js", "x.txt"):
        (site / "theme" / name).symlink_to(tmp_path / "secret/a.css")
    (site / "theme/js").symlink_to(tmp_path / "secret")
    (site / "theme/templates/footer.html").symlink_to(tmp_path / "secret/templates/footer.html")
    made = build_site(site, {}, OWN)
    assert [(each.code, each.file) for each in made.diagnostics] == [
        ("symlink-skipped", "theme/boot.js"),
        ("symlink-skipped", "theme/css/zz.css"),
        ("symlink-skipped", "theme/js"),
        ("symlink-skipped", "theme/templates/footer.html"),
        ("symlink-skipped", "theme/x.txt"),
    ]
    assert "own name" in made.text("docs/index.html")
    assert not any(b"secret" in made.output.get(path).lower() for path in made.output.paths)


def test_the_folder_itself_is_no_link(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    (site / "theme").symlink_to(write_site(tmp_path / "other", {"templates/footer.html": "SECRET"}))
    made = build_site(site, {}, OWN)
    assert [(each.code, each.file) for each in made.diagnostics] == [("symlink-skipped", "theme")]
    assert "SECRET" not in made.text("docs/index.html")


def test_what_is_no_file_is_told_and_not_opened(tmp_path: Path) -> None:
    site = write_site(tmp_path, {**SITE, "theme/css/a.css": ""})
    os.mkfifo(site / "theme/css/b.css")
    (site / "theme/css/c.css").mkdir()
    deep = site / "theme/deep"
    for _ in range(60):
        deep.mkdir()
        deep /= "d"
    made = build_site(site, {}, OWN)
    assert made.codes == ["theme-unused"] * 2


def test_a_change_is_seen_by_the_next_build(tmp_path: Path) -> None:
    for text in ("one", "two"):
        site = built(tmp_path, {"theme/templates/footer.html": text, "theme/css/zz.css": f".{text} {{}}"})
        assert f"\n{text}</div>" in site.text("docs/index.html")
        assert f".{text}" in asset(site, r'href="(/_tp/theme\.\w+\.css)"')
