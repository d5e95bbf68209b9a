"""Read a site of Docusaurus: documents, versions, languages, pages, blog, sidebars, settings, redirects.

The site's own version and language are imported, and others that are asked for. Of the rest each address
leads to the same document of the site's own version, where it has one; all others are told.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from msgspec.structs import replace

from builder.config.checks import docs_at as check_docs_at
from builder.importer.embeds import plan_of
from builder.importer.host_redirects import HOST_FILES, host_redirects
from builder.importer.literals import Literal, as_text, texts
from builder.importer.old_site import NavPart, OldPage, OldSite, System
from builder.importer.omitted_pages import OmittedPage, OmittedPages
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.docusaurus import docusaurus_pages
from builder.importer.systems.docusaurus.code_blocks import magic_comments
from builder.importer.systems.docusaurus.documents import DocFile, read_documents
from builder.importer.systems.docusaurus.docusaurus_config import CONFIGS, DocSet, DocusaurusConfig, is_wanted
from builder.importer.systems.docusaurus.docusaurus_settings import DocusaurusSettings, first_address
from builder.importer.systems.docusaurus.pages_and_posts import PagesAndPosts
from builder.importer.systems.docusaurus.sidebars import Sidebars
from builder.plan.addresses import key_of

_CODE = re.compile(r"\.(?:mdx?|jsx?|tsx?|mjs|cjs|json|ya?ml|css|scss)$", re.IGNORECASE)
_REPLACED = re.compile(r"\.replace\(\s*['\"`](/[^'\"`$\n]*)['\"`],\s*['\"`](/[^'\"`$\n]*)['\"`]")
_LONGEST = 5_000
"""Characters of a function that are looked at."""


class Docusaurus:
    """The rules of Docusaurus."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "docusaurus"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether there is a configuration of Docusaurus."""
        return any(map(origin.has, CONFIGS))

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the site. Raises NoSource where there are no documents."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite tags, admonitions, fences and statements."""
        docusaurus_pages.rewrite(work)


