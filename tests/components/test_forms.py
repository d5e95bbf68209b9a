"""Every component's HTML, twin and diagnostics: the cases are in `fixtures/`."""

import pytest

from tests.components import tree
from tests.components.cases import cases, compact
from tests.components.recorder import Recorder

CASES = cases()
each_case = pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])


@each_case
def test_a_component_has_this_html_and_reports_this(case):
    page = Recorder()
    assert compact(tree.html(case.node, page)) == case.html
    assert page.reports == case.reports


@each_case
def test_a_component_has_this_twin(case):
    assert tree.twin(case.node) == case.twin


def test_every_component_has_cases():
    assert {case.node["component"] for case in CASES} == set(tree.KNOWN)
