"""Rules for every component."""

import ast
import inspect
from typing import get_args

import pytest

from builder.config.fields import Extra
from components import premium
from components.attributes import attributes
from components.documentation import documentation
from components.registry import COMPONENTS, EXTRAS, PREMIUM, components_of
from components.words import ENGLISH
from tests.components.recorder import Recorder
from tests.components.tree import KNOWN

each = pytest.mark.parametrize("component", KNOWN.values(), ids=KNOWN)


def test_the_components_of_the_specification_are_there():
    free = "CardGrid Card Method Endpoint Params Param WhereItLives CodeGroup Tabs TabItem Steps Step"
    paid = ["Accordion", "AccordionItem", "Embed", "Callout"]
    assert [tag for tag, component in COMPONENTS.items() if not component.premium] == free.split()
    assert [tag for tag, component in COMPONENTS.items() if component.premium] == paid
    assert list(PREMIUM) == paid
    assert "Nothing" not in COMPONENTS
    assert COMPONENTS.get("Nothing") is None


@pytest.mark.parametrize(("extra", "names"), EXTRAS.items(), ids=EXTRAS)
def test_the_components_of_an_extra_are_there_with_it_alone(extra, names):
    assert set(components_of(frozenset((extra, "unknown")))) - set(COMPONENTS) == set(names)
    assert not set(names) & set(COMPONENTS)
    assert extra in get_args(Extra)


def test_without_extras_nothing_is_made_anew():
    assert components_of(frozenset(("math",))) is COMPONENTS


@each
def test_a_component_is_named_like_its_class_and_is_in_a_file_of_its_own_or_of_its_whole(component):
    assert component.tag == component.__name__
    (whole,) = component.parents or (component.tag,)
    assert component.__module__ == f"components.{whole.lower()}"
    assert set(component.parents) <= set(KNOWN)


@each
def test_a_component_is_frozen_and_slotted(component):
    assert component.__struct_config__.frozen
    assert not hasattr(component(), "__dict__")


@each
def test_the_documentation_has_a_sentence_and_an_example(component):
    told = documentation(component)
    assert told.summary.endswith(".")
    assert "|" not in told.summary + told.notes
    assert told.examples
    assert (":::note" if component.tag == "Admonition" else f"<{component.tag}") in told.examples[0]


@each
def test_the_attribute_table_is_that_of_the_fields(component):
    rows = {row.name: row for row in documentation(component).rows}
    assert list(rows) == list(component.__struct_fields__)
    for attribute in attributes(component).values():
        assert rows[attribute.name].type == attribute.kind
        if attribute.default not in ("", False):
            assert rows[attribute.name].default == f"`{attribute.default}`"


@each
def test_a_component_without_attributes_and_children_says_nothing_wrong(component):
    page = Recorder()
    html = component().html([], page)
    assert "None" not in html
    assert component().twin([], ENGLISH) == ("> **Note**" if component.tag == "Admonition" else "")


def test_the_notice_names_the_component_in_both_forms():
    html, twin, inline = premium.notice("Accordion", ENGLISH)
    assert "<strong>Accordion</strong>" in html
    assert twin == "> **Accordion** is shown on sites with the premium plan."
    assert inline == "(Accordion: shown on sites with the premium plan)"


@each
def test_a_component_reads_and_writes_no_files(component):
    tree = ast.parse(inspect.getsource(inspect.getmodule(component)))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not imported & {"os", "pathlib", "io", "sys"}
