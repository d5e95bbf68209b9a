"""Sites that the tests of the commands share."""

GOOD = {"site.yml": "title: Good\n", "docs/index.md": "# Start\n\nSee [b](b.md).\n", "docs/b.md": "# B\n"}
WARNED = GOOD | {"docs/c.mdx": "# C\n\nimport x from 'y'\n\n<Unknown>text</Unknown>\n"}
BROKEN = GOOD | {
    "docs/start.md": "# Start\n\nSee \u001b[31m[b](instal.md) \U0001f600.\n",
    "docs/install.md": "# In\n",
}
