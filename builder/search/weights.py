"""Constants of the search's ranking, as `tests/bench/search.py` found them best.

Apart from `part.py`, where each one counts, so that the ranking is tried and changed in one place. A change
here changes the index.
"""

from __future__ import annotations

TITLE, TITLE_BELOW, LABEL, HEADING, DESCRIPTION, ADDRESS = 10.0, 1.0, 1.5, 9.0, 1.5, 0.5
"""What a term weighs there."""
WHOLE_TITLE, WHOLE_HEADING = 4.0, 3.0
"""What all terms of one share, so that who types the whole of it finds it."""
EXACT, WITHIN_NAME = 3.0, 0.7
"""What a word as it stands in a title or heading weighs beside its term; the share of a name's parts."""
SHARE = 0.15
"""How much less each weighs in a longer text."""
SATURATION, USUAL = 1.2, 80
"""How fast repetition in a text stops to count, and the terms of a usual section."""
STEPS = 14
"""Weights are whole numbers of a fourteenth, so that the greatest there can be is less than 256."""
BELOW = 300
"""Characters of a title that weigh in each section: one of many words above many sections would cost both."""
