// What is going on in the conversation, and who is told: the button that sends or
// stops, the bar that leads to a question, the title, and the reader's voice.
import { $, log, scroll, thread, word } from "./page.js";
import { renewThreads } from "./threads.js";

let waiting = false, spoken = "";
export const busy = () => waiting || Boolean(log.querySelector("[data-busy]"));

// expect says whether an answer is on its way that no line tells of yet.
export function expect(answer) {
  waiting = answer;
  state();
}

// speak says something to who hears the page, each part in its own language.
function speak(...parts) {
  $("#live").replaceChildren(...parts.map(([text, lang]) => {
    const part = document.createElement("span");
    part.textContent = text;
    if (lang) part.lang = lang;
    return part;
  }));
}
const textOf = (el) => (el.querySelector(".md")?.textContent || "").slice(0, 2000);

export function state() {
  if (!thread) return;
  const b = busy(), empty = !$("#text").value.trim();
  $("#stop").hidden = !(b && empty);
  $("#send").hidden = b && empty;
  if (b && spoken !== "busy") { spoken = "busy"; speak([word("answering")]); }
  asks();
}

// A question's card is edited where it stands, which may be far above what was
// said since: a bar leads to it, and the title and the reader's voice tell of it.
const asked = new Set();
const question = (el) => `${el.id} ${$("[data-action]", el)?.dataset.action}`;
function asks() {
  const all = [...log.querySelectorAll("[data-asks]")], view = scroll.getBoundingClientRect();
  const away = all.filter((el) => {
    const b = (el.querySelector(".buttons") || el).getBoundingClientRect();
    return b.bottom < view.top || b.top > view.bottom;
  });
  $("#waits").hidden = away.length === 0;
  const title = document.title.replace(/^● /, "");
  if (document.title !== (all.length ? "● " : "") + title) document.title = (all.length ? "● " : "") + title;
  const fresh = all.filter((el) => !asked.has(question(el))).at(-1);
  if (fresh) speak([textOf(fresh), fresh.lang], [" " + word("waits")]);
  for (const el of all) asked.add(question(el));
  return away;
}

function toQuestion() {
  const el = asks().at(-1);
  if (!el) return;
  el.scrollIntoView({ block: "center" });
  $(".buttons button", el)?.focus({ preventScroll: true });
  asks();
}

export function startStatus() {
  scroll.addEventListener("scroll", asks, { passive: true });
  addEventListener("resize", asks);
  $("#waits").addEventListener("click", toQuestion);
}

// news tells of lines that are no longer being written; of the whole thread only
// what was waited for.
const heard = new Set([...document.querySelectorAll(".line[data-final]")].map((l) => l.id));
export function news(lines, whole) {
  for (const el of lines) if (el.classList.contains("bot") && !("busy" in el.dataset)) finished(el, whole);
  state();
}

function finished(el, whole) {
  waiting = false;
  const fresh = !heard.has(el.id) && !whole;
  if ("final" in el.dataset) heard.add(el.id);
  if (spoken !== "busy" && !fresh) return;
  spoken = "";
  ended(el);
  renewThreads();
}

// ended tells how an answer came to its end: one that was stopped or failed is not complete.
function ended(el) {
  if (el.matches("[data-asks]")) return; // what is asked is no end
  if (el.matches("[data-stopped]")) speak([$(".footer", el)?.textContent || "", el.lang]);
  else if (el.matches(".notice")) speak([textOf(el), el.lang]);
  else speak([word("answered") + ": "], [textOf(el), el.lang]);
}
