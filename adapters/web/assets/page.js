// What every part of the script needs of the page it stands on: its elements, its
// sentences, the conversation that is open, and a place for a word in passing.

export const $ = (sel, from = document) => from.querySelector(sel);

const words = JSON.parse($("#words").textContent);
export const word = (key) => words[key] || key;

// The conversation: null on a page that shows none.
export const thread = $("#thread"), log = $("#log"), scroll = $("#scroll");
export const id = thread ? thread.dataset.thread : "";
export const begun = () => Boolean(thread) && !("new" in thread.dataset);

// The server reads times in words, and writes times into texts, by this clock.
document.cookie = `maru_zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=31536000; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;

let fading;
export function toast(text) {
  const t = $("#toast"), front = $("dialog[open]") || document.body;
  if (t.parentElement !== front) front.append(t); // behind a dialog nobody would see or hear it
  t.textContent = text.replace(/[`*]/g, ""); // a word in passing has no room for Markdown
  clearTimeout(fading);
  fading = setTimeout(() => { t.textContent = ""; }, 5000);
}
