// Where the keyboard stands: it is led on when what it stood on goes, and a link to
// a message leads to that message.
import { $ } from "./page.js";

// regain leads a keyboard that stood on what is gone to what it belonged to. A field of a
// dialog that was just closed is gone, too, though the browser moves on only when it paints.
export function regain(...to) {
  const at = document.activeElement;
  if (at && at !== document.body && at.getClientRects().length) return;
  for (const el of to) {
    if (!el?.isConnected || el.disabled) continue;
    if (el.matches("article")) el.tabIndex = -1;
    el.focus({ preventScroll: true });
    return;
  }
}

// lead follows a link to a message: it has the keyboard, to read on from there.
export function lead() {
  if (!location.hash.startsWith("#l-")) return false;
  const el = document.getElementById(decodeURIComponent(location.hash.slice(1))), earlier = $(".earlier a");
  if (!el && earlier) location.replace(earlier.pathname + earlier.search + location.hash); // it stands further up
  if (!el) return false;
  el.tabIndex = -1;
  el.focus({ preventScroll: true });
  el.scrollIntoView({ block: "center" });
  return true;
}
