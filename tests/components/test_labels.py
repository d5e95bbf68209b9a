import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import labels


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("One", ["One"]),
        (" One ,  Two words ", ["One", "Two words"]),
        ("One,", ["One"]),
        ("One,,Three", ["One", "", "Three"]),
        (",,", []),
        ("Tabs\\, spaces,Both", ["Tabs, spaces", "Both"]),
        ("One\nTwo", ["One Two"]),
    ],
)
def test_labels_are_split_at_commas_and_trimmed(text, names):
    assert labels.split(text) == names


@given(st.lists(st.text(st.characters(exclude_characters="\\", exclude_categories=["C", "Z"]), min_size=1)))
def test_joined_labels_are_split_into_the_same(names):
    assert labels.split(labels.join(names)) == names
