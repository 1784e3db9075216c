// Proposals for a text of JSON: the server says what may stand at the cursor, and a list beside the text offers it.
import { csrf } from "./api.js";

// startProposals offers proposals for a textarea in a list.
export function startProposals(text, list) {
  let found = null, at = -1, asked = 0;

  const close = () => {
    asked++;
    found = null;
    list.hidden = true;
    list.replaceChildren();
    text.removeAttribute("aria-activedescendant");
  };

  const mark = (i) => {
    at = (i + found.list.length) % found.list.length;
    [...list.children].forEach((li, n) => li.setAttribute("aria-selected", String(n === at)));
    text.setAttribute("aria-activedescendant", "proposal-" + at);
    list.children[at].scrollIntoView({ block: "nearest" });
  };

  const take = (one) => {
    const { from, to } = found;
    close();
    text.focus();
    text.setSelectionRange(from, to);
    // insertText keeps the browser's undo; where it is gone the text is set.
    if (!document.execCommand("insertText", false, one.text)) text.setRangeText(one.text, from, to, "end");
    const end = from + one.text.length - (one.back || 0);
    text.setSelectionRange(end, end);
    text.dispatchEvent(new Event("input"));
  };

  const show = (answer) => {
    found = answer;
    list.replaceChildren(...answer.list.map((one, i) => {
      const li = document.createElement("li");
      li.id = "proposal-" + i;
      li.role = "option";
      li.textContent = one.label;
      if (one.about) {
        const small = document.createElement("small");
        small.textContent = one.about;
        li.append(small);
      }
      li.addEventListener("mousedown", (e) => { e.preventDefault(); take(one); });
      return li;
    }));
    list.hidden = false;
    mark(0);
  };

  const ask = async () => {
    const mine = ++asked, body = new URLSearchParams({ text: text.value, at: text.selectionStart });
    const res = await fetch("/workflows/complete", { method: "POST", body, headers: { "X-CSRF-Token": csrf() } }).catch(() => null);
    if (!res || !res.ok || mine !== asked) return;
    const answer = await res.json();
    if (mine !== asked) return;
    if (answer.list.length) show(answer); else close();
  };

  text.addEventListener("keydown", (e) => {
    if (e.key === " " && e.ctrlKey) { e.preventDefault(); ask(); return; }
    if (!found || e.isComposing) return;
    const moves = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (moves) { e.preventDefault(); mark(at + moves); return; }
    if (e.key === "Enter" || e.key === "Tab") { e.preventDefault(); take(found.list[at]); return; }
    if (e.key === "Escape") { e.preventDefault(); close(); return; }
    if (e.key.startsWith("Arrow") || e.key === "Home" || e.key === "End") close();
  });
  text.addEventListener("input", (e) => {
    if (e.isComposing || !e.inputType) return;
    if (found || e.inputType === "insertText" && /^["a-z_]$/.test(e.data || "")) ask();
  });
  text.addEventListener("blur", close);
}
