// Adding files: picked, dropped on the page or pasted, one after the other.
import { $, id, thread, toast, word } from "./page.js";
import { csrf, renew, signedOut } from "./api.js";
import { begin, hand } from "./composer.js";
import { regain } from "./focus.js";
import { renewLibrary } from "./library.js";
import { watch } from "./stream.js";

const limit = Number(document.body.dataset.limit);

let running = 0; // files that would be lost with the page

async function upload(files) {
  const queue = files.map((f) => [f, row(f)]);
  running += files.length;
  for (const [f, shown] of queue) {
    if (shown.waits()) await uploadOne(f, shown);
    running--;
  }
  if (await renewLibrary()) { // which tells of what was refused, for longer than this page is open
    for (const li of document.querySelectorAll("#uploads .failed")) {
      if (document.querySelector(`[data-refused="${CSS.escape(li.dataset.name)}"]`)) li.remove();
    }
  }
}

// row shows one file on its way; it says what becomes of it.
function row(file) {
  const li = document.createElement("li");
  li.innerHTML = '<span class="name"></span><span class="state"></span><button type="button" class="icon">×</button><progress max="1" value="0"></progress>';
  const [name, said, close, bar] = li.children;
  name.textContent = li.dataset.name = file.name;
  close.setAttribute("aria-label", `${word("cancel")}: ${file.name}`);
  bar.setAttribute("aria-label", file.name);
  $("#uploads").append(li);
  const gone = () => {
    const inside = li.contains(document.activeElement);
    li.remove();
    if (inside) regain($("#text"), $("#file"));
  };
  close.onclick = gone;
  return {
    close,
    gone,
    waits: () => li.isConnected, // nobody has cancelled it
    sending(part) { // the part is seen, not read out each time
      said.textContent = word("upload.sending");
      bar.value = part;
      said.dataset.part = ` ${Math.floor(100 * part)} %`;
    },
    reading() { bar.removeAttribute("value"); delete said.dataset.part; said.textContent = word("upload.reading"); },
    ended(failed, text) {
      bar.remove();
      delete said.dataset.part;
      li.className = failed ? "failed" : "done";
      said.textContent = text;
      close.setAttribute("aria-label", `${word("close")}: ${file.name}`);
      if (!failed) setTimeout(gone, 2500);
    },
  };
}

async function uploadOne(file, shown) {
  let res = await carry(file, shown);
  if (res?.code === "wrong_token" && await renew()) res = await carry(file, shown);
  if (!res) { shown.gone(); return; } // cancelled
  if (res.code === "login_needed") signedOut();
  hand(res.document);
  shown.ended(res.failed, res.text);
  if (thread && !res.failed) { watch(); begin(); }
}

// carry sends a file and returns what became of it, null if the person has cancelled
// it.
function carry(file, shown) {
  return new Promise((done) => {
    const xhr = new XMLHttpRequest();
    shown.close.onclick = () => { if (xhr.readyState === XMLHttpRequest.DONE) shown.gone(); else xhr.abort(); };
    shown.sending(0);
    xhr.upload.onprogress = (e) => shown.sending(e.loaded / e.total);
    xhr.upload.onload = () => shown.reading();
    xhr.onabort = () => done(null);
    xhr.onerror = () => done({ failed: true, text: word("gone_offline") });
    xhr.onload = () => {
      let data = {};
      try { data = JSON.parse(xhr.responseText); } catch { /* said below */ }
      if (xhr.status === 201) done({ failed: Boolean(data.unread), text: data.unread || word("upload.done"), document: data.id });
      else done({ failed: true, code: data.error?.code, text: data.error?.text || word("upload.failed") });
    };
    const form = new FormData();
    if (file.size <= limit) form.append("file", file); // of what is larger only the refusal is wanted
    xhr.open("POST", `/api/documents?thread=${id}&size=${file.size}&name=${encodeURIComponent(file.name)}&tags=${encodeURIComponent($("#tags")?.value || "")}`);
    xhr.setRequestHeader("X-CSRF-Token", csrf());
    xhr.send(form);
  });
}

// pasted are the files that a paste means. Spreadsheets and word processors add a
// picture of the text, and mean the text.
function pasted(data) {
  const files = [...data.files], text = data.getData("text/plain");
  return text.trim() && !files.some((f) => text.includes(f.name)) ? [] : files;
}

// dropped are the files that were dropped; of a folder a browser gives no content.
function dropped(data) {
  const folder = [...data.items].some((i) => i.webkitGetAsEntry?.()?.isDirectory);
  if (folder) toast(word("upload.folder"));
  return folder ? [] : [...data.files];
}

// Where a drop is taken is shown for as long as files are held over the page: not
// every way of leaving it is told.
function startDrops(takes) {
  const drop = $("#drop");
  let over;
  const hide = () => { if (drop) drop.hidden = true; };
  const carried = (name, does) => addEventListener(name, (e) => { if (e.dataTransfer.types.includes("Files")) does(e); });
  carried("dragover", (e) => {
    e.preventDefault(); // on every page: else the browser would leave it for the file
    e.dataTransfer.dropEffect = takes ? "copy" : "none";
    if (!takes) return;
    drop.hidden = false;
    clearTimeout(over);
    over = setTimeout(hide, 600);
  });
  carried("dragleave", (e) => { if (!e.relatedTarget) hide(); });
  carried("drop", (e) => {
    e.preventDefault();
    hide();
    if (takes) upload(dropped(e.dataTransfer));
  });
}

export function startUploads() {
  const picker = $("#file");
  startDrops(Boolean(picker));
  addEventListener("beforeunload", (e) => { if (running) e.preventDefault(); });
  picker?.addEventListener("change", async () => { await upload([...picker.files]); picker.value = ""; });
  $("#text")?.addEventListener("paste", (e) => {
    const files = pasted(e.clipboardData);
    if (files.length) { e.preventDefault(); upload(files); }
  });
}
