"""Rules for redirects of a site: those that an owner may have, and the fewer that a key may change.

Beside what `redirect_plan` refuses, nothing is added that a build would refuse. A key adds none that would
hide a page, as a pattern can on hosts that follow redirects first; redirects to other hosts, patterns at the
root and what lies below `/.well-known` are the owner's alone, and stay as they are whatever a key does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from builder.config import SiteConfig
from builder.config.settings_text import redirects_in, with_redirects
from builder.diagnostics import Diagnostic
from builder.moves import redirect_plan
from builder.moves.owners_redirects import owners_alone, refuse, refuse_before_owners, refuse_touching
from builder.moves.redirect_plan import AnsweringAddresses, RedirectPlan, RefusedRedirect, own_redirects
from builder.plan.layout import lay_out
from builder.plan.make_shared import link_table
from builder.plan.patterns import Pattern, is_pattern, read_pattern
from builder.plan.redirects import NoAddress, check_redirects, other_form, output_of, path_of
from builder.site import REDIRECTS_FILE, Site

_FROM = "redirect from `"
"""Begins what a build says of a redirect; the old address follows."""


class RedirectChange(Struct, frozen=True):
    """Redirects to remove, by old address, and then those to add, each as old address and target."""

    add: tuple[tuple[str, str], ...] = ()
    remove: tuple[str, ...] = ()


def plan_of_owner(site: Site, old: str, new: str) -> RedirectPlan:
    """Plan to add a redirect to a site that was loaded with its drafts. Raises RefusedRedirect."""
    answers = AnsweringAddresses.of(site)
    plan = _added(answers, old, new)
    _refuse_faults(site, plan, [old])
    return plan


def plan_of_key(site: Site, change: RedirectChange) -> RedirectPlan:
    """Plan a key's change of redirects, whole or not at all; the site was loaded with its drafts.

    Raises OwnersRedirect for what is the owner's alone, RefusedRedirect for all else that is refused.
    """
    answers, said = AnsweringAddresses.of(site), list[str]()
    for old in change.remove:
        refuse_touching(answers.config, old)
        answers = _with(answers, redirect_plan.remove(answers.config, old).redirects)
    for old, new in change.add:
        plan = _added_by_key(answers, old, new)
        said.extend(plan.said)
        answers = _with(answers, plan.redirects)
    _refuse_circles(answers, site.config, frozenset(old for old, _ in change.add if is_pattern(old)))
    plan = RedirectPlan(own_redirects(answers.config), tuple(said))
    _refuse_faults(site, plan, [old for old, _ in change.add])
    return plan


def refuse_brought_back(site: Site, before: SiteConfig, follows: Callable[[str, str], bool]) -> None:
    """Refuse redirects that an undo brings back, and that a key might not change today.

    `site`, loaded with its drafts, has them as they would be. One that leads nowhere may come back: its page
    may be deleted as well. The owner's may lead again where a page was that is put back: `follows` says so of
    the place that one leads to, and of the one that it led to.
    """
    answers, known, now = AnsweringAddresses.of(site), own_redirects(before), own_redirects(site.config)
    new = {old: target for old, target in now.items() if known.get(old) != target}
    for old, target in new.items():
        if old not in known or not follows(known[old], target):
            refuse(old, owners_alone(before, old, known.get(old, "/")))
            refuse(old, owners_alone(site.config, old, target))
        refuse(old, f"it stands in `{REDIRECTS_FILE}`" if old in before.redirect_lines else "")
        refuse_before_owners(before, old)
        redirect_plan.refuse_hiding(answers, old)
        _refuse_hiding(answers, old)
        _refuse_other_form(answers, old, target)
    _refuse_circles(answers, before, frozenset(new))


def rewritten(text: str, config: SiteConfig, plan: RedirectPlan) -> str:
    """Return the text of `site.yml`, from which `config` was read, with what a plan changes.

    All else stays byte for byte, what could not be read as a redirect included. Raises InvalidSettings.
    """
    before, known = own_redirects(config), redirects_in(text)
    wanted = {old: target for old, target in known.items() if old in plan.redirects or old not in before}
    wanted |= {old: target for old, target in plan.redirects.items() if before.get(old) != target}
    return text if wanted == known else with_redirects(text, wanted)


def _added_by_key(answers: AnsweringAddresses, old: str, new: str) -> RedirectPlan:
    refuse_touching(answers.config, old)
    refuse_before_owners(answers.config, old)
    refuse(old, owners_alone(answers.config, old, new))
    _refuse_hiding(answers, old)
    _refuse_other_form(answers, old, new)
    plan, before = _added(answers, old, new), own_redirects(answers.config)
    place = redirect_plan.key_in(plan.redirects, old)
    refuse(old, owners_alone(answers.config, place, plan.redirects.get(place, "/")))
    owned = {each: to for each, to in before.items() if owners_alone(answers.config, each, to)}
    return replace(plan, redirects={**plan.redirects, **owned})


def _added(answers: AnsweringAddresses, old: str, new: str) -> RedirectPlan:
    """Plan one more redirect; where it leads to a page, no redirect leads away from there any more."""
    back = redirect_plan.key_in(answers.config.redirects, new)
    if back and back not in answers.config.redirect_lines and answers.resolve(new).problem is None:
        known = own_redirects(answers.config)
        answers = _with(answers, {each: to for each, to in known.items() if each != back})
    return redirect_plan.add(answers, old, new)


def _with(answers: AnsweringAddresses, own: Mapping[str, str]) -> AnsweringAddresses:
    return replace(answers, config=redirect_plan.with_own(answers.config, own))


def _refuse_hiding(answers: AnsweringAddresses, old: str) -> None:
    """Refuse a pattern that a page or file of the site matches."""
    try:
        pattern = read_pattern(old, "/") if is_pattern(old) else None
    except ValueError:
        return  # adding it says why
    hidden = next(_matched(pattern, answers.outputs), "") if pattern else ""
    if hidden:
        hint = "use a pattern that matches no page"
        raise RefusedRedirect(f"it would hide what there is, `{hidden}`", path=old, hint=hint)


def _refuse_other_form(answers: AnsweringAddresses, old: str, new: str) -> None:
    """Refuse to lead from another form of a page's address (`/a/` of `/a`) to anything but that page."""
    try:
        output = "" if is_pattern(old) else output_of(path_of(old))
    except NoAddress:
        return  # adding it says why
    other = other_form(output)
    base = answers.config.base_path
    leads = unquote(urlsplit(answers.resolve(new).href).path).removeprefix(base)
    if other in answers.outputs and output not in answers.outputs and output_of(leads or "/") != other:
        hint = "let it lead to that page, or delete the page first"
        raise RefusedRedirect(f"it would hide what there is, `{other}`", path=old, hint=hint)


