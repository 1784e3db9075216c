// The list of documents: it is shown anew in its place, so that what is being
// uploaded and where the person is stay.
import { $, toast, word } from "./page.js";
import { api } from "./api.js";

// renewLibrary reports whether there is such a list and it is new.
export async function renewLibrary() {
  const list = $("#library");
  if (!list) return false;
  const res = await fetch(location.href).catch(() => null);
  const now = res && res.ok && $("#library", new DOMParser().parseFromString(await res.text(), "text/html"));
  if (now) list.replaceChildren(...now.childNodes);
  return Boolean(now);
}

export async function remove(el) {
  if (!confirm(word("document.remove.sure").replace("%s", el.dataset.name))) return;
  await takeOff(el, `/api/documents/${encodeURIComponent(el.dataset.remove)}`);
}

export const dismiss = (el) => takeOff(el, `/api/refused/${encodeURIComponent(el.dataset.dismiss)}`);

// Taking an entry off the list leads to the next one, so that a keyboard is not
// thrown back to the top of the page.
async function takeOff(el, url) {
  const at = [...document.querySelectorAll("#library :is([data-remove], [data-dismiss])")].indexOf(el);
  try {
    await api("DELETE", url);
    await renewLibrary();
    const left = document.querySelectorAll("#library :is([data-remove], [data-dismiss])");
    (left[Math.min(at, left.length - 1)] || $("#file")).focus();
  } catch (e) { toast(e.message); }
}
