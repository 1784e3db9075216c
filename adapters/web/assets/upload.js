// Adding files: picked, dropped on the page or pasted, one after the other.
import { $, id, thread, word } from "./page.js";
import { csrf } from "./api.js";
import { begin, hand } from "./composer.js";
import { renewLibrary } from "./library.js";
import { watch } from "./stream.js";

const limit = Number(document.body.dataset.limit);

async function upload(files) {
  for (const f of files) await uploadOne(f);
  if (await renewLibrary()) { // which tells of what was refused, for longer than this page is open
    for (const li of document.querySelectorAll("#uploads .failed")) {
      if (document.querySelector(`[data-refused="${CSS.escape(li.dataset.name)}"]`)) li.remove();
    }
  }
}

function uploadOne(file) {
  const li = document.createElement("li"), list = $("#uploads");
  li.innerHTML = '<span class="name"></span><span class="state"></span><button type="button" class="icon">×</button><progress max="1" value="0"></progress>';
  const [name, said, close, bar] = li.children;
  name.textContent = li.dataset.name = file.name;
  close.setAttribute("aria-label", word("close"));
  bar.setAttribute("aria-label", file.name);
  list.append(li);
  return new Promise((done) => {
    const xhr = new XMLHttpRequest();
    const end = (failed, text) => {
      bar.remove();
      delete said.dataset.part;
      li.className = failed ? "failed" : "done";
      said.textContent = text;
      if (!failed) setTimeout(() => li.remove(), 2500);
      done(!failed);
    };
    close.onclick = () => { xhr.abort(); li.remove(); done(false); };
    said.textContent = word("upload.sending");
    xhr.upload.onprogress = (e) => { bar.value = e.loaded / e.total; said.dataset.part = ` ${Math.floor(100 * bar.value)} %`; }; // seen, not read out each time
    xhr.upload.onload = () => { bar.removeAttribute("value"); delete said.dataset.part; said.textContent = word("upload.reading"); };
    xhr.onerror = () => end(true, word("gone_offline"));
    xhr.onload = () => {
      let data = {};
      try { data = JSON.parse(xhr.responseText); } catch { /* said below */ }
      if (xhr.status !== 201) return end(true, (data.error && data.error.text) || word("upload.failed"));
      hand(data.id);
      end(Boolean(data.unread), data.unread || word("upload.done"));
      if (thread) { watch(); begin(); }
    };
    const form = new FormData();
    if (file.size <= limit) form.append("file", file); // of what is larger only the refusal is wanted
    xhr.open("POST", `/api/documents?thread=${id}&size=${file.size}&name=${encodeURIComponent(file.name)}`);
    xhr.setRequestHeader("X-CSRF-Token", csrf());
    xhr.send(form);
  });
}

export function startUploads() {
  const picker = $("#file"), drop = $("#drop");
  picker.addEventListener("change", async () => { await upload([...picker.files]); picker.value = ""; });
  $("#text")?.addEventListener("paste", (e) => {
    if (e.clipboardData.files.length) { e.preventDefault(); upload([...e.clipboardData.files]); }
  });
  let depth = 0;
  const carries = (e) => [...e.dataTransfer.types].includes("Files");
  addEventListener("dragenter", (e) => { if (carries(e)) { depth++; drop.hidden = false; } });
  addEventListener("dragleave", (e) => { if (carries(e) && --depth <= 0) { depth = 0; drop.hidden = true; } });
  addEventListener("dragover", (e) => { if (carries(e)) e.preventDefault(); });
  addEventListener("drop", (e) => { if (!carries(e)) return; e.preventDefault(); depth = 0; drop.hidden = true; upload([...e.dataTransfer.files]); });
}
