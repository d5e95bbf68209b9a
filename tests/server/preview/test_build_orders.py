"""Questions to the thread that builds, also when everything ends."""

from __future__ import annotations

from server.preview.build_orders import Inbox


def test_a_question_that_comes_when_all_has_ended_is_answered_once() -> None:
    inbox = Inbox(lambda _: False)
    before = inbox.ask("index.html")
    inbox.stop()
    late = inbox.ask("late.html")
    inbox.stop()  # whoever builds says so too, at its end
    assert [each.result(0) for each in (before, late)] == [None, None]
    assert inbox.question() is None
