// Buttons and forms of cards: a click is carried to the bot, and what it answers is
// said, asked in a dialog, or seen in the line itself.
import { $, id, toast, word } from "./page.js";
import { api } from "./api.js";
import { regain } from "./focus.js";
import { clocks } from "./live.js";

const mine = $("#mine"), ask = $("#ask");
let opened = null; // what opened the dialog, or its message if it is gone since

export async function act(el, values) {
  // A form that stands in front belongs to the card that opened it.
  const line = el.closest(".line"), scope = el.closest("form, .buttons") || el;
  const all = [el, ...scope.querySelectorAll("button")];
  const back = line && { el, line };
  if (!ask.open) opened = el;
  all.forEach((b) => { b.disabled = true; });
  try {
    const out = await api("POST", `/api/actions/${encodeURIComponent(el.dataset.action)}?view=html`, {
      verb: el.dataset.verb, thread: id, home: Boolean(mine), message: line ? line.dataset.id : ask.dataset.message || "", ...(values ? { values } : {}),
    });
    if (out.errors && Object.keys(out.errors).length) {
      wrong(el, out.errors);
      return;
    }
    if (line) ask.dataset.message = line.dataset.id;
    if (out.form || (out.card && (out.card.fields || out.card.buttons))) {
      $("#ask-body").innerHTML = out.html;
      clocks(ask);
      ($("h2, h3", ask) || {}).id = "ask-title";
      if (!ask.open) ask.showModal();
      return;
    }
    if (ask.open) ask.close();
    const said = out.card ? out.card.text : word("sent");
    if (mine) { sessionStorage.setItem("said", said); location.reload(); return; }
    toast(said);
  } catch (e) { toast(e.message); } finally {
    all.forEach((b) => { b.disabled = false; });
    if (back) regain(back.el, back.line);
  }
}

// wrong marks what a form may not hold, says why, and leads to the first of it.
function wrong(form, errors) {
  for (const p of form.querySelectorAll(".problem")) {
    p.textContent = errors[p.dataset.for] || "";
    for (const i of p.parentElement.querySelectorAll("input, select, textarea")) {
      if (p.textContent) i.setAttribute("aria-invalid", "true"); else i.removeAttribute("aria-invalid");
    }
  }
  setTimeout(() => form.querySelector("[aria-invalid]")?.focus());
}

// What a form holds: the choices of a list between commas, none of them too.
function filled(f) {
  const values = Object.fromEntries(new FormData(f));
  for (const list of f.querySelectorAll("[data-several]")) {
    values[list.dataset.several] = [...list.querySelectorAll("input:checked")].map((i) => i.value).join(", ");
  }
  return values;
}

export function startCards() {
  if (mine && sessionStorage.getItem("said")) { // what was done there is shown by the page anew
    toast(sessionStorage.getItem("said"));
    sessionStorage.removeItem("said");
  }
  ask.addEventListener("close", () => {
    const line = document.getElementById("l-" + ask.dataset.message);
    if (!opened?.isConnected) regain(line);
    else setTimeout(() => { // once it is enabled again
      // The browser leads back to what had the keyboard when the dialog opened. The button
      // could not have it then, and the box may have taken it for a message just sent.
      opened.focus({ preventScroll: true });
      regain(line);
    });
  });
  addEventListener("submit", (e) => {
    if (e.target.matches("form.ask[data-action]")) { e.preventDefault(); act(e.target, filled(e.target)); }
  });
}
