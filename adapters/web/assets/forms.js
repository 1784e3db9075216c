// What is typed into a form of a page outlives a session that ends meanwhile: it is kept when it is sent, and stands there
// again once the same person has signed in. Secrets and files are not kept.
import { word } from "./page.js";

const key = "form", who = document.body.dataset.who;

const typed = (form) => [...form.elements].filter((el) => el.name && !/^(hidden|password|file|submit|button)$/.test(el.type));

const hidden = (form) => [...form.elements].filter((el) => el.type === "hidden" && el.name !== "csrf");

// The version of what is changed: it is put back as well, so that what others saved meanwhile is not overwritten unseen.
const version = (el) => el.name === "base";

// sortOf tells which form it is: a page may have one for each of its rows.
const sortOf = (form) => JSON.stringify([form.getAttribute("action"), ...hidden(form).map((el) => [el.name, version(el) || el.value]), ...typed(form).map((el) => el.name)]);

const alike = (sort) => [...document.forms].filter((form) => sortOf(form) === sort);

const valueOf = (el) => el.type === "checkbox" || el.type === "radio" ? el.checked : el.value;

function putBack(el, value) {
  if (typeof value === "boolean") el.checked = value; else el.value = value;
  el.dispatchEvent(new Event("input", { bubbles: true }));
  for (let d = el.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
}

const read = () => JSON.parse(sessionStorage.getItem(key) || "null");

// keepForms keeps each form that is sent, until the next page shows that it was taken. Who signs out leaves none to the next person.
export function keepForms() {
  addEventListener("submit", (e) => {
    const form = e.target, fields = typed(form), sort = sortOf(form);
    if (form.getAttribute("action") === "/logout") { sessionStorage.removeItem(key); return; }
    if (form.getAttribute("method") !== "post" || !form.closest("main") || !fields.length || e.defaultPrevented) return;
    sessionStorage.setItem(key, JSON.stringify({
      who, at: location.pathname + location.search, sort, nth: alike(sort).indexOf(form),
      base: hidden(form).filter(version).map((el) => el.value), values: fields.map(valueOf),
    }));
  });
}

// sentBefore returns the address of the page whose form was sent to this page, which asks to sign in, "" for none.
export function sentBefore() {
  const kept = read();
  if (!kept) return "";
  sessionStorage.setItem(key, JSON.stringify({ ...kept, lost: true }));
  return kept.at;
}

// restoreForms puts back what could not be taken, says so, and forgets what was taken or is another person's.
export function restoreForms() {
  const kept = read();
  if (!kept || kept.lost && kept.who === who && kept.at !== location.pathname + location.search) return;
  sessionStorage.removeItem(key);
  const form = kept.lost && kept.who === who && alike(kept.sort)[kept.nth];
  if (!form) return;
  hidden(form).filter(version).forEach((el, i) => { el.value = kept.base[i]; });
  typed(form).forEach((el, i) => putBack(el, kept.values[i]));
  const says = document.createElement("p");
  says.className = "problem";
  says.role = "alert";
  says.textContent = word("form.unsent");
  form.prepend(says);
  form.scrollIntoView({ block: "center" });
}
