// Renew a page each second, or as often as it says, part by part: focus and scroll stay where they are.
async function renew() {
  try {
    const answer = await fetch(location.pathname);
    const now = new DOMParser().parseFromString(await answer.text(), "text/html");
    const parts = document.querySelectorAll("[id^=job-]");
    const differs = (part) => part.dataset.stage !== now.getElementById(part.id)?.dataset.stage;
    if (![...parts].every((part) => now.getElementById(part.id))) return location.reload();
    if ([...parts].some(differs) && !document.querySelector("[popover].ask:popover-open")) return location.reload();
    now.querySelectorAll("time[datetime*=T]").forEach(toOwnTime);
    for (const part of parts) {
      const html = now.getElementById(part.id).innerHTML;
      if (part.innerHTML === html) continue;
      const focused = part.contains(document.activeElement);
      part.innerHTML = html;
      if (focused) document.getElementById("main").focus({ preventScroll: true });
    }
    document.title = now.title;
    if (!now.querySelector("[data-renew]")) return;
  } catch {
    // The service cannot be reached: perhaps in a second.
  }
  later();
}
function later() {
  const said = document.querySelector("[data-renew]");
  if (said) setTimeout(renew, 1000 * (said.dataset.renew || 1));
}
later();
