from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from builder.config import Option, SiteConfig, load, options

HERE = Path(__file__).parent
CASES = json.loads((HERE / "config.json").read_text("utf-8"))
URLS = json.loads((HERE / "site_urls.json").read_text("utf-8"))


SELDOM = ("sidebar", "items", "primary", "columns", "social")


def bare(values: Any) -> None:
    """Take away the places of links, and what cases leave unsaid."""
    for inner in values.values() if isinstance(values, dict) else values:
        if isinstance(inner, dict | list):
            bare(inner)
    if isinstance(values, dict):
        values.pop("where", None)
        for name in SELDOM:
            if not values.get(name, True):
                del values[name]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_load(case: dict[str, Any]) -> None:
    config, found = load(case["text"])
    values = json.loads(json.dumps(dataclasses.asdict(config)))
    bare([values["nav"], values["footer"]])
    assert {name: values[name] for name in case.get("fields", {})} == case.get("fields", {})
    assert [(each.code, each.line, each.column) for each in found] == [
        (code, line, column) for code, line, column, _, _ in case["diagnostics"]
    ]
    for each, (_, _, _, message, hint) in zip(found, case["diagnostics"], strict=True):
        assert each.file == "site.yml"
        assert message in each.message
        assert hint in each.hint


@pytest.mark.parametrize(("text", "url", "origin", "base"), URLS["good"])
def test_the_address_of_a_site_is_an_origin_and_a_base_path(
    text: str, url: str, origin: str, base: str
) -> None:
    config, found = load(yaml.dump({"url": text}))
    assert (config.url, config.origin, config.base_path) == (url, origin, base)
    assert found == ()


@pytest.mark.parametrize("text", URLS["bad"])
def test_what_is_no_address_of_a_site_is_refused(text: str) -> None:
    config, found = load(yaml.dump({"url": text}))
    assert config.url == ""
    assert [(each.code, each.line) for each in found] == [("config-invalid", 1)]
    assert found[0].message.startswith("url: expected")


def test_bytes_that_are_no_text_give_the_defaults() -> None:
    config, found = load(b"title: A\nlogo: \xff\n")
    assert config == SiteConfig()
    assert [(each.code, each.line) for each in found] == [("config-invalid", 2)]


def test_a_field_knows_its_place_in_the_file() -> None:
    config, _ = load("title: A\nnav:\n  - label: B\n    href: /b\nredirects:\n  /old: /new\n")
    assert config.place("nav[0].href") == (4, 11)
    assert config.place("redirects./old") == (6, 9)
    assert config.place("logo") == (0, 0)


def test_a_configuration_can_be_sent_to_another_process() -> None:
    config, _ = load("title: A\nnav: [{label: B, href: /b}]\nredirects: {/a: /b}\n")
    assert pickle.loads(pickle.dumps(config)) == config


def test_every_field_is_documented_with_an_example_that_is_valid() -> None:
    documented = {option.name: option for option in options(SiteConfig)}
    found = {"places", "sidebar_file", "redirect_lines"}
    names = {field.name for field in dataclasses.fields(SiteConfig)} - found
    assert names == {name for name in documented if "." not in name}
    assert all(option.meaning.endswith(".") for option in documented.values())
    for option in documented.values():
        if option.example:
            assert load(_file(option))[1] == (), option


def _file(option: Option) -> str:
    """A file in which only this option is set, within what is needed around it."""
    value: Any = yaml.safe_load(option.example)
    *outer, name = option.name.split(".")
    link = {"label": "A", "href": "/a"}
    needs: dict[str, Any] = {"columns[]": {"label": "A", "items": [link]}}
    value = {
        **needs.get(outer[-1] if outer else "", link if outer and outer[-1].endswith("[]") else {}),
        name: value,
    }
    while outer:
        part = outer.pop()
        around = {"label": "A"} if part == "items[]" else {}
        value = {**around, part.removesuffix("[]"): [value] if part.endswith("[]") else value}
    return yaml.dump(value)


def test_the_documentation_of_a_field_has_type_and_default() -> None:
    documented = {option.name: (option.type, option.default) for option in options(SiteConfig)}
    assert documented["title"] == ("text", "`Documentation`")
    assert documented["plan"] == ("`free` or `premium`", "`free`")
    assert documented["nav"] == ("list of mappings", "none")
    assert documented["nav[].href"] == ("text", "none")
    assert documented["nav[].items[].href"] == ("text", "required")
    assert documented["footer.social.github"] == ("text", "``")
    assert documented["footer.links[].label"] == ("text", "required")
    assert documented["redirects"] == ("mapping", "none")


def test_thousands_of_redirects_are_read() -> None:
    lines = "".join(f"  /old/{n}: /new/{n}\n" for n in range(5_000))
    config, found = load(f"redirects:\n{lines}")
    assert (len(config.redirects), found) == (5_000, ())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from([field.name for field in dataclasses.fields(SiteConfig)]) | st.text()


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_any_values_are_read_with_every_fault_in_its_place(values: dict[str, Any]) -> None:
    text = yaml.dump(values, allow_unicode=True)
    _, found = load(text)
    lines = len(text.splitlines()) + 1
    assert all(1 <= each.line <= lines and each.column >= 1 for each in found)


@given(st.text() | st.binary())
def test_any_text_is_read(text: str | bytes) -> None:
    config, _ = load(text)
    assert isinstance(config, SiteConfig)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("field{0}: 1", "config-unknown-key"),
        ("- label{0}", "config-invalid"),
        ("  /a{0}: 1", "config-invalid"),
        ("title: a", "config-invalid"),
    ],
)
def test_of_thousands_of_faults_of_a_kind_a_thousand_are_told(line: str, code: str) -> None:
    head = {"-": "nav:\n", " ": "redirects:\n"}.get(line[0], "")
    _, found = load(head + "".join(f"{line.format(number)}\n" for number in range(3000)))
    assert [each.code for each in found] == [code] * 1000
    assert [each.line for each in found if "more of these" in each.message] == [found[-1].line]
