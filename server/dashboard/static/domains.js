// Renew what was found of the records each five seconds, part by part: focus and what is typed stay as they are.
const part = (page, id) => page.getElementById(id);
async function lookAgain() {
  try {
    const answer = await fetch(location.pathname);
    const now = new DOMParser().parseFromString(await answer.text(), "text/html");
    const stage = (page) => part(page, "found-own")?.dataset.stage;
    // Other domains, or another state of one, is another page; nobody's dialog is closed for it.
    if (stage(document) !== stage(now) && !document.querySelector(".ask:popover-open")) return location.reload();
    now.querySelectorAll("time[datetime*=T]").forEach(toOwnTime);
    for (const old of document.querySelectorAll("[id^=found-]")) {
      const html = part(now, old.id)?.innerHTML ?? old.innerHTML;
      if (old.innerHTML !== html) old.innerHTML = html;
    }
  } catch {
    // The service cannot be reached: perhaps later.
  }
  later();
}
function later() {
  if (document.querySelector("[data-often]")) setTimeout(lookAgain, 5000);
}
later();
