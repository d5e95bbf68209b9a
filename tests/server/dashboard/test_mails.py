"""Links by mail: for a forgotten password, and to sign up; nobody learns from them who has an account."""

from __future__ import annotations

import email
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import cast

import pyotp
import pytest

from server.dashboard.mails import GOODBYE, WAITING, Mail, Mails, MailSettings
from server.dashboard.security_mails import (
    ADDRESS_CHANGED,
    CODES_OFF,
    CODES_ON,
    PASSKEY,
    PASSKEY_DELETED,
    RECOVERY,
)
from server.dashboard.security_mails import PASSWORD as PASSWORD_CHANGED
from server.dashboard.service_address import service_address
from server.http.failure import Failure
from tests.server.control.sign_in.device import Device
from tests.server.dashboard.conftest import PASSWORD, Dashboard, running
from tests.time_bounds import in_time
from tests.waiting import PATIENCE, until

ANN, NEW = "ann@example.com", "new@example.com"
KEEP = """
import os, sys, uuid
place = f"{sys.argv[1]}/{uuid.uuid4()}"
with open(f"{place}.part", "wb") as file:
    file.write(sys.stdin.buffer.read())
os.rename(f"{place}.part", f"{place}.mail")
"""
"""A command as `sendmail` is one: a mail is there when it is whole."""

SLOW = """
import sys
with open(sys.argv[1], "a") as file:
    file.write("begun")
open(sys.argv[2]).read()
"""
"""A command that waits until something is written to the second file."""


class Post:
    """A service that sends mails, into a folder."""

    def __init__(self, dashboard: Dashboard, folder: Path) -> None:
        self.dashboard, self._folder = dashboard, folder

    def ask(self, path: str, to: str) -> str:
        """The words of the answer to who has asked for a mail."""
        page = self.dashboard.browser().post(path, {"email": to})
        assert page.status == 200
        return page.words

    def mails(self, count: int) -> list[EmailMessage]:
        """All mails, when there are so many."""
        until(lambda: len(list(self._folder.glob("*.mail"))) == count)
        texts = [path.read_bytes() for path in self._folder.glob("*.mail")]
        return [cast(EmailMessage, email.message_from_bytes(text, policy=policy.default)) for text in texts]

    def forget(self) -> None:
        """Delete all mails."""
        for path in self._folder.glob("*.mail"):
            path.unlink()

    def link(self, count: int = 1) -> str:
        """The path of the link in the last mail."""
        text = self.mails(count)[-1].get_content()
        (found,) = re.findall(rf"http://localhost:{self.dashboard.port}(/\w+/\S+)", text)
        return str(found)


@pytest.fixture
def post(tmp_path: Path) -> Iterator[Post]:
    folder = tmp_path / "mails"
    folder.mkdir()
    mail = MailSettings((sys.executable, "-c", KEEP, str(folder)), "Twinpress <noreply@example.com>")
    with running(tmp_path / "data", sign_up="open", mail=mail) as dashboard:
        dashboard.account(ANN)
        yield Post(dashboard, folder)


def test_a_forgotten_password_is_chosen_again_by_mail(post: Post) -> None:
    post.ask("/forgotten", ANN.upper())
    (mail,) = post.mails(1)
    assert (mail["To"], mail["From"]) == (ANN, "Twinpress <noreply@example.com>")
    assert mail["Auto-Submitted"] == "auto-generated"
    browser = post.dashboard.browser()
    assert browser.post(post.link(), {"password": "another long sentence"}).path == "/sites"


def test_a_new_address_counts_when_its_mail_was_read_and_the_old_one_is_told(post: Post) -> None:
    browser = post.dashboard.signed_in(ANN)
    assert f"you sign in with {ANN}" in browser.get("/account/email").words
    assert f"Look into the mails of {NEW}" in browser.post("/account/email", {"email": NEW}).words
    by_address = {mail["To"]: mail.get_content() for mail in post.mails(2)}
    assert NEW in by_address[ANN]
    assert "/address/" not in by_address[ANN]
    (path,) = re.findall(r"/address/[\w-]+", by_address[NEW])
    other = post.dashboard.browser()
    assert NEW in other.get(path).words
    assert [one.email for one in post.dashboard.desk.accounts.list()] == [ANN]
    assert "Your address is confirmed" in other.post(path).words
    assert [one.email for one in post.dashboard.desk.accounts.list()] == [NEW]
    assert other.post(path).status == other.get(path).status == 410


