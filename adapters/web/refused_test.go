//go:build !race

package web_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"maru/adapters/web"
	"maru/bot"
)

// TestRefusedFilesAreListed: the page of documents lists a person's refused files with the
// reason, also after a restart, until a file is dismissed, added after all, or old.
func TestRefusedFilesAreListed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	e := newEcho()
	small := func(c *web.Config) { c.MaxUpload, c.Now = 1000, func() time.Time { return now } }
	p := startWith(t, e, small).person(t)
	send := func(path, body string, status int) {
		t.Helper()
		r := p.request("POST", path, body)
		r.Header.Set("Content-Type", "text/plain")
		if got := p.do(r); got.status != status {
			t.Fatalf("%s: %d %s", path, got.status, got.body)
		}
	}
	listed := func(want ...string) {
		t.Helper()
		var names []string
		page := p.get("/documents").body
		for _, m := range regexp.MustCompile(`data-refused="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			names = append(names, m[1])
		}
		if strings.Join(names, " ") != strings.Join(want, " ") {
			t.Errorf("refused are %q, want %q", names, want)
		}
	}
	listed()
	send("/api/documents?name=virus.exe", "x", http.StatusUnprocessableEntity)
	send("/api/documents?name=long.md", strings.Repeat("x", 1001), http.StatusRequestEntityTooLarge)
	send("/api/documents?name=huge.md&size=5000000", "", http.StatusRequestEntityTooLarge) // the page sends no bytes of it
	send("/api/documents?thread=t1&name=virus.exe", "x", http.StatusUnprocessableEntity)   // again: told once, as the newest
	listed("virus.exe", "huge.md", "long.md")
	if page := p.get("/documents").body; !strings.Contains(page, "read the file") || !strings.Contains(page, "huge.md is too large") {
		t.Errorf("no reasons: %s", page)
	}
	p = startWith(t, e, small).person(t) // after a restart
	listed("virus.exe", "huge.md", "long.md")
	send("/api/documents?name=long.md", "short now", http.StatusCreated)
	listed("virus.exe", "huge.md")
	id := regexp.MustCompile(`data-dismiss="([^"]+)"`).FindStringSubmatch(p.get("/documents").body)[1]
	for range 2 { // twice is once
		if got := p.do(p.request("DELETE", "/api/refused/"+id, "")); got.status != http.StatusNoContent {
			t.Errorf("dismiss: %d %s", got.status, got.body)
		}
	}
	listed("huge.md")
	now = now.Add(8 * 24 * time.Hour)
	listed()
}

// TestBrowserUploadsAll: of several files none is left behind by what becomes of the
// ones before it, and the page tells of each without being loaded again.
func TestBrowserUploadsAll(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *web.Config) { c.MaxUpload = 1000 })
	b := browser(t)
	dir := t.TempDir()
	var files []string
	for name, size := range map[string]int{"1-first.md": 10, "2-virus.exe": 10, "3-second.md": 10, "4-huge.md": 2000} {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.open(c.URL + "/documents")
	js[bool](b, `window.same = true`)
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), files))
	b.until(`document.querySelectorAll("#library [data-refused]").length === 2 && document.querySelectorAll("#library [data-remove]").length === 2`)
	b.until(`document.querySelectorAll("#uploads .failed").length === 0`) // told in the list, which stays
	b.picture("34-refused")
	if !js[bool](b, `window.same === true`) {
		t.Error("the page was loaded anew")
	}
	for _, name := range []string{"2-virus.exe", "4-huge.md"} {
		if why := get(b, chromedp.Text(chromedp.CSS(`[data-refused="`+name+`"] .unread`))); why == "" {
			t.Errorf("%s: no reason", name)
		}
	}
	js[bool](b, `(document.querySelector("[data-dismiss]").focus(), true)`)
	b.key(kb.Enter)
	b.until(`document.querySelectorAll("[data-refused]").length === 1`)
	b.until(`document.activeElement.matches("[data-dismiss]")`) // the next one
	b.key(kb.Enter)
	b.until(`document.querySelectorAll("[data-refused]").length === 0`)
	b.until(`document.activeElement.matches("#library [data-remove]")`)
}

// TestBrowserHandsOverWhatWasAdded: what is added in a conversation comes with the message sent next,
// also after a reload, and with no other.
func TestBrowserHandsOverWhatWasAdded(t *testing.T) {
	t.Parallel()
	c := start(t)
	b := browser(t)
	path := filepath.Join(t.TempDir(), "lease.md")
	if err := os.WriteFile(path, []byte("# Lease"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open(c.URL + "/") // the conversation begins with the file
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{path}))
	b.until(`document.querySelectorAll(".line.note").length === 1 && location.pathname.startsWith("/t/")`)
	b.do(chromedp.Reload())
	b.wait(".line.note")
	sent := func(n int) []bot.File {
		c.bot.mu.Lock()
		defer c.bot.mu.Unlock()
		if len(c.bot.messages) != n {
			t.Fatalf("%d messages, want %d", len(c.bot.messages), n)
		}
		return c.bot.messages[n-1].Files
	}
	for i, text := range []string{"What is the rent?", "And when?"} {
		b.write("#text", text+kb.Enter)
		b.until(fmt.Sprintf(`document.querySelectorAll(".line.bot[data-final]").length === %d`, i+1))
		c.bot.running.Wait()
		b.do(chromedp.Reload())
		if files := sent(i + 1); (len(files) == 1 && files[0].Document != "") != (i == 0) {
			t.Errorf("%s: files %+v", text, files)
		}
	}
}
