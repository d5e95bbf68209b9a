"""The five endpoints of the specification, and the guide, answer as when agents began to use them."""

from __future__ import annotations

import json

from tests.server.authoring.recorded_answers import FILE, record


def test_the_five_endpoints_answer_to_the_byte_as_they_were_recorded() -> None:
    assert record() == json.loads(FILE.read_text(encoding="utf-8"))