def test_the_owner_is_told_what_was_changed_about_the_way_in(post: Post) -> None:
    ann = post.dashboard.signed_in(ANN)
    ann.post("/account/password", {"password": "another long sentence"})
    ann.post("/account/codes")
    account = post.dashboard.desk.accounts.find(ANN)
    secret = post.dashboard.desk.codes.begun(account.id)
    ann.post("/account/codes/off")  # it was not on yet
    ann.post("/account/codes")
    secret = post.dashboard.desk.codes.begun(account.id)
    ann.post("/account/codes/confirm", {"code": pyotp.TOTP(secret).now()})
    ann.post("/account/codes/off")
    ann.post("/account/email", {"email": NEW})
    mails = post.mails(5)
    (path,) = [found for mail in mails for found in re.findall(r"/address/[\w-]+", mail.get_content())]
    post.dashboard.browser().post(path)
    told = {mail["Subject"]: mail for mail in post.mails(6)}
    for subject in (PASSWORD_CHANGED, CODES_OFF, ADDRESS_CHANGED):
        assert told[subject]["To"] == ANN
        text = told[subject].get_content()
        assert "/account" in text
        assert not any(word in text for word in ("another long sentence", secret, path))


def told(post: Post, subject: str) -> str:
    """The text of the mail to Ann that tells of a change, when it has come; there is no other one."""
    (mail,) = post.mails(1)
    assert (mail["Subject"], mail["To"]) == (subject, ANN)
    post.forget()
    return str(mail.get_content())


def test_the_owner_is_told_of_each_change_of_the_second_factor(post: Post) -> None:
    ann = post.dashboard.signed_in(ANN)
    ann.post("/account/codes")
    secret = post.dashboard.desk.codes.begun(post.dashboard.desk.accounts.find(ANN).id)
    ann.post("/account/codes/confirm", {"code": "000000"})  # a wrong one
    shown = ann.post("/account/codes/confirm", {"code": pyotp.TOTP(secret).now()}).words
    first = told(post, CODES_ON)
    renewed = ann.post("/account/codes/recovery").words
    both = first + told(post, RECOVERY)
    ann.post("/account/codes/off")
    assert "password alone" in told(post, CODES_OFF)
    codes = re.findall(r"\b[a-z0-9]{4,}-[a-z0-9-]{4,}\b", f"{shown} {renewed}")
    assert codes
    assert not any(code in both for code in (secret, *codes))


def test_the_owner_is_told_of_a_passkey_that_is_added_and_of_one_that_is_deleted(post: Post) -> None:
    ann = post.dashboard.signed_in(ANN)
    device = Device(origin=ann.origin, host="localhost")

    def send(path: str, **given: object) -> str:
        headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
        return ann.once("POST", path, json.dumps(given).encode(), headers).text

    asked = send("/account/passkeys/ask")
    assert "next" in send("/account/passkeys", answer=device.make(asked), label="laptop")
    assert "without your password" in told(post, PASSKEY)
    assert ann.post(f"/account/passkeys/{device.name}/delete").status == 200
    assert "laptop" in told(post, PASSKEY_DELETED)


def test_a_password_that_was_chosen_by_a_link_is_told_too(post: Post) -> None:
    post.ask("/forgotten", ANN)
    link = post.link()
    post.dashboard.browser().post(link, {"password": "another long sentence"})
    told = {mail["Subject"]: mail.get_content() for mail in post.mails(2)}
    assert link not in told[PASSWORD_CHANGED]
    assert "forgotten" in told[PASSWORD_CHANGED]


