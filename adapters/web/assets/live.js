// A list that is kept up to date: it is fetched again while somebody looks at it, and shown anew only where it has
// changed. A server that is away is waited for, through a restart too.
import { $, word } from "./page.js";
import { renew } from "./api.js";

const every = 2500; // milliseconds

const zoned = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

// clocks shows moments by this browser's clock.
export function clocks(from = document) {
  for (const t of from.querySelectorAll("time[datetime]")) {
    if (!t.title) t.title = t.textContent; // the words, with the time zone of whoever wrote them
    t.textContent = zoned.format(new Date(t.dateTime));
  }
}

let was = "";

// dirty reports whether something was written into a form that the list would take away, or is open for it.
const dirty = (live) => $("details.asks[open]", live) || $("input:checked", live) ||
  [...live.querySelectorAll("textarea, input:not([type=hidden])")].some((i) => i.value !== i.defaultValue);

// look reports whether the server answered.
async function look(live) {
  const res = await fetch(location.href).catch(() => null);
  if (!res || res.status >= 500) return false;
  const now = $("#live", new DOMParser().parseFromString(await res.text(), "text/html"));
  if (!now) { await renew(); return true; } // asks who was signed out to sign in
  if (now.innerHTML === was) return true;
  was = now.innerHTML;
  const at = live.contains(document.activeElement) && document.activeElement.getAttribute("href");
  if (live.contains(document.activeElement) && !at || dirty(live)) return true; // somebody is filling in a form there
  live.replaceChildren(...now.childNodes);
  clocks(live);
  if (at) live.querySelector(`[href="${CSS.escape(at)}"]`)?.focus({ preventScroll: true });
  return true;
}

export function startLive() {
  const live = $("#live");
  if (live) was = live.innerHTML;
  clocks();
  if (!live || !("live" in live.dataset)) return;
  const step = async () => {
    if (!document.hidden) {
      const there = await look(live);
      $("[data-lost]").textContent = there ? "" : word("live.lost");
    }
    setTimeout(step, every);
  };
  setTimeout(step, every);
}
