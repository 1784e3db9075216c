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

export function state() {
  if (!thread) return;
  const b = busy(), empty = !$("#text").value.trim();
  $("#stop").hidden = !(b && empty);
  $("#send").hidden = b && empty;
  if (b && spoken !== "busy") { spoken = "busy"; $("#live").textContent = word("answering"); }
  asks();
}

// A question's card is edited where it stands, which may be far above what was
// said since: a bar leads to it, and the title and the reader's voice tell of it.
let asked = 0;
function asks() {
  const all = [...log.querySelectorAll("[data-asks]")], view = scroll.getBoundingClientRect();
  const away = all.filter((el) => {
    const b = (el.querySelector(".buttons") || el).getBoundingClientRect();
    return b.bottom < view.top || b.top > view.bottom;
  });
  $("#waits").hidden = away.length === 0;
  const title = document.title.replace(/^● /, "");
  if (document.title !== (all.length ? "● " : "") + title) document.title = (all.length ? "● " : "") + title;
  if (all.length > asked) $("#live").textContent = word("waits");
  asked = all.length;
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
  const text = (el.querySelector(".md")?.textContent || "").slice(0, 2000);
  $("#live").textContent = el.matches("[data-asks]") ? text : word("answered") + ": " + text; // what is asked is no end
  renewThreads();
}
