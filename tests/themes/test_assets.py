"""The style sheet and the script as they are served: their weight, and that nothing is forgotten."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import builder
import components
from builder import theme
from builder.code.fast_lexer import CLASSES
from builder.math import mathml
from builder.plan.site_files import SCRIPTS, SHEETS
from components.admonition import TYPES
from components.badge import COLORS
from components.cardgrid import COLUMNS
from components.method import VERBS
from tests.components import tree
from tests.components.cases import cases
from tests.components.recorder import Recorder
from tests.themes.views import FILES, FOLDER, KINDS, WHOLE, render

PARTS = [theme.part_sheet(theme.DEFAULT, name) for name in SHEETS]
"""The style sheets of extras: a page that uses none does not load them."""
CSS = "".join(sheet.data.decode() for sheet in (WHOLE, *PARTS))
SCRIPTED = [theme.part_script(theme.DEFAULT, name) for name in SCRIPTS]
JS = "".join(file.data.decode() for file in (FILES.js, *FILES.ondemand.values(), *SCRIPTED))
CODE = [*Path(builder.__path__[0]).rglob("*.py"), *Path(components.__path__[0]).glob("*.py")]

UNSTYLED = {
    "tp-all": "a link like those beside it",
    "tp-accordion-item": "children of the accordion are styled as such",
    "tp-badge-gray": "the colour that others are set off from",
    "tp-embed-link": "a paragraph like others",
    "tp-kind-doc": "for a site's own styles",
    "tp-kind-index": "for a site's own styles",
    "tp-kind-notfound": "for a site's own styles",
    "tp-kind-page": "for a site's own styles",
    "tp-level-2": "the level that others are set off from",
    "tp-left": "text starts there anyway",
    "tp-media": "video and audio are styled by element",
    "tp-params-list": "children of the list are styled as such",
    "tp-tab-label": "a paragraph with strong text",
    "tp-tasks": "its items are styled",
    "tp-update-body": "the rest beside the head",
}
"""Classes that need no rule, each with the reason."""


_NAME = re.compile(r"(?<![\w.-])tp-[a-z]+(?:-[a-z]+)*(?![\w-])")


def weight(data: bytes) -> int:
    return len(gzip.compress(data, 9, mtime=0))


def test_the_style_sheet_and_the_script_are_light() -> None:
    assert weight(theme.style_sheet(theme.DEFAULT, "#7c3aed", ("announcement", "drafts")).data) <= 8 * 1024
    assert weight(FILES.js.data) <= 4 * 1024
    assert sum(weight(sheet.data) for sheet in PARTS) <= 5 * 1024
    assert sum(weight(script.data) for script in SCRIPTED) <= 1.5 * 1024
    assert weight(FILES.search_js.data) + weight(FILES.search_css.data) <= 6.25 * 1024


def test_all_icons_of_the_style_sheet_are_one_picture() -> None:
    """Each picture is a document to the browser, made before the first paint."""
    assert WHOLE.data.count(b"data:image/") == 1


def classes(html: str) -> set[str]:
    names = {name for found in re.findall(r'class="([^"]*)"', html) for name in found.split()}
    return {name for name in names if name.startswith("tp-")}


def emitted() -> set[str]:
    """Classes of the frame, of every case of every component, and those that stand in the builder's code."""
    found = set().union(*(classes(render(view)) for view in KINDS.values()))
    page = Recorder()
    for case in cases():
        found |= classes(tree.html(case.node, page))
    for file in CODE:
        found |= set(_NAME.findall(file.read_text(encoding="utf-8")))
    found |= {f"tp-{name}" for name in TYPES} | {f"tp-{verb.lower()}" for verb in VERBS}
    found |= {f"tp-m-{name}" for name in (*mathml.CLASSES.values(), *mathml.COLORS.values()) if name}
    found |= {"tp-m-serif", "tp-m-sans-serif"}
    found |= {f"tp-m-back-{step}" for step in mathml.STEPS}
    found |= {f"tp-m-{way}strike" for way in ("updiagonal", "downdiagonal", "horizontal")}
    found |= {f"tp-diagram-{scheme}" for scheme in ("light", "dark", "plain")}
    found |= {f"tp-cols-{number}" for number in COLUMNS} | {f"tp-badge-{color}" for color in COLORS}
    found |= {f"tp-is-{kind}" for kind in ("folder", "more")}
    found -= {"tp-components"}  # a layer, not a class
    return found


def styled(name: str) -> bool:
    return re.search(rf"\.{re.escape(name)}(?![\w-])", CSS) is not None


def test_every_class_is_styled_or_known_to_need_no_style() -> None:
    assert {name for name in emitted() if not styled(name)} - UNSTYLED.keys() == set()


def test_no_class_is_excused_for_nothing() -> None:
    assert {name for name in UNSTYLED if styled(name)} == set()
    assert UNSTYLED.keys() - emitted() == set()


def test_the_style_sheet_has_no_rules_for_classes_that_nothing_has() -> None:
    known = emitted() | set(re.findall(r"tp-[a-z-]+", JS))
    known |= {"tp-js", "tp-important"}
    assert set(re.findall(r"\.(tp-[a-z0-9-]+)", CSS)) - known == set()


def test_highlighted_code_has_a_colour_for_each_class() -> None:
    rules = "".join(re.findall(r"\.tp-code (?::is\()?[^{]*\{", CSS))
    assert {name for name in CLASSES.values() if not re.search(rf"\.{name}\b", rules)} == set()


def test_everything_in_the_style_sheet_is_in_a_layer() -> None:
    depth = 0
    for part in re.finditer(r'"[^"]*"|[^{}"]+|[{}]', CSS):
        if part[0] == "{":
            depth += 1
        elif part[0] == "}":
            depth -= 1
        elif depth == 0 and part[0].strip():
            assert part[0].strip().startswith("@layer tp-"), part[0]
    assert depth == 0


def test_dark_is_for_screens_only() -> None:
    base = (FOLDER / "css" / "base.css").read_text(encoding="utf-8")
    screen = base.index("@media screen")
    assert [at.start() > screen for at in re.finditer(r"color-scheme: (?:light )?dark", base)] == [True, True]


def test_directions_are_logical_but_for_code() -> None:
    fixed = re.compile(r"(margin|padding|border)-(left|right)|(?<![-\w])(left|right):")
    files = {file.name: file.read_text(encoding="utf-8") for file in (FOLDER / "css").glob("*.css")}
    found = {name for name, text in files.items() if fixed.search(text)}
    assert {"base.css", "layout.css"} <= files.keys()
    assert found <= {"code.css", "prose.css"}


def test_the_script_makes_nothing_from_strings_of_html() -> None:
    for danger in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert danger not in JS, danger


def test_the_script_names_only_what_the_templates_and_components_have() -> None:
    made = set(re.findall(r'className: ?["`]([^"`$]*)', JS))
    made |= set(re.findall(r'classList\.\w+\("([^"]+)"', JS))
    known = (
        emitted() | {name for names in made for name in names.split()} | {"tp-table", "tp-anchor", "tp-toast"}
    )
    asked = {name for text in re.findall(r'"([^"]*)"', JS) for name in re.findall(r"\.(tp-[a-z-]+)", text)}
    assert asked - known == set()


def test_source_files_are_short() -> None:
    files = [file for kind in ("js/*.js", "ondemand/*.js", "templates/*.html") for file in FOLDER.glob(kind)]
    assert {"code.js", "tools.js", "page.html"} <= {file.name for file in files}
    assert [file.name for file in files if len(file.read_text(encoding="utf-8").splitlines()) > 150] == []
