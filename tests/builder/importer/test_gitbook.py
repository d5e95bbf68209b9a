"""Spaces of GitBook: its blocks, what its editor writes as HTML, and a whole small space."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.builder.importer.imported import checked, imported, write_origin

SPACE = {
    ".gitbook.yaml": "root: ./\n",
    "SUMMARY.md": "* [A](README.md)\n* [B](b.md)\n",
    "b.md": "# B\n",
    ".gitbook/vars.yaml": "product: Harbour\n",
    ".gitbook/assets/a (1).png": "",
    ".gitbook/includes/note.md": "Shared text.\n",
}

FORMS: list[tuple[str, str, str, str]] = [
    (
        "a hint with a title",
        '{% hint style="danger" title="T" %}\nA\n{% endhint %}\n',
        ":::danger T\nA\n:::",
        "",
    ),
    (
        "a hint within a hint",
        '{% hint style="info" %}\n{% hint style="warning" %}\nA\n{% endhint %}\n{% endhint %}\n',
        "::::info\n:::warning\nA\n:::\n::::",
        "",
    ),
    (
        "code with a title",
        '{% code title="a.ts" lineNumbers="true" overflow="wrap" %}\n```ts\na\n```\n{% endcode %}\n',
        '```ts title="a.ts" showLineNumbers\na\n```\n',
        "",
    ),
    (
        "code without a language",
        '{% code title="a" %}\n```\na\n```\n{% endcode %}\n',
        '```text title="a"',
        "",
    ),
    (
        "tabs",
        '{% tabs %}\n{% tab title="One" %}\nA\n{% endtab %}\n{% endtabs %}\n',
        '<Tabs>\n\n<TabItem label="One">\n\nA\n\n</TabItem>\n\n</Tabs>',
        "",
    ),
    ("a film", '{% embed url="https://youtu.be/x1" %}\n', '<Embed src="https://youtu.be/x1"', ""),
    (
        "another embedded page",
        '{% embed url="https://a.example/x" %}\nSee *this*\n{% endembed %}\n',
        "[See *this*](https://a.example/x)",
        "embedded page",
    ),
    (
        "a reference",
        '{% content-ref url="b.md" %}\n[b.md](b.md)\n{% endcontent-ref %}\n',
        "# T\n\n[B](b.md)\n",
        "",
    ),
    (
        "a reference that was broken",
        '{% content-ref url="broken-reference" %}\n[Broken link](broken-reference)\n{% endcontent-ref %}\n',
        "Broken link",
        "reference that was broken",
    ),
    (
        "a file",
        '{% file src=".gitbook/assets/a (1).png" %}\nThe file\n{% endfile %}\n',
        "[The file](<./assets/a (1).png>)",
        "",
    ),
    (
        "an include",
        '{% include ".gitbook/includes/note.md" %}\n',
        '<Include src="./gitbook/includes/_note.mdx" />',
        "",
    ),
    (
        "columns",
        '{% columns %}\n{% column width="50%" %}\nA\n{% endcolumn %}\n{% endcolumns %}\n',
        "<Columns>\n\n<Column>\n\nA\n\n</Column>\n\n</Columns>",
        "",
    ),
    (
        "a changelog",
        (
            '{% updates format="full" %}\n{% update date="2026-01-02" tags="a,b" %}\n## One\n\nA\n'
            "{% endupdate %}\n{% endupdates %}\n"
        ),
        '<Update label="One" date="2026-01-02" tags="a, b">\n\nA\n\n</Update>',
        "",
    ),
    (
        "a request",
        (
            '{% swagger method="post" path="/a/{id}" baseUrl="https://x.example" summary="S" %}\n'
            "{% swagger-description %}\nD\n{% endswagger-description %}\n\n"
            '{% swagger-parameter in="path" name="id" type="string" required="true" %}\nI\n'
            "{% endswagger-parameter %}\n\n"
            '{% swagger-response status="200: OK" description="R" %}\n```json\n{}\n```\n'
            "{% endswagger-response %}\n"
            "{% endswagger %}\n"
        ),
        (
            '<Endpoint method="POST" path="/a/{id}" baseUrl="https://x.example" summary="S" />\n\nD\n\n'
            '<Params title="Path parameters">\n<Param name="id" type="string" required>\n\nI\n\n'
            "</Param>\n</Params>\n\n"
            "**200: OK**: R\n\n```json"
        ),
        "",
    ),
    (
        "an older request",
        (
            '{% api-method method="get" host="https://x.example" path="/a" %}\n{% api-method-summary %}\nS\n'
            "{% endapi-method-summary %}\n\n{% api-method-spec %}\n{% api-method-headers %}\n"
            '{% api-method-parameter name="k" type="string" required=true %}\nK\n'
            "{% endapi-method-parameter %}\n"
            "{% endapi-method-headers %}\n{% endapi-method-spec %}\n{% endapi-method %}\n"
        ),
        '<Endpoint method="GET" path="/a" baseUrl="https://x.example" summary="S" />',
        "",
    ),
    (
        "an operation",
        (
            '{% openapi-operation spec="s" path="/a" method="get" %}\n[OpenAPI](https://x.example/s.json)\n'
            "{% endopenapi-operation %}\n"
        ),
        '<Endpoint method="GET" path="/a" />\n\n[OpenAPI](https://x.example/s.json)',
        "block openapi-operation",
    ),
    ("text for some", "{% if visitor.claims.a %}\nA\n{% endif %}\n", "# T\n\nA\n", "text for some readers"),
    ("a block that is not known", "{% quiz %}\nA\n{% endquiz %}\n", "# T\n\nA\n", "block quiz"),
    ("an end without a begin", "{% endhint %}\nA\n", "# T\n\nA\n", ""),
    ("blocks in code", "```\n{% hint %}\n```\n", "```\n{% hint %}\n```", ""),
    (
        "cards",
        (
            '<table data-view="cards" data-card-size="large"><thead><tr><th></th><th></th><th></th>'
            '<th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr>'
            '<td><i class="fa-rocket">:rocket:</i></td><td><strong>One</strong></td>'
            '<td>Read <a href="b.md">this</a></td><td><a href="b.md">b.md</a></td></tr></tbody></table>\n'
        ),
        (
            '<CardGrid cols={2}>\n\n<Card title="One" icon="rocket" href="b.md">\n\n'
            'Read <a href="b.md">this</a>\n\n</Card>\n\n</CardGrid>'
        ),
        "",
    ),
    (
        "a column that nobody sees",
        (
            "<table><thead><tr><th>A</th><th data-hidden>B</th></tr></thead>"
            "<tbody><tr><td>a</td><td>b</td></tr></tbody></table>\n"
        ),
        "<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>",
        "",
    ),
    (
        "a table beside a hint",
        (
            "{% hint %}\nA\n{% endhint %}\n\n"
            "<table><thead><tr><th>A</th><th data-hidden>B</th><th>C</th></tr></thead>"
            "<tbody><tr><td>a|b</td><td>b</td><td><p>c</p><ul><li>d</li><li>e</li></ul></td></tr></tbody></table>\n"
        ),
        "| A | C |\n| --- | --- |\n| a\\|b |  c  <br>• d <br>• e   |\n",
        "column that was hidden",
    ),
    (
        "a figure with words below",
        '<figure><img src="a.png" alt="A"><figcaption><p>It is "so"</p></figcaption></figure>\n',
        '<Frame caption="It is &quot;so&quot;">\n<img src="a.png" alt="A">\n</Frame>',
        "",
    ),
    (
        "tags of a line beside a hint",
        "{% hint %}\nA\n{% endhint %}\n\n<strong>B</strong> <em>c</em> <code>a&lt;b</code>\n",
        "\n**B** *c* `a<b`\n",
        "",
    ),
    ("an anchor", '## Two <a href="#x" id="x"></a>\n', "## Two {#x}\n", ""),
    ("a mention", '[b.md](b.md "mention")\n', "[B](b.md)\n", ""),
    ("a value", 'In <code class="expression">space.vars.product</code>.\n', "In Harbour.\n", ""),
    (
        "a value that is not there",
        'In <code class="expression">page.vars.x</code>.\n',
        "In `page.vars.x`.\n",
        "expression",
    ),
    ("coloured text", 'A <mark style="color:red;">B</mark> C\n', "A B C\n", "coloured text"),
    ("an icon", 'A <i class="fa-gear">:gear:</i> B\n', "A :icon-gear: B\n", ""),
    (
        "two pictures",
        (
            '<figure><picture><source srcset="d.png" media="(prefers-color-scheme: dark)">'
            '<img src=".gitbook/assets/a (1).png" alt="A"></picture><figcaption></figcaption></figure>\n'
        ),
        '<img src="./assets/a (1).png" alt="A">',
        "image for dark pages",
    ),
    ("a formula in a line", "So $$a^2$$ is.\n", "So $a^2$ is.\n", ""),
]


@pytest.mark.parametrize(
    ("old", "new", "loss"), [each[1:] for each in FORMS], ids=[each[0] for each in FORMS]
)
def test_form_of_a_page(tmp_path: Path, old: str, new: str, loss: str) -> None:
    site = imported(tmp_path, "gitbook", {**SPACE, "README.md": f"# T\n\n{old}"})
    text = next(text for name, text in site.texts.items() if name.startswith("docs/index"))
    assert new in text
    assert loss in {"", *(each.what for each in site.losses)}


CONFIGURATIONS: list[tuple[str, Mapping[str, str], set[str], list[str]]] = [
    (
        "redirects to files and addresses",
        {
            ".gitbook.yaml": "root: ./docs/\nredirects:\n  old: ./a/README.md\n  x/y: b\n  gone: none.md\n",
            "docs/README.md": "# A\n",
            "docs/SUMMARY.md": '* [A](README.md)\n\n## Part\n\n* [B](b.md "Short")\n',
            "docs/a/README.md": "# A\n",
            "docs/b.md": "# B\n",
        },
        {"/", "/a/", "/b", "/old", "/x/y"},
        ["redirect to what is not there"],
    ),
    (
        "a book of the older program",
        {
            "book.json": '{"title": "Old", "plugins": []}',
            "SUMMARY.md": "# Summary\n\n* [A](README.md)\n* [B](b.md)\n",
            "README.md": "# A\n",
            "b.md": "# B\n",
        },
        {"/", "/b.html"},
        [],
    ),
]


@pytest.mark.parametrize(
    ("files", "addresses", "losses"),
    [each[1:] for each in CONFIGURATIONS],
    ids=[each[0] for each in CONFIGURATIONS],
)
def test_configuration(
    tmp_path: Path, files: Mapping[str, str], addresses: set[str], losses: list[str]
) -> None:
    report = checked(tmp_path / "new", "gitbook", write_origin(tmp_path / "old", files)).report
    assert {each.address for each in report.addresses if each.answers} == addresses
    assert len(report.addresses) == len(addresses)
    assert report.errors == ()
    assert [each.what for each in report.losses] == losses
