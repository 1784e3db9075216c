// Keys that work anywhere on the page; where one writes they are letters.
import { $, thread } from "./page.js";
import { stop } from "./composer.js";
import { menu, menuOpen, openDialog } from "./front.js";
import { closePanel, panelOpen } from "./panel.js";
import { busy } from "./status.js";
import { step } from "./threads.js";

function escape() {
  if (panelOpen()) closePanel();
  else if (menuOpen()) menu(false);
  else if (thread && busy()) stop();
}

// Keys of one character can be switched off: who speaks to the computer, or strays on
// the keyboard, would press them without meaning to.
const off = "keys/single";
const stored = (use) => { try { return use(localStorage); } catch { return null; } }; // a browser may keep nothing
const single = () => stored((s) => s.getItem(off)) !== "off";

function startSetting() {
  const box = $("#single"), show = () => { box.checked = single(); document.body.classList.toggle("no-keys", !box.checked); };
  box.addEventListener("change", () => { stored((s) => (box.checked ? s.removeItem(off) : s.setItem(off, "off"))); show(); });
  addEventListener("storage", show);
  show();
}

export function startKeys() {
  startSetting();
  addEventListener("keydown", (e) => {
    if (e.isComposing || document.querySelector("dialog[open]")) return;
    const writing = e.target.matches?.("input, textarea, select");
    if (e.key === "Escape") escape();
    else if (e.altKey && e.code === "KeyN") { e.preventDefault(); location.href = "/"; }
    else if (writing || e.metaKey || e.ctrlKey || e.altKey) return;
    else if (e.key === "/" && thread && single()) { e.preventDefault(); $("#text").focus(); }
    else if (e.key === "?" && single()) openDialog("help");
    else if ((e.key === "ArrowDown" || e.key === "ArrowUp") && e.target.closest?.("#threads")) {
      if (step(e.target, e.key === "ArrowDown" ? 1 : -1)) e.preventDefault();
    }
  });
}
