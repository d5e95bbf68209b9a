"""Diagrams that are drawn: those of others, those that take too much, and those that want to get out."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from builder import diagrams
from builder.diagrams import Diagram, DiagramFault, draw
from builder.diagrams.diagram import key, kind_of
from builder.diagrams.drawer import DRAWER, Drawer, Ended, _forked, _started_program
from tests.corpora import folder, payloads
from tests.time_bounds import in_time, processor_seconds

pytest.importorskip("merman")

FLOW = "flowchart LR\n  A[Start] --> B{OK?}\n"
KINDS: dict[str, str] = json.loads(Path(__file__).with_name("kinds.json").read_text("utf-8"))
HOSTILE: dict[str, str] = {
    "gantt without an end": (
        "gantt\n dateFormat YYYY-MM-DD\n excludes weekends\n A: a, 2000-01-01, 999999999d\n"
    ),
    "clique": "flowchart LR\n" + "\n".join(f"n{i}-->n{j}" for i in range(60) for j in range(60)),
    "groups": "flowchart LR\n" + "".join(f"subgraph s{i}\n" for i in range(500)) + "a\n" + "end\n" * 500,
    "branches": "sequenceDiagram\n" + "alt x\n" * 2000 + "A->>B: hi\n" + "end\n" * 2000,
    "label": "flowchart LR\n a[" + "x" * 45_000 + "]",
    "configuration": "%%{init: " + '{"a":' * 5000 + "1" + "}" * 5000 + "}%%\nflowchart LR\n a",
    "aliases": "---\na0: &a0 [x, x]\n"
    + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 30))
    + "---\nflowchart LR\n a-->b",
    "boards": "kanban\n" + "\n".join(f" c{i}\n   t{i}" for i in range(500)),
    "letters": '%%{init: {"themeVariables": {"fontSize": "99999999px"}}}%%\nflowchart LR\n a-->b',
}
RUNS = re.compile(
    r"<(?:script|foreignObject|iframe|animate|set|a)\b|@import|javascript:|https?:(?!//www\.w3)"
)


def drawn(source: str) -> Diagram:
    made = draw(source)
    assert isinstance(made, Diagram), made
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_light_and_dark(kind: str) -> None:
    made = drawn(KINDS[kind])
    assert (made.light != made.dark) == (kind not in {"packet", "zenuml"})  # these have colours of their own
    assert made.kind == kind
    for svg in (made.light, made.dark):
        root = ElementTree.fromstring(svg)
        assert root.get("width") == str(made.width)


def test_the_same_source_is_the_same_drawing() -> None:
    first = diagrams.diagram._draw(FLOW)
    DRAWER.close()
    assert first == diagrams.diagram._draw(FLOW)


def test_labels_and_the_authors_own_text_are_known() -> None:
    assert drawn(FLOW).labels == "Start, OK?"
    told = drawn("flowchart LR\n accTitle: The way\n accDescr: From A to B.\n A --> B")
    assert told.told == "The way. From A to B."


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("flowchart LR\n A --> B\n C[oops --> D\n", 3),
        ("sequenceDiagram\n A->>B: x\n bogus line\n", 3),
        ("nothing", 1),
    ],
)
def test_a_fault_is_told_with_its_line(source: str, line: int) -> None:
    made = draw(source)
    assert isinstance(made, DiagramFault)
    assert made.line == line
    assert made.message


def test_the_fences_of_others_are_drawn_or_refused_with_a_line() -> None:
    refused = {}
    for file in sorted((folder() / "diagrams").glob("*.mmd")):
        source = file.read_text("utf-8")
        made = draw(source)
        if isinstance(made, DiagramFault):
            refused[file.name] = made
            assert 1 <= made.line <= source.count("\n") + 1
    # What is refused is no diagram: remarks in the place of one, and arrows that Mermaid has not.
    assert {made.message.partition(" at ")[0] for made in refused.values()} == {
        "no Mermaid diagram detected",
        "unexpected character",
    }
    assert len(refused) == 10


@pytest.mark.parametrize("name", HOSTILE)
def test_a_diagram_that_takes_too_much_is_given_up(name: str) -> None:
    with processor_seconds(2), in_time(11):
        made = draw(HOSTILE[name])
    assert isinstance(made, DiagramFault)
    drawn(FLOW)


PLACES = (
    'flowchart LR\n A["{}"] --> B\n',
    'flowchart LR\n A --> B\n click A "{}"\n',
    "flowchart LR\n A --> B\n style A fill:{}\n",
    "flowchart LR\n A --> B\n classDef x {}\n class A x\n",
    'flowchart LR\n accTitle: {}\n accDescr: {}\n A@{{ img: "{}" }} -->|{}| B\n',
    "sequenceDiagram\n participant A as {}\n A->>B: {}\n Note over A: {}\n",
    '%%{{init: {{"themeCSS": "{}", "fontFamily": "{}"}}}}%%\nflowchart LR\n A --> B\n',
    '%%{{init: {{"theme": "base", "themeVariables": {{"lineColor": "{}"}}}}}}%%\nflowchart LR\n A --> B\n',
    'pie title {}\n "{}" : 1\n',
    'classDiagram\n class A {{\n {}\n }}\n link A "{}"\n',
)


def test_no_payload_gets_into_a_drawing() -> None:
    for number, payload in enumerate(payloads()):
        gets_nowhere(PLACES[number % len(PLACES)], payload)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_no_payload_gets_into_a_drawing_anywhere(place: str) -> None:
    for payload in payloads():
        gets_nowhere(place, payload)


def gets_nowhere(place: str, payload: str) -> None:
    line = payload.replace("\n", " ").replace('"', "'")
    source = place.replace("{{", "\1").replace("}}", "\2").replace("{}", line)
    made = draw(source.translate({1: "{", 2: "}"}))
    for svg in (made.light, made.dark) if isinstance(made, Diagram) else ():
        styles = "".join(re.findall(r"<style>.*?</style>", svg))
        assert not re.search(r"@import|url\(\s*['\"]?[^#'\"]", styles), payload
        assert not RUNS.search(re.sub(r">[^<]*<", "><", re.sub(r"<style>.*?</style>", "", svg))), payload
        given = [each for element in ElementTree.fromstring(svg).iter() for each in element.items()]
        assert not [name for name, _ in given if name.lower().startswith("on")], payload
        addresses = [value for name, value in given if name.endswith("href")]
        assert all(value.startswith(("#", "data:image/png;")) for value in addresses), payload


@pytest.mark.parametrize("begin", [_forked, _started_program], ids=["forked", "started"])
def test_both_ways_to_begin_a_process_draw(begin: object) -> None:
    child = begin()  # type: ignore[operator]
    try:
        answer = json.loads(child.ask(json.dumps({"source": FLOW}).encode() + b"\n"))
        assert answer["light"].startswith("<svg")
    finally:
        child.close()


def test_a_process_that_somebody_ends_is_begun_again() -> None:
    drawer = Drawer()
    try:
        assert "light" in drawer.draw(FLOW)
        assert drawer._child is not None
        drawer._child.end()
        assert "light" in drawer.draw(FLOW)
    finally:
        drawer.close()


def test_a_process_that_takes_too_long_is_ended() -> None:
    drawer = Drawer()
    try:
        with pytest.raises(Ended):
            drawer.draw(HOSTILE["gantt without an end"])
        assert drawer._child is None
    finally:
        drawer.close()


def test_a_child_of_a_process_that_draws_has_a_process_of_its_own() -> None:
    drawn(FLOW)
    theirs = DRAWER._child
    number = os.fork()
    if not number:
        answer = DRAWER.draw("flowchart LR\n a-->b")
        os._exit(0 if "light" in answer and DRAWER._child is not theirs else 1)
    assert os.waitpid(number, 0)[1] == 0
    assert "light" in DRAWER.draw("flowchart LR\n b-->c")


def test_what_is_remembered_is_not_drawn_again() -> None:
    source = "flowchart LR\n remembered --> again"
    known = drawn(FLOW)
    diagrams.remember({key(source): known})
    try:
        assert draw(source) is known
    finally:
        diagrams.remember({})
        draw.cache_clear()


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("sequenceDiagram\n", "sequence"),
        ("%% a remark\n\n  stateDiagram-v2\n", "state"),
        ("---\ntitle: x\n---\nxychart-beta\n", "xychart"),
        ("%%{init: {}}%%\npie\n", "pie"),
        ("", ""),
        ("1", ""),
    ],
)
def test_the_kind_is_the_first_word(source: str, kind: str) -> None:
    assert kind_of(source) == kind
