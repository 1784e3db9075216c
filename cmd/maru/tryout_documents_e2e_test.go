package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
	"maru/config"
	"maru/memory/memtest/servers"
	"maru/rag/library"
	"maru/rag/local"
)

// lockers is how many documents are tried, beside the one that replaces another.
const lockers = 30

// roomReader answers how many desks a room has as the passages say that it is shown. It counts its calls, and takes its time
// when it is slow.
type roomReader struct {
	asked atomic.Int64
	slow  atomic.Bool
}

func (m *roomReader) answer(r llmtest.Request) llmtest.Reply {
	m.asked.Add(1)
	if m.slow.Load() {
		time.Sleep(50 * time.Millisecond)
	}
	return read(r)
}

func read(r llmtest.Request) llmtest.Reply {
	m := roomAsked.FindStringSubmatch(lastSaid(r))
	if r.ResponseFormat != nil {
		return llmtest.JSON(map[string]string{"route": map[bool]string{true: "rag", false: "agent"}[m != nil], "reason": "test"})
	}
	if m == nil {
		return llmtest.Text("Good day.")
	}
	for _, said := range r.Messages {
		if found := regexp.MustCompile("Room " + m[1] + ` has \d+ desks`).FindString(said.Text()); found != "" {
			return llmtest.Text(found + " [1].")
		}
	}
	return llmtest.Text("The documents do not say.")
}

// rooms are documents of rooms 100 to 111, with a number of desks of one of them.
func rooms(of, desks int) string {
	var b strings.Builder
	b.WriteString("# Rooms\n")
	for i := 100; i < 112; i++ {
		n := i - 80
		if i == of {
			n = desks
		}
		fmt.Fprintf(&b, "\n## Room %d\n\nRoom %d has %d desks.\n", i, i, n)
	}
	return b.String()
}

// tries posts the files of a rehearsal and returns its page.
func (v *pageReader) tries() string {
	v.t.Helper()
	v.open("/documents")
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, f := range [][2]string{{"csrf", v.token}, {"rehearse", "documents"}, {"to", "public"}} {
		must(v.t, "write a field", w.WriteField(f[0], f[1]))
	}
	add := func(name, text string) {
		part, err := w.CreateFormFile("file", name)
		must(v.t, "write a file", err)
		_, err = io.WriteString(part, text)
		must(v.t, "write a file", err)
	}
	add("rooms.md", rooms(105, 99))
	for i := range lockers {
		add(fmt.Sprintf("locker-%02d.md", i), fmt.Sprintf("# Locker %02d\n", i)+strings.Repeat(fmt.Sprintf("\n## Shelf\n\nLocker %02d is in the cellar.\n", i), 40))
	}
	must(v.t, "end the form", w.Close())
	code, to, body := v.read(v.client.Post("http://"+v.p.addr+"/rehearsals", w.FormDataContentType(), &form))
	if code != http.StatusSeeOther {
		v.t.Fatalf("the files: %d %s", code, body)
	}
	return to
}

// documents lists the titles of the page of documents.
func (v *pageReader) documents() (titles []string) {
	v.t.Helper()
	for _, m := range regexp.MustCompile(`(?s)data-document="[^"]+".*?<b[^>]*>([^<]*)</b>`).FindAllStringSubmatch(v.open("/documents"), -1) {
		titles = append(titles, m[1])
	}
	slices.Sort(titles)
	return titles
}

// lockersThere counts the lockers among the documents.
func (v *pageReader) lockersThere() int {
	v.t.Helper()
	return len(slices.DeleteFunc(v.documents(), func(title string) bool { return !strings.HasPrefix(title, "Locker") }))
}

// killedIn posts an act on a rehearsal, kills the program when so many lockers have come or gone, and starts it again. Where the kill
// was depends on the machine; what the act comes to must not.
func (v *pageReader) killedIn(at, act string, moved int) {
	v.t.Helper()
	before := v.lockersThere()
	form, over := url.Values{"do": {act}, "csrf": {v.token}}, make(chan struct{})
	go func() {
		defer close(over)
		if res, err := v.client.PostForm("http://"+v.p.addr+at, form); err == nil {
			_ = res.Body.Close()
		}
	}()
	for ctx, n := within(v.t, atMost), before; max(before, n)-min(before, n) < moved; n = v.lockersThere() {
		must(v.t, "the act gets on", ctx.Err())
	}
	v.p.kill()
	<-over
	kept := v.p.kept()
	v.p.start()
	v.open("/documents") // for its token
	v.t.Logf("%s was killed with %d of %d lockers, and %d documents of the rehearsal", act, v.lockersThere(), lockers, kept)
}

// again posts an act that may have been cut off, or not.
func (v *pageReader) again(at, act string) {
	v.t.Helper()
	code, _, body := v.post(at, url.Values{"do": {act}})
	if code != http.StatusSeeOther && !(code == http.StatusConflict && strings.Contains(body, "already decided")) && !(act == "discard" && code == http.StatusNotFound) {
		v.t.Fatalf("%s again: %d %s", act, code, body)
	}
}

