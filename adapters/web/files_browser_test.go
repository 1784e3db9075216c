//go:build !race

package web_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// drag moves files over the page, or drops them on it.
func (b tab) drag(kind input.DispatchDragEventType, files ...string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchDragEvent, input.DispatchDragEventParams{
			Type: kind, X: 600, Y: 300, Data: &input.DragData{Items: []*input.DragDataItem{}, Files: files, DragOperationsMask: 1},
		})
		return err
	}))
}

// paste puts text and files into the box as a clipboard does. It returns "left" if they
// go on into the box, else what the page says of what it has taken for itself.
func (b tab) paste(text string, files ...string) string {
	b.t.Helper()
	expr := `(() => { const data = new DataTransfer(); data.setData("text/plain", ` + text + `);`
	for _, f := range files {
		expr += `data.items.add(new File(["x"], "` + f + `"));`
	}
	return js[string](b, expr+`const e = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
		document.querySelector("#text").dispatchEvent(e); return e.defaultPrevented ? document.querySelector("#toast").textContent : "left"; })()`)
}

// slowUploads makes the server keep each upload until the function returned is called. It is told
// of those that were broken off before: a server learns of that after the person, and has read
// a file for good that is let through meanwhile.
func (c *console) slowUploads() (free func(), broken <-chan struct{}) {
	mux, gate, torn := c.Config.Handler, make(chan struct{}), make(chan struct{}, 8)
	c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/api/documents" {
			body, _ := io.ReadAll(r.Body) // only then a server sees that nobody waits any more
			r.Body = io.NopCloser(bytes.NewReader(body))
			select {
			case <-gate:
			case <-r.Context().Done():
				torn <- struct{}{}
				return
			}
		}
		mux.ServeHTTP(w, r)
	})
	return sync.OnceFunc(func() { close(gate) }), torn
}

// TestBrowserTakesFiles: files are dropped on a page or pasted; one on its way can be
// cancelled, and is not lost with the page unasked. What is pasted as text stays text.
func TestBrowserTakesFiles(t *testing.T) {
	t.Parallel()
	c := start(t)
	free, broken := c.slowUploads()
	t.Cleanup(free)
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.md"), filepath.Join(dir, "two.md")
	for _, f := range []string{one, two} {
		if err := os.WriteFile(f, []byte("# x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := browser(t)
	asked := b.decide(false)
	b.open(c.URL + "/me") // a page that takes no files is not left for one
	b.drag("dragEnter", one)
	b.drag("dragOver", one)
	b.drag("drop", one)
	b.open(c.URL + "/")
	js[bool](b, `(new MutationObserver(() => { window.shown ||= !document.querySelector("#drop").hidden; }).observe(document.querySelector("#drop"), {attributes: true}), true)`)
	b.drag("dragEnter", one)
	b.drag("dragOver", one)
	b.until(`window.shown && document.querySelector("#drop").hidden`) // they have gone elsewhere
	b.drag("dragEnter", one, two)
	b.drag("dragOver", one, two)
	b.drag("drop", one, two)
	b.until(`document.querySelectorAll("#uploads li").length === 2 && document.querySelector("#drop").hidden`)
	b.click("#composer") // a person did something here: browsers ask those only
	js[bool](b, `(location.href = "/documents", true)`)
	<-asked // and they stay
	b.click("#uploads li:first-child button")
	b.until(`document.querySelectorAll("#uploads li").length === 1 && document.activeElement.id === "text"`)
	select {
	case <-broken:
	case <-b.ctx.Done():
		t.Fatal("the server never learns that a file is cancelled")
	}
	if b.paste(`"a\tb"`, "image.png") != "left" {
		t.Error("cells of a spreadsheet are taken for the picture that comes with them")
	}
	if said := b.paste(`"x".repeat(32001)`); !strings.Contains(said, "32,000") {
		t.Errorf("of too long a text is said %q", said)
	}
	if b.paste(`"x".repeat(32000)`) != "left" {
		t.Error("a text that fits is refused")
	}
	if b.paste(`"three.md"`, "three.md") == "left" {
		t.Error("a pasted file is not taken")
	}
	free()
	b.until(`[...document.querySelectorAll(".line.note")].map((l) => /[a-z]+\.md/.exec(l.textContent)[0]).sort().join() === "three.md,two.md"`)
	if n := len(c.bot.documents()); n != 4 { // two were there before
		t.Errorf("%d documents: what was cancelled is not added", n)
	}
}