def test_a_crowd_of_links_keeps_no_mail_back_that_tells_of_a_change(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    command = (
        sys.executable,
        "-c",
        "import sys; open(sys.argv[1], 'ab').write(sys.stdin.buffer.read())",
        str(kept),
    )
    mails = Mails(MailSettings(command, "noreply@example.com"), service_address("http://localhost:8080"))
    gate = threading.Event()
    mails.send(lambda: gate.wait() and None)
    for _ in range(WAITING - 1):
        mails.send(lambda: None)
    with pytest.raises(Failure):
        mails.send(lambda: None)
    mails.tell(lambda: Mail(ANN, "Told", ("A text.",)))
    gate.set()
    until(lambda: kept.exists() and "Told" in kept.read_text())
    mails.close()


def test_a_new_password_ends_the_link_to_a_new_address(post: Post) -> None:
    browser = post.dashboard.signed_in(ANN)
    browser.post("/account/email", {"email": NEW})
    by_address = {mail["To"]: mail.get_content() for mail in post.mails(2)}
    (path,) = re.findall(r"/address/[\w-]+", by_address[NEW])
    browser.post("/account/password", {"password": "another long sentence"})
    assert post.dashboard.browser().post(path).status == 410
    assert [one.email for one in post.dashboard.desk.accounts.list()] == [ANN]


def test_a_new_password_ends_also_a_link_whose_mail_waits(tmp_path: Path) -> None:
    """The command may take half a minute for each mail before it."""
    gate, mails = tmp_path / "gate", tmp_path / "mails"
    os.mkfifo(gate)
    waiting = "import sys; open(sys.argv[1]).read(); open(sys.argv[2], 'ab').write(sys.stdin.buffer.read())"
    command = (sys.executable, "-c", waiting, str(gate), str(mails))
    with running(tmp_path / "data", mail=MailSettings(command, "noreply@example.com")) as dashboard:
        dashboard.account(ANN)
        dashboard.browser().post("/forgotten", {"email": ANN})
        ann = dashboard.signed_in(ANN)
        ann.post("/step-up", {"password": PASSWORD})
        assert ann.post("/account/email", {"email": NEW}).status == 200
        assert ann.post("/account/password", {"password": "five other words for it"}).status == 200
        for count in range(1, 4):
            gate.write_text("go")
            until(lambda count=count: mails.exists() and mails.read_text().count("Subject:") == count)
        (link,) = re.findall(r"(/address/\S+)", mails.read_text())
        assert dashboard.browser().post(link).status == 410
        assert dashboard.desk.accounts.list()[0].email == ANN


def test_a_link_to_a_new_address_says_whose_account_gets_it(post: Post) -> None:
    """Somebody may ask for another's address, who signs up at the same time and takes the mail for theirs."""
    ann = post.dashboard.signed_in(ANN)
    ann.post("/step-up", {"password": PASSWORD})
    ann.post("/account/email", {"email": NEW})
    (mail,) = [each for each in post.mails(2) if each["To"] == NEW]
    assert f"the account of {ANN} at" in mail.get_content()
    (link,) = re.findall(r"(/address/\S+)", mail.get_content())
    assert f"account of {ANN} gets the address {NEW}" in post.dashboard.browser().get(link).words


def test_everybody_signs_up_with_an_address_of_their_own(post: Post) -> None:
    post.ask("/sign-up", NEW)
    browser = post.dashboard.browser()
    # The address is the one that the mail went to, whatever is sent.
    assert browser.post(post.link(), {"email": "x@example.com", "password": PASSWORD}).path == "/sites"
    assert not post.dashboard.desk.accounts.find(NEW).operator
    assert [one.email for one in post.dashboard.desk.accounts.list()] == [ANN, NEW]


def test_a_second_link_to_an_account_says_that_there_is_one(post: Post) -> None:
    links = [post.dashboard.desk.links.create("welcome", email=NEW) for _ in range(2)]
    browser = post.dashboard.browser()
    assert browser.post(f"/welcome/{links[0]}", {"password": PASSWORD}).path == "/sites"
    page = post.dashboard.browser().post(f"/welcome/{links[1]}", {"password": PASSWORD})
    assert (page.status, f"There is an account {NEW} already: sign in with it." in page.words) == (422, True)


@pytest.mark.parametrize("path", ["/forgotten", "/sign-up"])
def test_the_answer_is_the_same_with_an_account_and_without(post: Post, path: str) -> None:
    known, unknown = post.ask(path, ANN), post.ask(path, NEW)
    assert known.replace(ANN, "-") == unknown.replace(NEW, "-")


def test_an_address_with_an_account_is_told_so_by_mail_alone(post: Post) -> None:
    post.ask("/sign-up", ANN)
    (mail,) = post.mails(1)
    assert mail["Subject"] == "You have an account already"
    assert "/welcome/" not in mail.get_content()


def test_an_address_without_an_account_gets_no_link_to_a_new_password(post: Post) -> None:
    post.ask("/forgotten", NEW)
    post.ask("/forgotten", ANN)
    assert [mail["To"] for mail in post.mails(1)] == [ANN]


@pytest.mark.parametrize("to", [ANN, NEW])
def test_three_mails_an_hour_go_to_one_address(post: Post, to: str) -> None:
    for _ in range(3):
        post.ask("/forgotten", to)
    page = post.dashboard.browser().post("/forgotten", {"email": to})
    assert page.status == 422
    assert "too many attempts" in page.words


@pytest.mark.parametrize("text", ["", "nobody", "a@b\r\nBcc: c@example.com", "x" * 500 + "@example.com"])
def test_what_is_no_address_gets_no_mail(post: Post, text: str) -> None:
    for path in ("/forgotten", "/sign-up"):
        assert post.dashboard.browser().post(path, {"email": text}).status == 422
    post.ask("/forgotten", ANN)
    assert len(post.mails(1)) == 1


def test_a_service_that_sends_no_mails_says_who_can_help(dashboard: Dashboard) -> None:
    browser = dashboard.browser()
    assert "Ask the operator" in browser.get("/forgotten").words
    assert browser.post("/forgotten", {"email": ANN}).status == 404
    assert browser.get("/sign-up").status == 404
    assert browser.post("/sign-up", {"email": ANN}).status == 404
    made = dashboard.desk.links.create("welcome", email=NEW)
    assert browser.get(f"/welcome/{made}").status == 410


@pytest.mark.parametrize(
    "command", [("/no/such/program",), (sys.executable, "-c", "raise SystemExit('the queue is full')")]
)
def test_a_mail_that_cannot_be_sent_is_in_the_log_and_stops_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, command: tuple[str, ...]
) -> None:
    with running(tmp_path / "data", mail=MailSettings(command, "noreply@example.com")) as dashboard:
        dashboard.account(ANN)
        for _ in range(2):
            assert dashboard.browser().post("/forgotten", {"email": ANN}).status == 200
        until(lambda: len(caplog.records) == 2)
    assert all("a mail could not be sent" in record.message for record in caplog.records)
    assert not any("/reset/" in record.message for record in caplog.records)


