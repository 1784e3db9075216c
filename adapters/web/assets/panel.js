// The passage beside the answer that cites it.
import { $, word } from "./page.js";
import { markSaid, wordsBefore } from "./said.js";

const panel = $("#panel");
let opener = null;
export const panelOpen = () => Boolean(panel) && !panel.hidden;

export async function passage(link) {
  const url = new URL(link.href), words = wordsBefore(link); // of now: the line may change meanwhile
  url.searchParams.set("fragment", "1");
  const res = await fetch(url).catch(() => null);
  if (!res || !res.ok) { location.href = link.href; return; }
  const inside = panel.contains(link);
  if (!inside) opener = link;
  panel.innerHTML = `<div class="panel-head"><span></span><span><a class="icon"></a><button type="button" class="icon" data-panel></button></span></div>` + await res.text();
  const [label, buttons] = panel.firstElementChild.children;
  label.textContent = panel.getAttribute("aria-label");
  buttons.children[0].href = link.href;
  buttons.children[0].textContent = "⤢";
  buttons.children[0].setAttribute("aria-label", word("passage.open"));
  buttons.children[1].textContent = "✕";
  buttons.children[1].setAttribute("aria-label", word("close"));
  panel.hidden = false;
  buttons.children[1].focus({ preventScroll: true });
  const hit = $("#hit", panel);
  (markSaid(hit, words) || hit)?.scrollIntoView({ block: "center" });
}

export function closePanel() {
  panel.hidden = true;
  panel.textContent = "";
  opener?.focus();
  opener = null;
}
