from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.control import (
    AmbiguousKey,
    BadKey,
    ControlDatabase,
    DisabledKey,
    ExpiredKey,
    InvalidLabel,
    KeyKind,
    KeyNotFound,
    KeyRefused,
    SiteKeys,
    local_site,
)
from server.control.keys.key_text import generate
from tests.server.control.clock import START, Clock

DAY = 24 * 3600


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "control.sqlite3"


@pytest.fixture
def database(path: Path) -> Iterator[ControlDatabase]:
    with ControlDatabase(path) as opened:
        yield opened


@pytest.fixture
def site(database: ControlDatabase) -> str:
    return local_site(database)


def state(keys: SiteKeys, text: str) -> str:
    """The name of what a check ends with."""
    try:
        return keys.check(text).kind
    except KeyRefused as refused:
        return type(refused).__name__


@pytest.mark.parametrize("kind", KeyKind)
def test_a_key_that_was_made_opens_its_site(database: ControlDatabase, site: str, kind: KeyKind) -> None:
    keys = SiteKeys(database, Clock())
    made = keys.create(kind, site, "for CI")
    assert keys.check(made.text) == made.record
    assert (made.record.kind, made.record.site, made.record.label) == (kind, site, "for CI")
    assert made.text.startswith(made.record.prefix)
    assert made.text.endswith(made.record.last_four)
    assert (made.record.created_at, made.record.last_used_at, made.record.disabled) == (START, None, False)


@pytest.mark.parametrize(
    ("started", "later", "expected"),
    [
        (0.0, 0, "one-off"),
        (0.0, 59 * 60 + 59, "one-off"),
        (0.9, 59 * 60 + 59, "one-off"),
        (0.0, 60 * 60, "ExpiredKey"),
        (0.9, 60 * 60, "ExpiredKey"),
        (0.0, 60 * 60 + 1, "ExpiredKey"),
        (0.0, 29 * DAY, "ExpiredKey"),
        (0.0, -1, "ExpiredKey"),
        (0.0, -DAY, "ExpiredKey"),
    ],
)
def test_a_one_off_key_lives_for_an_hour(
    path: Path, site: str, database: ControlDatabase, started: float, later: float, expected: str
) -> None:
    clock = Clock(START + started)
    keys = SiteKeys(database, clock)
    made = keys.create(KeyKind.ONE_OFF, site)
    clock.now += later
    assert state(keys, made.text) == expected
    with ControlDatabase(path) as reopened:
        assert state(SiteKeys(reopened, clock), made.text) == expected


def test_a_long_lived_key_has_no_end(database: ControlDatabase, site: str) -> None:
    clock = Clock()
    keys = SiteKeys(database, clock)
    made = keys.create(KeyKind.LONG_LIVED, site)
    for clock.now in (START - DAY, START + 100 * 365 * DAY):
        assert keys.check(made.text).expires_at is None


def test_a_one_off_key_is_forgotten_a_month_after_its_end(database: ControlDatabase, site: str) -> None:
    clock = Clock()
    keys = SiteKeys(database, clock)
    old, lasting = (keys.create(kind, site).record for kind in KeyKind)
    clock.now += 3600 + 30 * DAY
    kept = keys.create(KeyKind.ONE_OFF, site).record
    assert {record.id for record in keys.list(site)} == {old.id, lasting.id, kept.id}
    clock.now += 1
    newest = keys.create(KeyKind.ONE_OFF, site).record
    assert {record.id for record in keys.list(site)} == {lasting.id, kept.id, newest.id}


WHOLE = generate(KeyKind.ONE_OFF)
NO_KEY = "this is no key (copy the whole key, from its prefix to its last character)"
UNKNOWN = "there is no such key (ask the owner of the site for a new one)"


@pytest.mark.parametrize(
    ("text", "says"),
    [*((text, NO_KEY) for text in ("", "x", "dpk_", "\udc80", "dpk_" + "0" * 46)), (WHOLE, UNKNOWN)],
    ids=["empty", "short", "prefix", "no text", "wrong checksum", "another one"],
)
def test_what_was_never_made_is_a_bad_key_and_is_not_repeated(
    database: ControlDatabase, text: str, says: str
) -> None:
    with pytest.raises(BadKey) as refused:
        SiteKeys(database).check(text)
    assert str(refused.value) == says


def test_a_deleted_key_is_as_if_it_had_never_been(database: ControlDatabase, site: str) -> None:
    keys = SiteKeys(database)
    made, other = keys.create(KeyKind.LONG_LIVED, site), keys.create(KeyKind.LONG_LIVED, site)
    keys.delete(made.record.id)
    assert state(keys, made.text) == "BadKey"
    assert state(keys, other.text) == "long-lived"
    assert [record.id for record in keys.list(site)] == [other.record.id]  # its last use is written later


