package main

import (
	"database/sql"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// saves saves a workflow as its page in the console does.
func (p *program) saves(page, base, text string) {
	p.t.Helper()
	jar, err := cookiejar.New(nil)
	must(p.t, "make a jar", err)
	visitor := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	form, err := visitor.Get("http://" + p.addr + "/workflows/~new")
	must(p.t, "open the editor", err)
	body, err := io.ReadAll(form.Body)
	_ = form.Body.Close()
	token := csrfField.FindSubmatch(body)
	if err != nil || token == nil {
		p.t.Fatalf("no editor: %v %s", err, body)
	}
	done, err := visitor.PostForm("http://"+p.addr+"/workflows/save", url.Values{"csrf": {string(token[1])}, "page": {page}, "base": {base}, "text": {text}})
	must(p.t, "save", err)
	body, err = io.ReadAll(done.Body)
	_ = done.Body.Close()
	if err != nil || done.StatusCode != http.StatusSeeOther {
		p.t.Fatalf("save: %d %v %s", done.StatusCode, err, body)
	}
}

// TestSavedWorkflowOverAKill saves an agent in the console, has it ask, saves its next version and kills the program: the
// run that waits ends with the version that it began with, and a new one has the new version.
func TestSavedWorkflowOverAKill(t *testing.T) {
	t.Parallel()
	unraced(t)
	p := newProgram(t, "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test")
	p.start()
	p.saves("~new", "0", announcement)
	p.tell("t1", "/settings agent announce")
	p.hears("t1", 2, "announce")
	p.tell("t1", "lunch at noon")
	p.asked("t1")
	p.saves("announce", "1", strings.Replace(announcement, "Announced: ", "Told everybody: ", 1))
	p.kill()
	p.start()
	p.tell("t1", "yes")
	p.comes("t1", "Announced: lunch at noon")
	p.tell("t2", "dinner at seven")
	p.asked("t2")
	p.tell("t2", "yes")
	p.comes("t2", "Told everybody: dinner at seven")
}

// comes waits until a thread shows a text.
func (p *program) comes(thread, text string) {
	p.t.Helper()
	for ctx := within(p.t, atMost); ctx.Err() == nil; {
		if strings.Contains(strings.Join(p.lines(thread), "\n"), text) {
			return
		}
	}
	p.t.Fatalf("%s does not come to show %q: %q", thread, text, p.lines(thread))
}

// prompts unpacks the prompts and replies that a program that was stopped has kept.
func (p *program) prompts() string {
	p.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(p.dir, "data", "maru.db"))
	must(p.t, "open the record", err)
	defer db.Close()
	rows, err := db.QueryContext(p.t.Context(), `SELECT body FROM exchanges`)
	must(p.t, "read exchanges", err)
	defer rows.Close()
	var all strings.Builder
	for rows.Next() {
		var body []byte
		must(p.t, "read a row", rows.Scan(&body))
		all.WriteString(unpacked(body))
	}
	must(p.t, "read exchanges", rows.Err())
	return all.String()
}