class _Site:
    """A site that is read."""

    def __init__(self, origin: SourceTree, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._config = DocusaurusConfig(origin)
        every = list(self._config.doc_sets()) or [DocSet("docs", "docs", {}, "")]
        self._sets = [docs for docs in every if is_wanted(docs, choices)]
        self._others = [docs for docs in every if not is_wanted(docs, choices)]
        self._docs_at = self._common_route()
        self._detects = self._config.text("markdown", "format") == "detect"
        self._pages: dict[str, OldPage] = {}
        self._parts: list[NavPart] = []
        self._by_name: dict[str, NavPart] = {}
        self._omitted = OmittedPages(losses=self._config.losses)
        self._redirects = self._omitted.redirects
        self._own: dict[tuple[str, str], DocFile] = {}
        self._untranslated: dict[tuple[str, str], Mapping[str, DocFile]] = {}
        self._programs: Sequence[str] = ()
        self._tagged: dict[str, str] = {}
        self._blogs: Sequence[tuple[str, str]] = ()

    def read(self) -> OldSite:
        """Return all that the site has."""
        for docs in self._sets:
            self._read_set(docs)
        self._read_others()
        if not self._pages:
            hint = "is the folder of `docs` in it?"
            raise NoSource("there are no documents", path=self._config.file, hint=hint)
        for docs in self._others:
            self._leave(docs)
        if len(self._parts) == 1:
            self._parts = [NavPart(self._parts[0].entries)]
            self._by_name = dict.fromkeys(self._by_name, self._parts[0])
        files = dict(self._files())
        self._read_redirects()
        self._lead_home()
        self._stand_for_folders()
        settings = {**self._settings(files), **plan_of(self._pages.values())}
        return OldSite(
            "docusaurus",
            tuple(self._pages.values()),
            tuple(self._parts),
            settings,
            files,
            redirects=self._redirects,
            answered=self._omitted.answered,
            roots=self._roots(),
            base=self._config.text("baseUrl").rstrip("/"),
            syntax=frozenset(magic_comments(self._config.at("themeConfig", "prism", "magicComments"))),
            losses=tuple(self._config.losses),
            versions=self._config.versions(),
            locales=(self._config.default_locale, *self._config.locales()),
            in_folders=self._config.at("trailingSlash") is not False,
        )

    def _roots(self) -> tuple[str, ...]:
        folders = [docs.folder for docs in self._sets]
        return tuple(dict.fromkeys((*self._static_folders(), *folders, "")))

    def _common_route(self) -> str:
        """Return the address below which all documents are; `/` where there is none."""
        routes = [docs.route for docs in self._sets]
        first = routes[0]
        if not first or any(route != first and not route.startswith(f"{first}/") for route in routes):
            return "/"
        try:
            return check_docs_at(f"/{first}")
        except ValueError:
            return "/"

    def _inside(self, route: str) -> str:
        """Return the path within the new content of what is below a route."""
        return posixpath.relpath(f"/{route}", self._docs_at).strip(".") if route else ""

    def _read_set(self, docs: DocSet) -> None:
        inside = self._inside(docs.route)
        found: dict[str, DocFile] = {}
        for document in read_documents(self._origin, docs, inside, detects=self._detects):
            found[document.id] = document
            self._pages[document.page.file] = document.page
            self._config.losses += document.losses
            if docs.is_default:
                self._own[docs.key, document.id] = document
            if any(loss.what == "frontmatter `tags`" for loss in document.losses):
                for name in ("tags", "tags/*"):
                    self._tagged.setdefault(f"/{docs.route}/{name}".replace("//", "/"), docs.key)
        if not found:
            if not docs.locale:
                self._config.lose("folder of documents that is empty", docs.folder)
            return
        if docs.locale:
            found = {**self._untranslated.get((docs.key, docs.version), {}), **found}
        else:
            self._untranslated[docs.key, docs.version] = found
        sidebars = Sidebars(self._config, docs, found, inside)
        for part in sidebars.parts():
            self._parts.append(part)
            if part.name and docs.is_default:
                self._by_name[f"{docs.key}/{part.name.removeprefix(f'{docs.key}-')}"] = part
        self._pages |= {page.file: page for page in sidebars.pages}

    def _read_others(self) -> None:
        """Read single pages and posts."""
        others = PagesAndPosts(self._config, self._detects)
        wanted = self._choices.locales
        others.read([each for each in self._config.locales() if wanted == ("all",) or each in wanted])
        self._pages = {**self._pages, **others.pages}
        self._parts += others.parts
        self._by_name |= {part.name: part for part in others.parts if part.name not in {"", *self._by_name}}
        self._redirects |= others.redirects
        self._programs, self._blogs = others.programs, others.blogs

    def _lead_home(self) -> None:
        """Lead addresses of programs, of lists by tag and of untranslated pages to what there is.

        Docusaurus has each page in each language, the same where nobody translated it.
        """
        addresses = {file: page.address for file, page in self._pages.items()}
        found = (first_address(part.entries, addresses) for part in self._parts)
        first = next(filter(None, found), "") or next(iter(addresses.values()))
        taken = {key_of(unquote(page.address)) for page in self._pages.values()}
        for address in (*self._programs, *self._tagged):
            if key_of(address) not in taken:
                self._redirects.setdefault(address, first)
        for locale in self._config.locales():
            for page in self._pages.values():
                old = f"/{locale}{page.address}"
                is_own = not page.file.startswith("i18n/") and page.address != "/404"
                is_shown = is_own and page.fields.get("draft") is not True
                if is_shown and key_of(unquote(old)) not in taken:
                    self._redirects.setdefault(old, page.address)

    def _stand_for_folders(self) -> None:
        """Put a page that has the address of a folder at the folder's index."""
        names = {page.name for page in self._pages.values()}
        folders = {name[:at] for name in names for at in range(len(name)) if name[at] == "/"}
        at_root = self._docs_at.rstrip("/")
        places = {key_of(f"{at_root}/{folder}"): folder for folder in sorted(folders)}
        for file, page in list(self._pages.items()):
            folder = places.get(key_of(unquote(page.address)), "")
            if folder and not page.is_standalone and f"{folder}/index" not in names:
                self._pages[file] = replace(page, name=f"{folder}/index")

    def _leave(self, docs: DocSet) -> None:
        """Tell of a version or language that is not imported; its addresses lead to documents that are."""
        pages: list[OmittedPage] = []
        for document in read_documents(self._origin, docs, "", detects=self._detects):
            own = self._own.get((docs.key, document.id))
            if document.is_draft or (own is not None and own.is_draft):
                continue
            address = own.page.address if own is not None else ""
            pages.append(OmittedPage(document.page.file, document.page.address, address))
        name = " ".join(filter(None, (docs.version, docs.locale)))
        self._omitted.omit("locale" if docs.locale else "version", name, pages, self._config.file)

    def _static_folders(self) -> Sequence[str]:
        return texts(self._config.at("staticDirectories")) or ["static"]

    def _files(self) -> Iterator[tuple[str, str]]:
        """Yield the files that are copied: those of static folders, and those beside documents."""
        for folder in self._static_folders():
            for file in self._origin.files(folder):
                inner = posixpath.relpath(file, folder)
                if inner not in HOST_FILES:
                    yield file, f"/{inner}"
        places = [(docs.folder, docs.route) for docs in self._sets]
        for folder, prefix in (
            *places,
            *self._blogs,
            ("src/pages", ""),
            ("assets", "assets"),
            ("img", "img"),
            ("src/img", "src/img"),
        ):
            for file in self._origin.files(folder):
                if not _CODE.search(file):
                    yield file, f"/{posixpath.join(prefix, posixpath.relpath(file, folder))}"

    def _read_redirects(self) -> None:
        for name, options in list(self._config.plugins()):
            if not name.endswith("plugin-client-redirects"):
                continue
            listed = self._config.follow(options.get("redirects"))
            for each in listed if isinstance(listed, list) else []:
                target = as_text(each.get("to")) if isinstance(each, dict) else ""
                for old in texts(each.get("from")) if isinstance(each, dict) else []:
                    self._redirect(old, target)
                if not target:
                    self._config.lose("redirect that is no data", each)
            if options.get("createRedirects"):
                self._create_redirects(options["createRedirects"])
            for ending in texts(options.get("toExtensions")):
                for address in list(self._files_ending(ending)):
                    self._redirect(address.removesuffix(f".{ending}"), address)
        folders = ("", *self._static_folders())
        for old, target in host_redirects(self._origin, folders, self._config.losses):
            self._redirect(old, target)

    def _files_ending(self, ending: str) -> Iterator[str]:
        return (address for _, address in self._files() if address.endswith(f".{ending}"))

    def _create_redirects(self, code: Literal) -> None:
        """Make the redirects of a function that replaces a part of each address; others are told."""
        text = getattr(code, "text", "")[:_LONGEST]
        pairs = _REPLACED.findall(text)
        for new, old in pairs:
            for page in self._pages.values():
                if new in page.address and not page.file.startswith("i18n/"):
                    self._redirect(page.address.replace(new, old, 1), page.address)
        now = "each address with " + ", ".join(f"`{old}` for `{new}`" for new, old in pairs) if pairs else ""
        self._config.lose("`createRedirects`", code, now)

    def _redirect(self, old: str, target: str) -> None:
        base = self._config.text("baseUrl").rstrip("/")
        address = old.removeprefix(base) if base and old.startswith(f"{base}/") else old
        if target and old.startswith("/") and key_of(unquote(address)) != key_of(unquote(target)):
            self._redirects.setdefault(address, target)

    def _settings(self, files: Mapping[str, str]) -> Mapping[str, object]:
        addresses = {file: page.address for file, page in self._pages.items()}
        known = {key_of(unquote(each)): each for each in (*files.values(), *addresses.values())}
        known |= {key_of(unquote(old)): old for old in self._redirects}
        base = self._config.text("baseUrl").rstrip("/")

        def find(path: str) -> str:
            key = key_of(unquote(path))
            inner = path.removeprefix(base) if base and path.startswith(f"{base}/") else path
            return known.get(key) or known.get(key_of(unquote(inner)), "")

        own = next((docs for docs in self._sets if docs.is_default), None)
        reader = DocusaurusSettings(self._config, self._own, find, self._by_name, addresses)
        return reader.settings(self._choices.url, self._docs_at, own)