// kept counts the documents that rehearsals keep in the index of a program that does not run.
func (p *program) kept() (n int) {
	p.t.Helper()
	index, err := local.Open(p.t.Context(), local.Config{Dir: localIndex(config.Store{DataDir: filepath.Join(p.dir, "data")})})
	must(p.t, "open the index", err)
	defer index.Close()
	scopes, err := index.Scopes(p.t.Context())
	must(p.t, "list scopes", err)
	for _, scope := range scopes {
		if _, _, ok := library.ShadowOf(scope); ok {
			docs, err := index.Documents(p.t.Context(), []string{scope})
			must(p.t, "list documents", err)
			n += len(docs)
		}
	}
	return n
}

// TestRehearsalOfDocumentsOverKills tries documents, one of which replaces another. With kill -9 in the middle of the replay, of
// accepting and of discarding nothing is found early, nothing is lost, and what comes of it is what comes of it without.
func TestRehearsalOfDocumentsOverKills(t *testing.T) {
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
			model := &roomReader{}
			w := newSlackWorld(t, llmtest.NewServer(t, model.answer), append(env(t), "MARU_MEMORY_EXTRACT=false", "LOG_LEVEL=info")...)
			path := filepath.Join(t.TempDir(), "rooms.md")
			write(t, path, rooms(0, 0))
			if code, out, errs := runHere(t, "", w.env, "ingest", path); code != exitOK {
				t.Fatalf("ingest: %d %s%s", code, out, errs)
			}
			w.start()
			rehearseDocumentsOverKills(t, w, model)
		})
	}
}

// desks asks about room 105.
func (w *slackWorld) desks(n int) {
	w.t.Helper()
	w.await("C1", w.slack.Say("U1", "C1", "<@UBOT> what is in room 105?", ""), 1, "has "+strconv.Itoa(n)+" desks")
}

func rehearseDocumentsOverKills(t *testing.T, w *slackWorld, model *roomReader) {
	t.Helper()
	for i := range 12 {
		w.await("C1", w.slack.Say("U1", "C1", fmt.Sprintf("<@UBOT> what is in room %d?", 100+i), ""), 1, fmt.Sprintf("has %d desks", 20+i))
	}
	v := w.pageReader()
	all := []string{"Rooms"}
	for i := range lockers {
		all = append(all, fmt.Sprintf("Locker %02d", i))
	}
	slices.Sort(all)
	stands := func(when string, want []string, desks int) {
		t.Helper()
		if got := v.documents(); !slices.Equal(got, want) {
			t.Errorf("%s there are %q, want %q", when, got, want)
		}
		w.desks(desks)
	}
	old := []string{"Rooms"}

	at := v.tries()
	stands("before the replay", old, 25)
	for ctx := within(t, atMost); strings.Count(v.open("/runs"), `<li class="done">`) < 13; time.Sleep(pagePoll) { // in the record, after the answers
		must(t, "the runs are in the record", ctx.Err())
	}
	model.asked.Store(0)
	model.slow.Store(true)
	v.does(at, url.Values{"do": {"start"}, "channel": {"slack/T1/C1"}, "last": {"13"}, "minutes": {"10"}})
	for ctx := within(t, atMost); model.asked.Load() < 8; time.Sleep(5 * time.Millisecond) { // two a question
		must(t, "the rehearsal gets on", ctx.Err())
	}
	w.kill()
	before := model.asked.Load()
	model.slow.Store(false)
	w.start()
	page := ""
	for ctx := within(t, atMost); !strings.Contains(page, `id="report"`); time.Sleep(pagePoll) {
		must(t, "the rehearsal ends", ctx.Err())
		page = v.open(at)
	}
	if rows := rehearsedText.FindAllStringSubmatch(page, -1); !strings.Contains(page, "13 questions replayed: 2 answers changed") || len(rows) != 13 || rows[0][1] != "other numbers" || rows[0][2] != "what is in room 105?" {
		t.Errorf("the report: %q %s", rows, page)
	}
	if n := model.asked.Load() - before; n < 1 || n > 26-before+2 { // two a question, and the one that the kill cut off
		t.Errorf("%d calls before the kill and %d after it", before, n)
	}
	stands("before anybody accepts", old, 25)
	v.killedIn(at, "accept", 3)
	v.again(at, "accept")
	stands("accepted", all, 99)
	v.killedIn(at, "rollback", 3)
	v.again(at, "rollback")
	stands("rolled back", old, 25)
	v.does(at, url.Values{"do": {"discard"}})

	// What stopped in the middle of accepting is discarded, which stops in the middle too.
	at = v.tries()
	v.open(at)
	v.killedIn(at, "accept", 3)
	v.killedIn(at, "discard", 1)
	v.again(at, "discard")
	stands("discarded", old, 25)
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	if n := w.kept(); n != 0 {
		t.Errorf("%d documents of rehearsals are left", n)
	}
}