def _refuse_circles(answers: AnsweringAddresses, before: SiteConfig, among: frozenset[str]) -> None:
    """Refuse new redirects that lead in a circle; those of one address are followed when they are added."""
    known = replace(answers, config=before)
    for old, target in _circles(answers, among):
        if (old, target) not in set(_circles(known, among)):
            message = f"it would lead in a circle: `{target}` leads back, or on for ever"
            raise RefusedRedirect(message, path=old, hint="let one of them lead to a page")


def _circles(answers: AnsweringAddresses, among: frozenset[str]) -> Iterator[tuple[str, str]]:
    found = redirect_plan.chains(answers, among) if among else ()
    return ((old, target) for old, target, end in found if end is None)


def _matched(pattern: Pattern, outputs: frozenset[str]) -> Iterator[str]:
    """Yield the files of the site at whose address a pattern matches."""
    first = pattern.segments[0].removesuffix("*")
    for output in sorted(outputs):
        page = output.removesuffix("index.html") if output.endswith("index.html") else ""
        names = (output, output.removesuffix(".html"), page, page.removesuffix("/"))
        if output.startswith(first) and any(pattern.match(f"/{name}") is not None for name in names if name):
            yield output


def _refuse_faults(site: Site, plan: RedirectPlan, added: Sequence[str]) -> None:
    """Refuse what a build would refuse, and does not refuse already; faults of those that are added first."""
    before = {each.message for each in _faults(site, site.config)}
    now = _faults(site, redirect_plan.with_own(site.config, plan.redirects))
    named = [_named(each) for each in now if each.message not in before]
    fault = next((each for each in named if each[0] in added), named[0] if named else None)
    if fault is not None:
        path, message, hint = fault
        raise RefusedRedirect(message, path=path or next(iter(added), ""), hint=hint)


def _named(fault: Diagnostic) -> tuple[str, str, str]:
    """The old address that a fault is about, "" for none, what it says, and its hint."""
    begin, between, rest = fault.message.partition("`: ")
    if between and begin.startswith(_FROM):
        return begin.removeprefix(_FROM), rest, fault.hint
    return "", fault.message, fault.hint


def _faults(site: Site, config: SiteConfig) -> Sequence[Diagnostic]:
    layout = lay_out(replace(site, config=config))
    targets = check_redirects(config, layout.redirect_targets(), link_table(layout, drafts=False))
    return [*layout.diagnostics, *targets]
