// What an answer says of a passage: a passage is a few paragraphs, or rows of a table,
// and the words before a number are a sentence of it.

// wordsBefore is what stands before a number in an answer, back to the number before it.
export function wordsBefore(link) {
  const block = link.closest(".line") && link.closest("p, li, td, th, h1, h2, h3, h4, h5, h6");
  if (!block) return "";
  const range = document.createRange();
  range.selectNodeContents(block);
  range.setEndBefore(link);
  for (const other of [...block.querySelectorAll(".cite")].reverse()) {
    if (!(other.compareDocumentPosition(link) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
    const between = range.cloneRange();
    between.setStartAfter(other);
    if (letters(saidIn(between)).text) return saidIn(between); // "[1] [2]" are of the same words
  }
  return saidIn(range);
}

// saidIn is the text of a part of an answer without the numbers in it.
function saidIn(range) {
  const part = range.cloneContents();
  for (const n of part.querySelectorAll(".cite")) n.remove();
  return part.textContent;
}

// letters is what a quotation has in common with its passage, letters and digits, and
// where each of them stands.
function letters(from) {
  let text = "";
  const at = [];
  for (const m of from.matchAll(/[\p{L}\p{M}\p{N}]/gu)) {
    const low = m[0].toLowerCase();
    for (let i = 0; i < low.length; i++) at.push([m.index, m.index + m[0].length]);
    text += low;
  }
  return { text, at };
}

const least = 6; // letters of what is looked for: fewer stand anywhere

// places are where words stand in a passage, each piece between the gaps of what was
// shortened behind the one before; none if one of them does not stand there.
function places(words, passage) {
  const inside = letters(passage), out = [];
  let from = 0;
  for (const piece of words.split(/…|\.{3}/).map((p) => letters(p).text).filter(Boolean)) {
    const i = inside.text.indexOf(piece, from);
    if (i < 0) return [];
    from = i + piece.length;
    out.push([inside.at[i][0], inside.at[from - 1][1]]);
  }
  return letters(words).text.length < least ? [] : out;
}

// markSaid marks in a passage what was said of it, as a whole or a sentence at a time,
// and returns the first mark; null if it was said in other words.
export function markSaid(hit, words) {
  if (!hit || !words.trim()) return null;
  const text = hit.textContent, whole = places(words, text);
  const found = whole.length ? whole : words.split(/(?<=[.!?。])\s+|\n/).flatMap((s) => places(s, text));
  found.sort((a, b) => a[0] - b[0]);
  const parts = [];
  let end = 0;
  for (let [from, to] of found) {
    if (from < end) continue;
    to += /^[.,!?。)\]"”’]*/.exec(text.slice(to))[0].length;
    const mark = document.createElement("mark");
    mark.className = "said";
    mark.textContent = text.slice(from, to);
    parts.push(text.slice(end, from), mark);
    end = to;
  }
  if (parts.length) hit.replaceChildren(...parts, text.slice(end));
  return hit.querySelector(".said");
}
