"""A page that keeps what components ask of it."""

import re
from collections import Counter
from dataclasses import dataclass, field

from components.nearest import found
from components.words import ENGLISH, Words


@dataclass
class Recorder:
    """Implements `components.base.Page`."""

    words: Words = ENGLISH
    embed_hosts: tuple[str, ...] = ("youtube.com", "example.com")
    reports: list[str] = field(default_factory=list)
    entries: list[tuple[str, str, int]] = field(default_factory=list)
    updates: list[tuple[str, str, str, list[str]]] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    claimed: Counter[str] = field(default_factory=Counter)

    def unique(self, prefix):
        self.claimed[prefix] += 1
        return f"tp-{prefix}-{self.claimed[prefix]}"

    def anchor(self, text, explicit=""):
        slug = explicit or re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")
        self.claimed[slug] += 1
        return slug if self.claimed[slug] == 1 else f"{slug}-{self.claimed[slug] - 1}"

    def contents(self, anchor, label, level=3):
        self.entries.append((anchor, label, level))

    def tell_apart(self, labels):
        self.labels.update(labels)

    def size(self, address):
        return (400, 300) if "400x300" in address else None

    def update(self, anchor, label, date, tags, html):
        self.updates.append((anchor, label, date, list(tags)))

    def report(self, code, message, hint="", *, attribute=""):
        hint = found(hint)
        self.reports.append(f"{code}: {message} ({hint})" if hint else f"{code}: {message}")
