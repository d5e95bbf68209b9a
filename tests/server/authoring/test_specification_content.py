"""The specification's rules for what a page may hold, sentence by sentence, against a running server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.authoring.client import BASE, Client, authoring
from tests.sites import write_site


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a site's server; each test writes pages of its own."""
    site = write_site(tmp_path_factory.mktemp("site"), {"docs/a.md": "Text.\n"})
    with authoring(site, "--requests", "0") as client:
        yield client


STRIPPED = [
    ("script", "<script>alert(1)</script>\n", "alert(1)"),
    ("imports", "import X from 'evil'\n", "evil"),
    ("exports", "export const evil = 1\n", "evil"),
    ("expressions", "Sum {evil + 1}\n", "evil"),
]


# Raw HTML script, imports, exports and {javascript} expressions are stripped.
@pytest.mark.parametrize(("name", "construct", "gone"), STRIPPED)
def test_scripts_imports_exports_and_expressions_are_stripped(
    client: Client, name: str, construct: str, gone: str
) -> None:
    reply = client.write(f"docs/stripped/{name}", f"{construct}\nText that stays.\n")
    html = client.preview.get(f"/docs/stripped/{name}").text
    assert "Text that stays." in html
    assert gone not in html
    assert reply.codes
    assert construct in client.page(f"docs/stripped/{name}").data["body"]


# Only the components below are available.
def test_only_the_components_below_are_available(client: Client) -> None:
    assert client.write("docs/unknown", "<Carousel>Text</Carousel>\n").codes == {"component-unknown"}


# Images and media are referenced by URL only.
def test_images_are_referenced_by_url(client: Client) -> None:
    html = client.shown("docs/image", "![A cat](https://img.example/cat.png)\n")
    assert 'src="https://img.example/cat.png"' in html
    assert 'alt="A cat"' in html


# Uploading through this API is not possible.
@pytest.mark.parametrize("kind", ["image/png", "multipart/form-data; boundary=x", "application/octet-stream"])
def test_uploading_is_not_possible(client: Client, kind: str) -> None:
    reply = client.ask("PUT", f"{BASE}/ai/page", b"\x89PNG", Content_Type=kind)
    assert (reply.status, reply.code) == (415, "UNSUPPORTED_MEDIA_TYPE")


ADMONITIONS = {
    kind: (f":::{kind} A title\nInside.\n:::\n", "A title")
    for kind in ("note", "tip", "info", "warning", "caution", "danger")
}
CARDS = """
<CardGrid cols="2">
<Card title="One" icon="book" href="/docs/a">
Inside.
</Card>
</CardGrid>
"""
ENDPOINT = """
<Endpoint method="POST" path="/x" baseUrl="https://api.example" auth="required" summary="Makes" id="make" />

Inside.
"""
PARAMS = """
<Params title="Query">
<Param name="limit" type="integer" required default="5">
Inside.
</Param>

<Param name="cursor" type="string">
More.
</Param>
</Params>
"""
CODE_GROUP = """
<CodeGroup labels="npm,pip">
```sh title="npm"
npm i
```

```sh title="pip"
pip i
```
</CodeGroup>

Inside.
"""
TABS = """
<Tabs labels="One,Two">
<TabItem>
Inside.
</TabItem>

<TabItem>
Second.
</TabItem>
</Tabs>
"""
STEPS = """
<Steps>
<Step title="First">
Inside.
</Step>

<Step title="Then">
More.
</Step>
</Steps>
"""
COMPONENTS = ADMONITIONS | {
    "cardgrid": (CARDS, "One"),
    "card": ('<Card title="Alone" icon="book">\nInside.\n</Card>\n', "Alone"),
    "method": ('Use <Method method="GET" /> for it. Inside.\n', "GET"),
    "endpoint": (ENDPOINT, "Makes"),
    "params": (PARAMS, "limit"),
    "whereitlives": ('<WhereItLives host="api.example">\nInside.\n</WhereItLives>\n', "api.example"),
    "codegroup": (CODE_GROUP, "npm"),
    "tabs": (TABS, "Second."),
    "steps": (STEPS, "Then"),
}


@pytest.mark.parametrize("name", COMPONENTS)
def test_each_free_component_is_available(client: Client, name: str) -> None:
    body, part = COMPONENTS[name]
    reply = client.write(f"docs/components/{name}", body)
    assert reply.codes == set()
    html = client.preview.get(f"/docs/components/{name}").text
    assert part in html
    assert "Inside." in html


# icon names an entry of a fixed icon set; unknown names fall back to a default.
def test_an_unknown_icon_falls_back_to_a_default(client: Client) -> None:
    reply = client.write("docs/icon", '<Card title="X" icon="no-such-icon">\nText\n</Card>\n')
    assert [found["code"] for found in reply.data["diagnostics"] if "icon" in found["message"]]
    assert "<svg" in client.preview.get("/docs/icon").text


PREMIUM = [
    ("accordion", '<Accordion>\n<AccordionItem title="T">\nSecret.\n</AccordionItem>\n</Accordion>\n'),
    ("embed", '<Embed src="https://www.youtube.com/embed/secret" />\n'),
    ("callout", '<Callout color="red">\nSecret.\n</Callout>\n'),
]


# Premium components render only on sites whose owner has the premium plan.
# On other sites they show a small notice instead.
@pytest.mark.parametrize(("name", "body"), PREMIUM)
def test_premium_components_show_a_small_notice_on_other_sites(client: Client, name: str, body: str) -> None:
    reply = client.write(f"docs/premium/{name}", body)
    assert reply.codes
    html = client.preview.get(f"/docs/premium/{name}").text
    assert "ecret" not in html
    assert "premium" in html.lower()
    assert "ecret" in client.page(f"docs/premium/{name}").data["body"]
