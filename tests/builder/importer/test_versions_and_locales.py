"""Versions and languages are imported as far as they are asked for, and only those that the site has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.importer.old_site import System
from builder.importer.page_work import Choices
from builder.importer.source_files import NoSource
from tests.builder.importer.imported import imported

Site = tuple[System, Mapping[str, str]]
DOCUSAURUS: Site = (
    "docusaurus",
    {
        "docusaurus.config.js": "module.exports = {presets: [['classic', {}]], "
        "i18n: {defaultLocale: 'en', locales: ['en', 'fr']}}",
        "docs/a.md": "# Next\n",
        "versions.json": '["2.0", "1.0"]',
        "versioned_docs/version-2.0/a.md": "# Two\n",
        "versioned_docs/version-1.0/a.md": "# One\n",
        "i18n/fr/docusaurus-plugin-content-docs/version-2.0/a.md": "# Deux\n",
    },
)
STARLIGHT: Site = (
    "starlight",
    {
        "astro.config.mjs": "export default defineConfig({integrations: [starlight({title: 'T', "
        "locales: {root: {label: 'English', lang: 'en'}, de: {label: 'Deutsch'}}})]})",
        "src/content/docs/a.md": "---\ntitle: A\n---\n",
        "src/content/docs/de/a.md": "---\ntitle: Ah\n---\n",
    },
)
VITEPRESS: Site = (
    "vitepress",
    {
        ".vitepress/config.mts": "export default {locales: {root: {label: 'E'}, de: {label: 'D'}}}",
        "a.md": "# A\n",
        "de/a.md": "# Ah\n",
    },
)
FUMADOCS: Site = (
    "fumadocs",
    {
        "source.config.ts": "export const docs = defineDocs({dir: 'content/docs'})",
        "lib/i18n.ts": "export const i18n = {defaultLanguage: 'en', languages: ['en', 'de']}",
        "content/docs/a.mdx": "# A\n",
        "content/docs/a.de.mdx": "# Ah\n",
    },
)
MKDOCS: Site = (
    "mkdocs",
    {
        "mkdocs.yml": "site_name: T\nplugins:\n  - i18n:\n      languages:\n"
        "        - {locale: en, default: true}\n        - {locale: de}\n",
        "docs/a.md": "# A\n",
        "docs/a.de.md": "# Ah\n",
    },
)
MINTLIFY: Site = (
    "mintlify",
    {
        "docs.json": json.dumps(
            {
                "name": "T",
                "navigation": {
                    "versions": [
                        {"version": "v2", "groups": [{"group": "G", "pages": ["a"]}]},
                        {"version": "v1", "groups": [{"group": "G", "pages": ["v1/a"]}]},
                    ]
                },
            }
        ),
        "a.mdx": "# A\n",
        "v1/a.mdx": "# Old\n",
    },
)
KNOWN: list[tuple[Site, Choices, str]] = [
    (DOCUSAURUS, Choices(("1.0",)), "# One"),
    (DOCUSAURUS, Choices(("next",)), "# Next"),
    (DOCUSAURUS, Choices(("2.0",)), "# Two"),
    (DOCUSAURUS, Choices((), ("fr",)), "# Deux"),
    (DOCUSAURUS, Choices(("all",), ("all",)), "# One"),
    (STARLIGHT, Choices((), ("de",)), "title: Ah"),
    (VITEPRESS, Choices((), ("de",)), "# Ah"),
    (FUMADOCS, Choices((), ("de",)), "# Ah"),
    (MKDOCS, Choices((), ("de",)), "# Ah"),
    (MINTLIFY, Choices(("v1",)), "# Old"),
]
UNKNOWN: list[tuple[Site, Choices, str]] = [
    (DOCUSAURUS, Choices(("3.0",)), "no version `3.0` (there are current, 2.0, 1.0, next, and `all`)"),
    (DOCUSAURUS, Choices((), ("fr", "it")), "no language `it` (there are en, fr, and `all`)"),
    (STARLIGHT, Choices((), ("fr",)), "no language `fr` (there are root, de, and `all`)"),
    (STARLIGHT, Choices(("1.0",)), "no version `1.0` (the site has one version alone)"),
    (VITEPRESS, Choices((), ("fr",)), "no language `fr` (there are root, de, and `all`)"),
    (FUMADOCS, Choices((), ("fr",)), "no language `fr` (there are en, de, and `all`)"),
    (MKDOCS, Choices((), ("fr",)), "no language `fr` (there are en, de, and `all`)"),
    (MINTLIFY, Choices(("v3",)), "no version `v3` (there are v2, v1, and `all`)"),
]


@pytest.mark.parametrize(("site", "choices", "text"), KNOWN)
def test_what_is_asked_for_is_imported(tmp_path: Path, site: Site, choices: Choices, text: str) -> None:
    new = imported(tmp_path, *site, choices=choices)
    assert any(text in each for each in new.texts.values())


@pytest.mark.parametrize("site", [DOCUSAURUS, STARLIGHT, VITEPRESS, FUMADOCS, MKDOCS, MINTLIFY])
def test_the_rest_is_named(tmp_path: Path, site: Site) -> None:
    new = imported(tmp_path, *site)
    told = {f"{loss.what} {loss.old}" for loss in new.losses}
    assert [each for each in told if "not imported" in each or "another language" in each]


@pytest.mark.parametrize(("site", "choices", "said"), UNKNOWN)
def test_a_name_that_the_site_does_not_have_is_refused(
    tmp_path: Path, site: Site, choices: Choices, said: str
) -> None:
    with pytest.raises(NoSource) as refused:
        imported(tmp_path, *site, choices=choices)
    assert said in str(refused.value)