def test_a_service_that_ends_waits_for_one_mail_and_tells_what_it_leaves(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begun, go = tmp_path / "begun", tmp_path / "go"
    os.mkfifo(go)
    command = (sys.executable, "-c", SLOW, str(begun), str(go))
    mails = Mails(MailSettings(command, "noreply@example.com"), service_address("http://localhost:8080"))
    for _ in range(4):
        mails.send(lambda: Mail(ANN, "A subject", ("A text.",)))
    until(begun.exists)
    with ThreadPoolExecutor(1) as threads:
        closed = threads.submit(mails.close)
        until(lambda: mails.is_closing)
        go.write_text("go")
        closed.result(PATIENCE)
    assert begun.read_text() == "begun"
    assert [record.message for record in caplog.records] == ["3 mails were not sent: the service ends"]


def test_a_command_that_does_not_end_holds_up_no_service_that_ends(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begun = tmp_path / "begun"
    os.mkfifo(tmp_path / "never")
    command = (sys.executable, "-c", SLOW, str(begun), str(tmp_path / "never"))
    mails = Mails(MailSettings(command, "noreply@example.com"), service_address("http://localhost:8080"))
    mails.send(lambda: Mail(ANN, "A subject", ("A text.",)))
    until(begun.exists)
    with in_time(GOODBYE + 5):
        mails.close()
    assert [record.message for record in caplog.records] == [
        f"a mail could not be sent: `{sys.executable}` was given up: the service ends"
    ]
