"""The command that a reader copies from an endpoint: pasted into a shell, it runs curl and nothing else."""

import re
import shlex
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from components.endpoint import Endpoint
from tests.components.recorder import Recorder

hostile = st.text(max_size=20) | st.lists(st.sampled_from("';|&$()`\"\\ \n{}*x-#!<>")).map("".join)


def words(endpoint):
    command = re.search(r'data-copy="([^"]*)"', str(endpoint.html([], Recorder())))
    return shlex.split(unescape(command[1])) if command else ["curl"]


def test_an_endpoint_without_a_base_leaves_it_to_the_shell():
    assert words(Endpoint(method="POST", path="/a b")) == ["curl", "-X", "POST", "$BASE_URL/a b"]


def test_the_token_comes_from_the_shell():
    assert words(Endpoint(method="GET", path="/a", baseUrl="https://x.example", auth="required")) == [
        "curl",
        "https://x.example/a",
        "-H",
        "Authorization: Bearer $TOKEN",
    ]


@given(hostile, hostile, hostile, hostile)
def test_every_value_is_one_word_of_the_command(method, path, base, auth):
    found = words(Endpoint(method=method, path=path, baseUrl=base, auth=auth))
    assert found[0] == "curl"
    assert len(found) <= 6
