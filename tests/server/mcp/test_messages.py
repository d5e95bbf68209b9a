from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.mcp import messages, stdio
from server.mcp.find import opened
from server.mcp.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    Message,
    ProtocolError,
    Unreadable,
)
from server.mcp.reading import ReadingService
from tests.server.mcp.clients import META

GOOD = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
DEEP = "[" * 5_000 + "]" * 5_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD, Message("ping", {}, 1)),
        ('{"jsonrpc":"2.0","id":"a","method":"x","params":{"y":1}}', Message("x", {"y": 1}, "a")),
        ('{"jsonrpc":"2.0","method":"notifications/initialized"}', Message("notifications/initialized")),
        ('{"jsonrpc":"2.0","id":0,"method":"ping","more":true}', Message("ping", {}, 0)),
    ],
)
def test_a_message_is_a_request_or_a_notification(text, expected):
    assert messages.read(text.encode()) == expected


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", PARSE_ERROR),
        (b"{", PARSE_ERROR),
        (b"\xff\xfe{}", PARSE_ERROR),
        ("\ufeff".encode() + GOOD.encode(), PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}', PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', PARSE_ERROR),
        (f'{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{DEEP}}}}}'.encode(), PARSE_ERROR),
        (
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": [0] * 30_000}}).encode(),
            PARSE_ERROR,
        ),
        (f"[{GOOD}]".encode(), INVALID_REQUEST),
        (b"[]", INVALID_REQUEST),
        (b"null", INVALID_REQUEST),
        (b'"ping"', INVALID_REQUEST),
        (b'{"id":1,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":2.0,"id":1,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', INVALID_REQUEST),
        (json.dumps({"jsonrpc": "2.0", "id": "a" * 300, "method": "ping"}).encode(), INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', INVALID_REQUEST),
    ],
    ids=lambda value: repr(value)[:60] if isinstance(value, bytes) else None,
)
def test_what_two_readers_could_understand_in_two_ways_is_refused(data, code):
    with pytest.raises(Unreadable) as refused:
        messages.read(data)
    assert refused.value.code == code
    answer = json.loads(messages.error(None, refused.value))
    assert answer["error"]["code"] == code
    assert "id" not in answer


def test_an_error_can_be_sent_whatever_it_quotes():
    fault = ProtocolError(INVALID_PARAMS, "no \ud800")
    assert json.loads(messages.error("x", fault)) == {
        "jsonrpc": "2.0",
        "id": "x",
        "error": {"code": INVALID_PARAMS, "message": "no ?"},
    }


INDEX = b"# T\n\n## Docs\n\n- [A](/docs/a.md): About a.\n"
SERVICE = ReadingService(opened({"llms.txt": INDEX, "docs/a.md": b"# A\n"}.get))
METHODS = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "x",
]
KEYS = ["name", "arguments", "path", "uri", "cursor", "_meta", "protocolVersion", *META]
NAMES = st.sampled_from(KEYS) | st.text(max_size=8)
TEXTS = st.text(max_size=8) | st.sampled_from(["read", "list", "/docs/a"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.fixed_dictionaries({"method": st.sampled_from(METHODS)}, optional={"params": VALUES, "id": VALUES}))
def test_any_message_has_one_answer_and_ends_nothing(sent):
    line = json.dumps({"jsonrpc": "2.0", **sent}).encode() + b"\n"
    said, faults = io.BytesIO(), list[Exception]()
    stdio.serve(lambda: SERVICE, io.BytesIO(line), said, faults.append)
    assert faults == []
    answers = said.getvalue().splitlines()
    assert len(answers) == ("id" in sent or not isinstance(sent.get("params", {}), dict))
    for answer in answers:
        assert json.loads(answer)["jsonrpc"] == "2.0"
