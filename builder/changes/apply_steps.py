"""Apply the operations of a change to a working copy, one after the other; redirects last.

What an operation cannot do is an error that says at which field of the operation it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from builder import paths
from builder.category import file as categories
from builder.category.record import FILES
from builder.changes.composed_page import InvalidText
from builder.changes.file_names import page_path
from builder.changes.followed_moves import FollowedMoves, mover_of
from builder.changes.page_steps import PageSteps
from builder.changes.put_back import PutBackPlaces, refuse_navigation
from builder.changes.redirect_steps import RedirectSteps, SiteNow
from builder.changes.steps import (
    CategoryStep,
    DeleteCategoryStep,
    DeleteStep,
    EditStep,
    MoveStep,
    NavigationStep,
    PutBackStep,
    RedirectStep,
    Step,
    WriteStep,
)
from builder.changes.steps_outcome import AppliedSteps, RefusedStep
from builder.changes.working_copy import WorkingCopy
from builder.config import SiteConfig
from builder.config.navigation_text import settings_revision, with_navigation
from builder.errors import PageNotFound, PathConflict, RevisionMismatch, TwinpressError
from builder.moves.move_plan import MovePlan, Redirects, SiteFiles, plan_move, plan_moves
from builder.moves.redirect_rules import refuse_brought_back
from builder.moves.relocation import NothingToMove
from builder.paths import PAGE_SUFFIXES
from builder.site import CONFIG_FILE, SETTINGS, Site, address_of
from builder.unicode import normal


class StepWork:
    """Applies operations to a working copy.

    With `_later` moves add no redirects one by one: what came between them is nobody's address.
    """

    def __init__(self, copy: WorkingCopy, now: SiteNow) -> None:
        self._copy, self._now = copy, now
        self.done = AppliedSteps({}, {}, {}, {}, [], [], {})
        self._pages = PageSteps(copy, self.done)
        self._leads = RedirectSteps(copy, now, self.done)
        self._followed = FollowedMoves(lambda file: copy.before(file) is not None)
        self._later = False
        self._settings: tuple[tuple[bytes | None, ...], SiteConfig] | None = None
        self._mover = -1

    def apply(self, steps: tuple[Step, ...]) -> None:
        """Apply all operations. Raises RefusedStep."""
        numbered = list(enumerate(steps))
        others = [each for each in numbered if not isinstance(each[1], RedirectStep)]
        if not self._moved_as_one(others):
            self._later = len(others) > 1 and any(isinstance(step, MoveStep) for _, step in others)
            before = self._now()[0] if self._later else None  # a site is long to load
            for _, run in groupby(others, key=lambda each: _kind(each[1])):
                self._apply_run(list(run))
            if before is not None:
                self._leads.lead_on(self._followed, before, self._mover)
        self._leads.apply(numbered)
        self.done.astray = frozenset(self.done.links) if self._followed.has_passed else frozenset()

    def _moved_as_one(self, steps: Sequence[tuple[int, Step]]) -> bool:
        """Make moves that are all of a change at once; False, with nothing done, for anything else."""
        kinds = {_kind(step) for _, step in steps}
        moves = [(index, step) for index, step in steps if isinstance(step, MoveStep)]
        return len(kinds) == 1 and len(moves) == len(steps) > 1 and self._moved_together(moves)

    def _apply_run(self, run: Sequence[tuple[int, Step]]) -> None:
        """Apply operations of one kind; moves that do not depend on each other together."""
        moves = [(index, step) for index, step in run if isinstance(step, MoveStep)]
        if len(moves) < 2 or not self._moved_together(moves):
            for index, step in run:
                self._apply(index, step)

    def _moved_together(self, moves: Sequence[tuple[int, MoveStep]]) -> bool:
        """Make moves at once; False, with nothing done, where one by one they may tell what is wrong."""
        pairs = [(step.old, step.new) for _, step in moves]
        try:
            for _, step in moves:
                self._check_move(step)
            plan = plan_moves(self._site_files(), pairs, self._redirects(moves[0][1]))
        except (TwinpressError, ValueError):
            return False
        if plan is None:
            return False
        self._make_move(plan, moves)
        return True

    def _redirects(self, step: MoveStep) -> Redirects:
        return "later" if self._later else "add" if step.redirect else "none"

    def _apply(self, index: int, step: Step) -> None:
        try:
            self._do(index, step)
        except TwinpressError as error:
            raise RefusedStep(index, _FIELDS.get(type(step), "path"), error) from error
        except ValueError as error:
            raise RefusedStep(index, "", InvalidText(str(error))) from error

    def _do(self, index: int, step: Step) -> None:
        match step:
            case WriteStep():
                self._pages.write(index, step)
            case EditStep():
                self._pages.edit(index, step)
            case DeleteStep():
                self._delete(index, step)
            case MoveStep():
                self._move(index, step)
            case CategoryStep():
                self._category(index, step.path, step.changes)
            case DeleteCategoryStep():
                self._delete_category(index, step.path)
            case NavigationStep():
                self._navigation(index, step)
            case PutBackStep():
                self._put_back(index, step)

    def _delete(self, index: int, step: DeleteStep) -> None:
        path = paths.parse(step.path)
        origin = self.done.origins.get(path, path)
        source = self._copy.source_before(origin) if step.redirect is not None else None
        if source is not None and step.redirect is not None:  # else nobody knows the page
            address = address_of(source, self._config())
            left = RedirectStep(address, step.redirect)
            self._leads.leave(index, left, origin if origin != path else "")
        files = self._copy.page(path).all
        last = self._copy.source(path) if any(map(self._followed.origin, files)) else None
        passed = address_of(last, self._config()) if last else ""
        self._pages.delete(index, step)
        self._followed.delete(files, passed)

    def _config(self) -> SiteConfig:
        """The settings as they are now; while their text stays, the site is not loaded for them again."""
        texts = tuple(self._copy.bytes_of(file) for file in SETTINGS)
        if self._settings is None or self._settings[0] != texts:
            self._settings = texts, self._now()[0].config
        return self._settings[1]

    def _move(self, index: int, step: MoveStep) -> None:
        self._check_move(step)
        plan = plan_move(self._site_files(), step.old, step.new, self._redirects(step))
        if not any(map(page_path, plan.files)):
            raise NothingToMove("this is no page and no folder", path=step.old)
        self._make_move(plan, [(index, step)])

    def _check_move(self, step: MoveStep) -> None:
        if step.if_match is not None:
            self._pages.check(paths.parse(step.old.removeprefix("./")), step.if_match)

    def _site_files(self) -> SiteFiles:
        site, scan = self._now()
        return SiteFiles(site, scan, self._copy.names, self._copy.bytes_of, self._copy.parts())

    def _make_move(self, plan: MovePlan, moves: Sequence[tuple[int, MoveStep]]) -> None:
        for file, data in plan.wanted.items():
            self._copy.put(file, data, mover_of(file, moves))
        self._moved(plan.files)
        for file, number in plan.links.items():
            self.done.links[file] = self.done.links.get(file, 0) + number
        self.done.left += plan.left
        self.done.said += plan.said
        self._followed.move(plan.files, plan.folders, silent=not moves[0][1].redirect)
        self._mover = moves[-1][0]

    def _moved(self, files: Mapping[str, str]) -> None:
        """Follow pages, and what is known of them, to where they are now."""
        done = self.done
        done.links = {files.get(file, file): number for file, number in done.links.items()}
        pairs = {
            page_path(old): page_path(new)
            for old, new in files.items()
            if old.endswith(tuple(PAGE_SUFFIXES)) and "/_" not in old and page_path(old)
        }
        found = {new: (done.origins.pop(old, old), done.texts.pop(old, None)) for old, new in pairs.items()}
        for old, new in pairs.items():
            done.touched.pop(old, None)
            done.touched[new] = None
        for new, (origin, text) in found.items():
            done.origins[new] = origin
            if text is not None:
                done.texts[new] = text

    def _category(self, index: int, path: str, changes: Mapping[str, object]) -> None:
        path = paths.parse_folder(path)
        known = self._copy.category_file(path)
        file = known or self._copy.name_of(f"{path}/{FILES[0]}")
        data = self._copy.bytes_of(file) if known else None
        try:
            new = categories.change((data or b"").decode(), file, changes)
        except (categories.CategoryFault, UnicodeDecodeError) as fault:
            said = "is not valid UTF-8" if isinstance(fault, UnicodeDecodeError) else str(fault)
            hint = "correct or delete the file"
            raise PathConflict(
                f"the category cannot be changed: `{file}` {said}", path=path, hint=hint
            ) from None
        if new or known:
            self._copy.put(file, new.encode() if new else None, index)
        self.done.folders[path] = None

    def _delete_category(self, index: int, path: str) -> None:
        path = paths.parse_folder(path)
        if not self._copy.category_file(path):
            raise PageNotFound("there is nothing that was said of this folder", path=path)
        while file := self._copy.category_file(path):
            self._copy.put(file, None, index)
        self.done.folders[path] = None

    def _navigation(self, index: int, step: NavigationStep) -> None:
        before = {file: self._copy.before(file) for file in SETTINGS}
        if step.if_match is not None and step.if_match != settings_revision(before):
            hint = "read the navigation again"
            raise RevisionMismatch("the settings are not as they were read", path=CONFIG_FILE, hint=hint)
        texts = {file: self._copy.bytes_of(file) for file in SETTINGS}
        for file, data in with_navigation(texts, step.fields).items():
            if data != texts[file]:
                self._copy.put(file, data, index)

    def _put_back(self, index: int, step: PutBackStep) -> None:
        before = self._now()[0] if not step.files.keys().isdisjoint(SETTINGS) else None
        for file, data in step.files.items():
            self._copy.put(file, data, index)
            folder, _, name = file.rpartition("/")
            if name in FILES:
                self.done.folders[normal("NFC", folder)] = None
            elif path := page_path(file):
                self.done.touched[path] = None
        if before is not None:
            self._refuse_settings(step, before)

    def _refuse_settings(self, step: PutBackStep, before: Site) -> None:
        """Refuse settings put back that the key might not change today."""
        site, _ = self._now()
        again = [
            file for file, data in step.files.items() if data is not None and self._copy.before(file) is None
        ]
        places = PutBackPlaces.of(before, site, again, step.files)
        refuse_brought_back(site, before.config, places.follows)
        if not step.navigation:
            old, new = (
                {file: read(file) for file in SETTINGS} for read in (self._copy.before, self._copy.bytes_of)
            )
            refuse_navigation(old, new, places)


def _kind(step: Step) -> object:
    """Operations of the same kind may be applied at once."""
    return (MoveStep, step.redirect) if isinstance(step, MoveStep) else None


_FIELDS: Mapping[type, str] = {MoveStep: "", NavigationStep: "", PutBackStep: ""}
"""Operations whose errors name by themselves what they are about, which is no field `path`."""
