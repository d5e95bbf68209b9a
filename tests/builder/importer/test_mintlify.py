"""Sites of Mintlify: API descriptions, the navigation and settings of `docs.json` and `mint.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.importer.page_work import Choices
from builder.yaml.safe import load
from tests.builder.importer.imported import imported

SPEC: Mapping[str, object] = {
    "openapi": "3.0.1",
    "servers": [{"url": "https://api.example.com/"}],
    "security": [{"key": []}],
    "paths": {
        "/users/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {
                "summary": "Get a user",
                "tags": ["Users"],
                "description": "One {user} of <all>, see `{x}`.",
                "parameters": [
                    {"name": "full", "in": "query", "schema": {"type": "boolean", "default": False}}
                ],
                "responses": {
                    "200": {
                        "description": "The user.",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}},
                    }
                },
            },
        },
        "/users": {
            "post": {
                "operationId": "addUser",
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}
                },
            }
        },
    },
    "components": {
        "schemas": {
            "User": {
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "description": "The <b>name</b>.", "example": "Ann"},
                    "kind": {"type": "string", "enum": ["a", "b"]},
                    "home": {"type": "object", "properties": {"city": {"type": "string"}}},
                    "again": {"$ref": "#/components/schemas/User"},
                },
            }
        }
    },
}


def config(navigation: object, **more: object) -> str:
    """Return a configuration."""
    return json.dumps({"name": "A", "navigation": navigation, **more})


def test_operation_that_a_page_names_is_in_full(tmp_path: Path) -> None:
    files = {
        "docs.json": config({"pages": ["index", "api/get"]}),
        "openapi.json": json.dumps(SPEC),
        "index.mdx": "# T\n",
        "api/get.mdx": "---\nopenapi: get /users/{id}\n---\n\nText.\n\n<Unknown />\n",
    }
    new = imported(tmp_path, "mintlify", files)
    text = new.texts["docs/api/get.mdx"]
    for each in (
        "title: Get a user",
        '<Endpoint method="GET" path="/users/{id}" baseUrl="https://api.example.com" auth="required" />',
        '<Params title="Path">\n\n<Param name="id" type="string" required>\n\n</Param>\n\n</Params>',
        '<Param name="full" type="boolean" default="false">',
        "**200**: The user.",
        '<Param name="name" type="string" required>\nThe \\<b>name\\</b>.\n</Param>',
        "One of `a`, `b`.",
        '<Param name="home.city" type="string">',
        '```json title="Response 200"\n{\n  "name": "Ann"',
    ):
        assert each in text
    assert "again" not in text.partition("```json")[2]


def test_group_that_names_a_description_has_its_operations(tmp_path: Path) -> None:
    nav = {
        "groups": [
            {"group": "API", "openapi": {"source": "api.yaml", "directory": "ref"}},
            {"group": "G", "pages": ["index"]},
        ]
    }
    files = {"docs.json": config(nav), "api.yaml": json.dumps(SPEC), "index.mdx": "# T\n"}
    new = imported(tmp_path, "mintlify", files)
    assert {page.address for page in new.old.pages} == {"/", "/ref/users/get-a-user", "/ref/adduser"}
    assert "One \\{user} of \\<all>, see `{x}`." in new.texts["docs/ref/users/get-a-user.mdx"].replace(
        "\\}", "}"
    )
    assert "label: Users\n    items:\n    - docs/ref/users/get-a-user\n" in new.texts["sidebar.yml"]


ENTRIES: list[tuple[str, object, str, str]] = [
    (
        "an operation",
        {"openapi": "api.json", "pages": ["GET /users/{id}"]},
        "docs/api-reference/users/get-a-user",
        "",
    ),
    (
        "one that is not there",
        {"pages": ["index", "GET /gone"]},
        "docs/index",
        "page made from an API description",
    ),
    (
        "a page that is not there",
        {"pages": ["index", "gone"]},
        "docs/index",
        "entry of the navigation that is not there",
    ),
    (
        "groups and pages",
        {"groups": [{"group": "G", "pages": ["a"]}], "pages": ["index"]},
        "- docs/index\n",
        "",
    ),
    (
        "a tab with groups and pages",
        {"tabs": [{"tab": "T", "pages": ["index"], "groups": [{"group": "G", "pages": ["a"]}]}]},
        "- label: T\n  items:\n  - label: G\n    items:\n    - docs/a\n  - docs/index\n",
        "",
    ),
    (
        "a version that was not asked for",
        {"versions": [{"version": "2", "pages": ["index"]}, {"version": "1", "pages": ["a"]}]},
        "- docs/index\n",
        "version that is not imported",
    ),
    (
        "a link of a group",
        {"groups": [{"group": "G", "pages": ["index"]}, {"group": "X", "href": "https://x.example"}]},
        "- href: https://x.example\n  label: X\n",
        "",
    ),
]


@pytest.mark.parametrize(
    ("navigation", "expected", "loss"), [each[1:] for each in ENTRIES], ids=[each[0] for each in ENTRIES]
)
def test_navigation_is_kept(tmp_path: Path, navigation: object, expected: str, loss: str) -> None:
    files = {
        "docs.json": config(navigation),
        "api.json": json.dumps(SPEC),
        "index.mdx": "# T\n",
        "a.mdx": "# A\n",
    }
    new = imported(tmp_path, "mintlify", files)
    assert expected in new.texts["sidebar.yml"]
    assert {each.what for each in new.losses} <= {loss}
    assert not loss or new.losses


def test_settings_of_docs_json_are_those_of_the_site_or_told(tmp_path: Path) -> None:
    more = {
        "favicon": {"light": "/f.svg", "dark": "/d.svg"},
        "banner": {"content": "**New**: [see](/a) it", "dismissible": True},
        "footer": {"links": [{"header": "Co", "items": [{"label": "Jobs", "href": "https://j.example"}]}]},
        "navbar": {"primary": {"type": "github", "href": "https://github.com/example"}},
        "fonts": {"family": "Inter"},
        "seo": {"indexing": "all"},
    }
    nav = {"pages": ["index"], "global": {"anchors": [{"anchor": "Blog", "href": "https://b.example"}]}}
    page = "---\nrss: true\ntag: NEW\n---\n"
    files = {"docs.json": config(nav, **more), "index.mdx": page, "a.mdx": "# A\n", "f.svg": ""}
    new = imported(tmp_path, "mintlify", files)
    found = load(new.texts["site.yml"]).value
    assert isinstance(found, dict)
    assert found["favicon"] == "/f.svg"
    assert found["announcement"] == {"text": "New: see it", "href": "/a", "dismissible": True}
    assert found["footer"] == {
        "columns": [{"label": "Co", "items": [{"label": "Jobs", "href": "https://j.example"}]}]
    }
    assert [each["label"] for each in found["nav"]] == ["Blog", "Github"]
    assert {each.what for each in new.losses} == {
        "`fonts` of the configuration", "`seo` of the configuration", "banner",
        "frontmatter `rss`", "frontmatter `tag`",
    }  # fmt: skip


def test_mint_json_of_old_is_read(tmp_path: Path) -> None:
    old = {
        "name": "A",
        "navigation": [{"group": "Start", "pages": ["index"]}, {"group": "Users", "pages": ["api/users"]}],
        "tabs": [{"name": "API", "url": "api"}],
        "anchors": [{"name": "Blog", "url": "https://b.example"}],
        "topbarLinks": [{"name": "Help", "url": "mailto:a@b.example"}],
        "topbarCtaButton": {"name": "Go", "url": "https://g.example"},
        "footerSocials": [{"type": "github", "url": "https://github.com/example"}],
        "redirects": [{"source": "/old/:slug*", "destination": "/api/:slug*"}],
    }
    files = {
        "mint.json": json.dumps(old),
        "index.mdx": "# T\n",
        "api/users.mdx": "---\napi: POST https://a.example/u\n---\n",
    }
    new = imported(tmp_path, "mintlify", files)
    assert [part.label for part in new.old.navigation] == ["", "API"]
    found = load(new.texts["site.yml"]).value
    assert isinstance(found, dict)
    assert [each["label"] for each in found["nav"]] == ["Help", "Blog", "Go"]
    assert found["footer"] == {"social": {"github": "https://github.com/example"}}
    assert found["redirects"] == {"/old/*": "/api/*"}
    assert (
        '<Endpoint method="POST" path="/u" baseUrl="https://a.example" />' in new.texts["docs/api/users.mdx"]
    )
    assert [loss.now for loss in new.losses] == ["an endpoint"]


def test_languages_are_imported_when_asked_for(tmp_path: Path) -> None:
    nav = {"languages": [{"language": "en", "pages": ["index"]}, {"language": "de", "pages": ["de/index"]}]}
    files = {"docs.json": config(nav), "index.mdx": "# T\n", "de/index.mdx": "# T\n"}
    new = imported(tmp_path, "mintlify", files, choices=Choices((), ("de",)))
    assert new.texts["sidebar.yml"] == "- docs/index\n- docs/de/index\n"


COMPONENTS: Mapping[str, str] = {
    "docs.json": config({"pages": ["index"]}),
    "index.mdx": (
        'import { Since } from "/snippets/since.mdx"\nimport Hero from "/snippets/hero.jsx"\n'
        'import Part from "/snippets/part.mdx"\n\nexport const Local = ({ a }) => <Note>{a}</Note>\n\n'
        '# T\n\n<Since version="2" />\n\n<Hero title="Big">Text</Hero>\n\n'
        '<Local a="x" />\n\n<Part word="w" />\n'
    ),
    "snippets/since.mdx": (
        "export const Since = ({ version }) => {\n  return (\n"
        "    <Badge color='red' className='b'>\n      New in <code>{version}</code>\n    </Badge>\n  );\n};\n"
    ),
    "snippets/hero.jsx": (
        "export default function Hero(props) {\n  const [x, set] = useState(1);\n"
        "  return <>\n    <h2>{props.title}</h2>\n    {props.on && <p>On</p>}\n    {props.children}\n"
        "    <a href={`/${props.title}`} onClick={() => set(2)}>{x}</a>\n  </>;\n}\n"
    ),
    "snippets/part.mdx": "A {word} and {other}.\n",
}


def test_components_of_their_own_show_their_elements(tmp_path: Path) -> None:
    new = imported(tmp_path, "mintlify", COMPONENTS)
    assert new.texts["_components/Since.mdx"] == (
        '---\nattributes:\n  version: string\n---\n\n<Badge color="red">New in %{version}</Badge>\n'
    )
    hero = '## %{title}\nOn\n<Slot/>\n<a href="/%{title}"></a>\n'
    assert new.texts["_components/Hero.mdx"].endswith(hero)
    assert ":::note\n\n%{a}\n\n:::" in new.texts["_components/Local.mdx"]
    assert new.texts["docs/snippets/_part.mdx"] == "A %{word} and .\n"
    assert '<Since version="2" />\n\n<Hero title="Big">Text</Hero>' in new.texts["docs/index.mdx"]
    told = {loss.old for loss in new.losses if loss.what == "expression"}
    assert told == {"{x}", "{other}"}


HTML: list[tuple[str, str, str]] = [
    ("marks", "A <strong>b</strong> and <i> c </i>d <b>e</b>f\n", "A **b** and  *c* d **e**f\n"),
    ("marks that markdown would not read", "a<b>(c)</b>\n", "a(c)\n"),
    ("code", "<code>x &lt; y</code> <tt>`</tt>\n", "`x < y` `` ` ``\n"),
    ("plain elements", "<u>a</u> <small>b</small>\n", "a b\n"),
    ("a heading", '<h3 id="q">Hi <i>you</i></h3>\n', "### Hi *you* {#q}\n"),
    ("paragraphs", "<p>A **b**</p><p>C</p>\n", "A **b**\n\nC\n"),
    ("lists", "<ul>\n  <li>a</li>\n  <li>b\n<ol><li>c</li></ol>\n  </li>\n</ul>\n", "- a\n- b\n\n   1. c\n"),
]


@pytest.mark.parametrize(("old", "new"), [each[1:] for each in HTML], ids=[each[0] for each in HTML])
def test_elements_of_html_are_markdown(tmp_path: Path, old: str, new: str) -> None:
    files = {"docs.json": config({"pages": ["index"]}), "index.mdx": f"<Note>\nN\n</Note>\n\n{old}"}
    text = imported(tmp_path, "mintlify", files).texts["docs/index.mdx"]
    assert new in text
