package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"maru/memory/memtest/servers"
)

// pageReader is a browser of the console's owner, without scripts.
type pageReader struct {
	t      *testing.T
	p      *program
	client *http.Client
	token  string
}

func (p *program) pageReader() *pageReader {
	jar, err := cookiejar.New(nil)
	must(p.t, "make a jar", err)
	return &pageReader{t: p.t, p: p, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// read returns the status, the redirect and the body of an answer.
func (v *pageReader) read(res *http.Response, err error) (int, string, string) {
	v.t.Helper()
	must(v.t, "open a page", err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(v.t, "read a page", err)
	if m := csrfField.FindSubmatch(body); m != nil {
		v.token = string(m[1])
	}
	return res.StatusCode, res.Header.Get("Location"), string(body)
}

func (v *pageReader) open(path string) string {
	v.t.Helper()
	code, _, body := v.read(v.client.Get("http://" + v.p.addr + path))
	if code != http.StatusOK {
		v.t.Fatalf("%s: %d %s", path, code, body)
	}
	return body
}

func (v *pageReader) post(path string, form url.Values) (code int, to, body string) {
	v.t.Helper()
	form.Set("csrf", v.token)
	return v.read(v.client.PostForm("http://"+v.p.addr+path, form))
}

// does posts a form that leads on to a page, and returns its path.
func (v *pageReader) does(path string, form url.Values) string {
	v.t.Helper()
	code, to, body := v.post(path, form)
	if code != http.StatusSeeOther {
		v.t.Fatalf("%s %v: %d %s", path, form, code, body)
	}
	return to
}

var rehearsedText = regexp.MustCompile(`<summary><span class="tag[^"]*">([^<]*)</span> <span[^>]*>([^<]*)</span>`)

// TestRehearsalInTheConsole rehearses a setting before it is saved: over kill -9 in the middle the report is whole, the regression
// is first, nothing is sent and nothing takes effect until it is accepted, and it can be rolled back.
func TestRehearsalInTheConsole(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, env := range map[string]func(*testing.T) []string{
		"sqlite": func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string {
			t.Helper()
			return []string{"DATABASE_URL=" + servers.StartPostgres(t).URL}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rehearseInTheConsole(t, newScriptedTeam(t, 40, append(env(t), "OPENAI_MODEL_CHOICES=new")...))
		})
	}
}

func rehearseInTheConsole(t *testing.T, s *scriptedTeam) {
	t.Helper()
	v := s.pageReader()
	sent := len(s.slack.Calls(""))
	settings := "/settings?place=slack%2FT1%2FC1&level=channel"
	if page := v.open(settings); !strings.Contains(page, `value="settings" formaction="/rehearsals"`) {
		t.Fatal("the settings offer no rehearsal")
	}
	form := url.Values{"rehearse": {"settings"}, "place": {"slack/T1/C1"}, "level": {"channel"}, "v.model": {"new"}}
	at := v.does("/rehearsals", form)
	if page := v.open(at); !strings.Contains(page, `<option value="slack/T1/C1"`) || !strings.Contains(page, "Nothing has been changed yet.") || strings.Contains(page, "slack/T1/D1") {
		t.Errorf("the draft: %s", page)
	}
	if code, _, page := v.post(at, url.Values{"do": {"start"}, "last": {"1000"}, "minutes": {"x"}}); code != http.StatusConflict || !strings.Contains(page, "between 1 and 200") {
		t.Errorf("wrong bounds: %d", code)
	}
	v.does(at, url.Values{"do": {"start"}, "channel": {"slack/T1/C1"}, "last": {"40"}, "minutes": {"10"}, "cost": {"5"}})
	for ctx := within(t, atMost); s.asked.Load() < 20; time.Sleep(5 * time.Millisecond) {
		must(t, "the rehearsal gets on", ctx.Err())
	}
	s.kill()
	before := s.asked.Load()
	s.start()
	page := ""
	for ctx := within(t, atMost); !strings.Contains(page, `id="report"`); time.Sleep(pagePoll) {
		must(t, "the rehearsal ends", ctx.Err())
		page = v.open(at)
	}
	rows := rehearsedText.FindAllStringSubmatch(page, -1)
	if want := fmt.Sprintf("what is in room %d?", otherNumber); len(rows) != 25 || rows[0][1] != "other numbers" || rows[0][2] != want {
		t.Errorf("%d questions on a page, first %q", len(rows), rows[:min(len(rows), 1)])
	}
	if want := "40 questions replayed: 1 answers changed, 0 differ only in wording, 38 are unchanged, 1 can"; !strings.Contains(page, want) || strings.Contains(page, "for me alone") {
		t.Errorf("lacks %q: %s", want, page)
	}
	if n := s.asked.Load(); n-before > 100-before { // routes and answers of 40 questions, and the one that the kill cut off
		t.Errorf("%d calls before the kill and %d after it", before, n-before)
	}
	if lines := v.open(at + "/questions.jsonl?n=1"); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, `"kind":"rehearsal"`) || !strings.Contains(lines, `"heading":"Room 137"`) {
		t.Errorf("questions: %s", lines)
	}
	chosen := func() bool { return strings.Contains(v.open(settings), `<option value="new" selected>`) }
	if chosen() {
		t.Error("it is in effect before it was accepted")
	}
	v.does(at, url.Values{"do": {"accept"}})
	if !chosen() {
		t.Error("it is not in effect")
	}
	v.does(at, url.Values{"do": {"rollback"}})
	if chosen() {
		t.Error("it was not rolled back")
	}
	if page := v.open("/audit?team=web%2Flocal"); !strings.Contains(page, "rehearsal.accept") || !strings.Contains(page, "rehearsal.rollback") {
		t.Error("the audit log lacks it")
	}
	v.does(at, url.Values{"do": {"discard"}})
	if code, _, _ := v.read(v.client.Get("http://" + s.addr + at)); code != http.StatusNotFound {
		t.Errorf("a discarded one answers %d", code)
	}
	rehearseOtherChanges(v)
	s.sentNothing(sent)
}

// plays starts a rehearsal of three questions and returns the page of its report.
func (v *pageReader) plays(at string, more url.Values) string {
	v.t.Helper()
	form := url.Values{"do": {"start"}, "last": {"3"}, "minutes": {"10"}}
	for name, list := range more {
		form[name] = list
	}
	v.does(at, form)
	for ctx := within(v.t, atMost); ; time.Sleep(pagePoll) {
		must(v.t, "the rehearsal ends", ctx.Err())
		if page := v.open(at); strings.Contains(page, `id="report"`) {
			return page
		}
	}
}

var documentBox = regexp.MustCompile(`name="doc" value="([^"]+)"`)

// rehearseOtherChanges tries a workflow, which is accepted and rolled back, and documents that are removed.
func rehearseOtherChanges(v *pageReader) {
	v.t.Helper()
	text := `{"id":"greeter","name":"Greeter","version":"1","nodes":[{"id":"begin","node_type":"start"},
		{"id":"say","node_type":"set_state","config":{"set":{"final_answer":"Good day to you."}}},{"id":"end","node_type":"end"}],
		"edges":[{"source":"begin","target":"say"},{"source":"say","target":"end"}]}`
	if code, _, page := v.post("/rehearsals", url.Values{"rehearse": {"workflow"}, "page": {"~new"}, "base": {"0"}, "text": {strings.Replace(text, "set_state", "set_stat", 1)}}); code != http.StatusUnprocessableEntity || !strings.Contains(page, "set_stat") {
		v.t.Errorf("a workflow that does not run: %d", code)
	}
	at := v.does("/rehearsals", url.Values{"rehearse": {"workflow"}, "page": {"~new"}, "base": {"0"}, "text": {text}})
	if page := v.plays(at, url.Values{"all": {"1"}}); !strings.Contains(page, "3 questions replayed: 3 answers changed") || !strings.Contains(page, "Good") {
		v.t.Errorf("the workflow: %s", page)
	}
	v.does(at, url.Values{"do": {"accept"}})
	if page := v.open("/workflows/greeter"); !strings.Contains(page, "Good day to you.") {
		v.t.Error("the workflow is not saved")
	}
	v.does(at, url.Values{"do": {"rollback"}})
	if code, _, _ := v.read(v.client.Get("http://" + v.p.addr + "/workflows/greeter")); code != http.StatusNotFound {
		v.t.Errorf("the workflow is not rolled back: %d", code)
	}
	doc := documentBox.FindStringSubmatch(v.open("/documents"))
	if doc == nil {
		v.t.Fatal("there is no document to choose")
	}
	at = v.does("/rehearsals", url.Values{"rehearse": {"documents"}, "doc": {doc[1]}})
	if page := v.plays(at, nil); !strings.Contains(page, "3 questions replayed: 3 answers changed") || !strings.Contains(page, "source lost") {
		v.t.Errorf("without the document: %s", page)
	}
	if !documentBox.MatchString(v.open("/documents")) {
		v.t.Error("the document is gone before anybody accepted")
	}
	v.does(at, url.Values{"do": {"accept"}})
	if documentBox.MatchString(v.open("/documents")) {
		v.t.Error("the document is still there")
	}
}
