from __future__ import annotations

import pytest

from server.readers.audience import LONGEST_AGENT, MARKDOWN, PROGRAMS, ReaderKind, audience, machine

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PEOPLE, BOTS = ReaderKind("people"), ReaderKind("bots")


def agent(name: str) -> ReaderKind:
    return ReaderKind("agents", name)


@pytest.mark.parametrize(
    ("user_agent", "is_machine", "wanted"),
    [
        (FIREFOX, False, PEOPLE),
        (FIREFOX, True, agent(MARKDOWN)),
        ("Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)", False, agent("Claude")),
        ("Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)", True, agent("Claude")),
        ("Mozilla/5.0; compatible; ChatGPT-User/1.0; +https://openai.com/bot", False, agent("ChatGPT")),
        ("DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)", False, agent("DuckAssist")),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", False, BOTS),
        ("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", True, BOTS),
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 (compatible; ClaudeBot/1.0)", False, BOTS),
        ("Mozilla/5.0 (X11; Linux) HeadlessChrome/130.0", False, BOTS),
        ("UptimeRobot/2.0", False, BOTS),
        ("curl/8.5.0", False, agent(PROGRAMS)),
        ("curl/8.5.0", True, agent(MARKDOWN)),
        ("", False, agent(PROGRAMS)),
        ("", True, agent(MARKDOWN)),
        ("x" * LONGEST_AGENT + "Googlebot", False, agent(PROGRAMS)),
    ],
)
def test_who_asks_is_told_by_a_name_and_by_what_was_asked_for(
    user_agent: str, is_machine: bool, wanted: ReaderKind
) -> None:
    for _ in range(2):  # what is known, and what is not
        assert (machine if is_machine else audience)(user_agent) == wanted
