"""Formulas as MathML: what is converted, what is told with its place, and what no formula does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import html5lib
import pytest

from builder.math import Converter, Formula, TexFault
from builder.math.converter import DEEPEST, LONGEST
from builder.math.mathml import CLASSES, COLORS, STEPS, Unknown, checked
from tests.corpora import payloads

FORMULAS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("formulas.json").read_text("utf-8"))
SHEET = Path(__file__).parents[3] / "themes/default/parts/math.css"

MATHML = "{http://www.w3.org/1998/Math/MathML}"
HARMLESS = frozenset({
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom",
    "mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd",
    "mtext", "mtr", "munder", "munderover",
})  # fmt: skip
HARMLESS_WITHIN = frozenset({"b", "code", "em", "i", "s", "span", "u"})
"""Elements of HTML within texts of formulas."""
HARMFUL = frozenset({"href", "xlink:href", "style", "src", "id", "actiontype", "xmlns"})


def dangers(html: str) -> list[str]:
    """List what is harmful in a formula, parsed as a browser does."""
    tree = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    found = []
    for element in tree.iter():
        name = str(element.tag).removeprefix(MATHML)
        if name not in HARMLESS | HARMLESS_WITHIN | {"DOCUMENT_FRAGMENT"}:
            found.append(f"element {name}")
        found += [f"attribute {each}" for each in element.attrib if each in HARMFUL or each.startswith("on")]
    return found


def test_there_are_a_hundred_formulas_and_most_are_converted() -> None:
    assert len(FORMULAS) >= 100
    assert sum("says" not in each for each in FORMULAS) >= 85


@pytest.mark.parametrize("case", FORMULAS, ids=lambda case: str(FORMULAS.index(case)))
def test_a_formula_is_converted_or_told_with_its_place(case: dict[str, Any]) -> None:
    made = Converter().convert(case["tex"], display=True)
    if "says" in case:
        assert made == TexFault(case["says"], case["at"])
    else:
        assert isinstance(made, Formula)
        assert made.html.startswith("<math alttext=")
        assert dangers(made.html) == []


WRAPPED = (
    "{}", r"\text{{{}}}", r"\mathrm{{{}}}", r"\operatorname{{{}}}", r"\href{{{}}}{{x}}", r"\color{{{}}}x",
    r"\tag{{{}}}x", r"\begin{{{}}}x", r"\hspace{{{}}}", r"\genfrac{{{}}}{{)}}{{0pt}}{{}}{{n}}{{k}}",
)  # fmt: skip


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_no_payload_is_dangerous(wrapped: str) -> None:
    for payload in payloads():
        made = Converter().convert(wrapped.format(payload), display=True)
        assert isinstance(made, TexFault) or dangers(made.html) == [], payload


DEEP = {
    "groups": ("{", "x", "}"),
    "fractions": (r"\frac{", "x", "}{y}"),
    "roots": (r"\sqrt", "x", ""),
    "scripts": ("x^{", "x", "}"),
    "fences": (r"\left(", "x", r"\right)"),
    "tables": (r"\begin{matrix}", "x", r"\end{matrix}"),
    "commands": (r"\not", "=", ""),
    "open": ("{", "", ""),
}


@pytest.mark.parametrize("kind", DEEP)
@pytest.mark.parametrize("count", [DEEPEST + 1, 1_000])
def test_a_formula_that_is_too_deep_is_told(kind: str, count: int) -> None:
    before, core, after = DEEP[kind]
    made = Converter().convert(before * count + core + after * count, display=True)
    assert isinstance(made, TexFault)
    assert "more than" in made.message


def test_a_formula_that_is_too_long_is_told() -> None:
    made = Converter().convert("x+" * LONGEST, display=True)
    assert isinstance(made, TexFault)
    assert "characters" in made.message


def test_commands_that_a_formula_defines_are_not_deep_either() -> None:
    nested = r"\newcommand{\aaa}[1]{" + r"\sqrt{" * 9 + "#1" + "}" * 9 + "}" + r"\aaa{" * 9 + "x" + "}" * 9
    assert isinstance(Converter().convert(nested, display=True), TexFault | Formula)
    bomb = r"\newcommand{\aaa}{\aaa\aaa}\aaa"
    assert isinstance(Converter().convert(bomb, display=True), TexFault)


def test_a_formula_may_define_a_command() -> None:
    made = Converter().convert(r"\newcommand{\half}{\frac{1}{2}} \half + \half", display=False)
    assert isinstance(made, Formula)
    assert made.html.count("<mfrac>") == 2


def test_many_commands_beside_each_other_are_not_deep() -> None:
    made = Converter().convert(r"\alpha{} + " * 200 + r"\frac{a}{b} = " * 100 + "x", display=True)
    assert isinstance(made, Formula)


def test_equations_are_numbered_through_the_page() -> None:
    converter = Converter()
    first, second = (converter.convert(r"\begin{equation}x\end{equation}", display=True) for _ in range(2))
    assert isinstance(first, Formula)
    assert isinstance(second, Formula)
    assert "(1)" in first.html
    assert "(2)" in second.html


def test_a_reference_to_an_equation_leads_nowhere() -> None:
    converter = Converter()
    converter.convert(r"\label{a} x", display=True)
    made = converter.convert(r"\eqref{a}", display=False)
    assert isinstance(made, Formula)
    assert "(1)" in made.html
    assert "<a" not in made.html


UNKNOWN = (
    "<math><script>alert(1)</script></math>",
    '<math><mi onclick="alert(1)">x</mi></math>',
    '<math><mi style="background:url(https://x.example)">x</mi></math>',
    '<math><mi style="color:expression(1)">x</mi></math>',
    '<math><mo width="1em;x:y">x</mo></math>',
    "<math><semantics><annotation-xml encoding='text/html'>x</annotation-xml></semantics></math>",
    "<math><mtext><img src='x'></img></mtext></math>",
    "<math><mtext><b><style>x</style></b></mtext></math>",
    "<math><math>x</math></math>",
    "<mrow>x</mrow>",
    "<math><!-- x --></math>",
    "<math><?x y?></math>",
    "<!DOCTYPE math [<!ENTITY x 'y'>]><math>&x;</math>",
    "<math><mi>x</math>",
    "<math>&unknown;</math>",
)


@pytest.mark.parametrize("markup", UNKNOWN)
def test_markup_that_is_not_on_the_list_is_refused(markup: str) -> None:
    with pytest.raises(Unknown):
        checked(markup, "x")


def test_an_address_goes_and_what_it_stood_around_stays() -> None:
    assert checked('<math><mtext><a href="javascript:alert(1)">x</a></mtext></math>', 'a"b') == (
        '<math alttext="a&quot;b"><mtext>x</mtext></math>'
    )


def test_every_class_has_a_rule() -> None:
    sheet = SHEET.read_text("utf-8")
    names = (
        {name for name in CLASSES.values() if name}
        | {f"back-{step}" for step in STEPS}
        | set(COLORS.values())
    )
    assert [name for name in sorted(names) if f".tp-m-{name} {{" not in sheet] == []
