// Passing an answer on: its words as they are read, over plain HTTP too.
import { $, toast, word } from "./page.js";

// wordsOf are an answer's words with the numbers of its sources, and under them what
// these are.
export function wordsOf(line) {
  const md = $(".md", line).cloneNode(true);
  for (const c of md.querySelectorAll(".cite")) c.textContent = `[${c.textContent}]`;
  md.classList.add("copying");
  line.append(md); // only what is laid out has lines
  let text = md.innerText.trim();
  md.remove();
  const sources = [...line.querySelectorAll(".sources li")].map((li) => {
    const a = $("a[target]", li), part = (sel) => ($(sel, li)?.textContent || "").trim();
    return `[${li.value}] ` + [[part("b"), part(".heading")].filter(Boolean).join(" › "), part("small"), a ? a.href : ""].filter(Boolean).join(", ");
  });
  if (sources.length) text += `\n\n${$(".sources summary span", line).textContent}\n${sources.join("\n")}`;
  return text;
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // over plain HTTP browsers have no clipboard
    const box = document.createElement("textarea"), at = document.activeElement;
    box.value = text;
    box.className = "vh";
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
    at?.focus();
  }
  toast(word("copied"));
}