def test_a_disabled_key_opens_nothing_until_it_is_enabled(database: ControlDatabase, site: str) -> None:
    clock = Clock()
    keys = SiteKeys(database, clock)
    made = keys.create(KeyKind.ONE_OFF, site)
    keys.disable(made.record.id)
    with pytest.raises(DisabledKey):
        keys.check(made.text)
    assert keys.list(site)[0].disabled
    keys.enable(made.record.id)
    assert keys.check(made.text) == made.record
    keys.disable(made.record.id)
    clock.now += 3600
    with pytest.raises(ExpiredKey):
        keys.check(made.text)


@pytest.mark.parametrize("act", ["delete", "disable", "enable"])
def test_a_key_that_is_not_there_cannot_be_changed(database: ControlDatabase, act: str) -> None:
    with pytest.raises(KeyNotFound):
        getattr(SiteKeys(database), act)("nothing")


def test_keys_of_one_site_are_not_among_those_of_another(database: ControlDatabase, site: str) -> None:
    database.write("INSERT INTO sites (id, created_at) VALUES ('other', 1)")
    keys = SiteKeys(database)
    mine, other = keys.create(KeyKind.LONG_LIVED, site, "ci"), keys.create(KeyKind.LONG_LIVED, "other", "ci")
    assert keys.list(site) == (mine.record,)
    assert keys.find(site, "ci") == mine.record
    assert keys.check(other.text).site == "other"
    with pytest.raises(KeyNotFound):
        keys.find(site, other.record.id)
    with pytest.raises(KeyNotFound):
        keys.find(site, other.text)


def test_a_key_is_found_by_id_label_last_four_and_text(database: ControlDatabase, site: str) -> None:
    keys = SiteKeys(database)
    keys.create(KeyKind.LONG_LIVED, site, "another")
    made = keys.create(KeyKind.LONG_LIVED, site, "ci")
    for name in (made.record.id, "ci", made.record.last_four, made.text):
        assert keys.find(site, name) == made.record


@pytest.mark.parametrize("name", ["", "nothing", "\udc80", "%", "' OR '1'='1"])
def test_a_name_of_no_key_finds_none(database: ControlDatabase, site: str, name: str) -> None:
    keys = SiteKeys(database)
    keys.create(KeyKind.LONG_LIVED, site)
    with pytest.raises(KeyNotFound):
        keys.find(site, name)


def test_the_text_of_an_unknown_key_is_not_repeated(database: ControlDatabase, site: str) -> None:
    text = generate(KeyKind.LONG_LIVED)
    with pytest.raises(KeyNotFound) as missing:
        SiteKeys(database).find(site, text)
    assert text.removeprefix("svc_docs_") not in str(missing.value)


def test_a_name_of_several_keys_asks_for_an_id_and_an_id_is_always_enough(
    database: ControlDatabase, site: str
) -> None:
    keys = SiteKeys(database)
    one = keys.create(KeyKind.LONG_LIVED, site, "ci").record
    two = keys.create(KeyKind.LONG_LIVED, site, "ci").record
    keys.create(KeyKind.LONG_LIVED, site, one.id)
    with pytest.raises(AmbiguousKey) as several:
        keys.find(site, "ci")
    assert {one.id, two.id} <= set(several.value.hint.replace(",", "").split())
    assert keys.find(site, one.id) == one


@pytest.mark.parametrize("label", ["x" * 81, "a\nb", "\x1b[31m", "a\u202eb", " a", "a ", " "])
def test_a_label_that_cannot_be_shown_is_refused(database: ControlDatabase, site: str, label: str) -> None:
    keys = SiteKeys(database)
    with pytest.raises(InvalidLabel):
        keys.create(KeyKind.ONE_OFF, site, label)
    assert keys.list(site) == ()


@pytest.mark.parametrize("label", ["", "CI on main", "été 文档", "x" * 80, "true", "null", "17"])
def test_a_label_comes_back_as_it_was_given(database: ControlDatabase, site: str, label: str) -> None:
    keys = SiteKeys(database)
    keys.create(KeyKind.ONE_OFF, site, label)
    assert [record.label for record in keys.list(site)] == [label]


def test_the_text_of_a_key_is_in_no_file_and_in_no_message(
    path: Path, database: ControlDatabase, site: str
) -> None:
    keys = SiteKeys(database)
    made = [keys.create(kind, site, "label to be found") for kind in KeyKind for _ in range(3)]
    keys.check(made[0].text)
    keys.close()
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"label to be found" in stored
    for each in made:
        body = each.text.removeprefix(each.record.prefix)
        for secret in (body, body[:-4], body[:12]):
            assert secret.encode() not in stored
        assert body not in repr(each)


@pytest.mark.parametrize("label", ["{}", "my_{}", "a{}b", "see {}", "é{}"])
@pytest.mark.parametrize("kind", KeyKind)
def test_a_label_that_holds_a_key_is_refused(
    database: ControlDatabase, site: str, label: str, kind: KeyKind
) -> None:
    key = generate(KeyKind.ONE_OFF)
    keys = SiteKeys(database)
    with pytest.raises(InvalidLabel) as raised:
        keys.create(kind, site, label.format(key)[:80])
    assert key not in str(raised.value)
    assert keys.list(site) == ()
