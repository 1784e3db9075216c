package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
	"maru/memory/memtest/servers"
)

// trap is before a model endpoint and holds the first request that contains
// each of its words, until whoever asked is gone.
type trap struct {
	*httptest.Server

	caught chan string // the words that were met, in order

	mu    sync.Mutex
	words map[string]bool
}

func newTrap(t *testing.T, model *llmtest.Server, words ...string) *trap {
	t.Helper()
	to, err := url.Parse(model.Root)
	if err != nil {
		t.Fatal(err)
	}
	p := &trap{caught: make(chan string, len(words)), words: map[string]bool{}}
	for _, w := range words {
		p.words[w] = true
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if p.holds(string(body)) {
			<-r.Context().Done()
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *trap) holds(body string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.words {
		if strings.Contains(body, w) {
			delete(p.words, w)
			p.caught <- w
			return true
		}
	}
	return false
}

// TestKilledInALessonItIsTakenInOnce kills the program with SIGKILL while a job
// waits for the model, and again between two notes of the job: the first is
// committed, the second is not. What was said is known once in the end, and the
// answers were given long before.
func TestKilledInALessonItIsTakenInOnce(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]func(*testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"DATABASE_URL=" + servers.StartPostgres(t).URL} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killedInALesson(t, env(t)...)
		})
	}
}

func killedInALesson(t *testing.T, env ...string) {
	t.Helper()
	const reflecting, second = "From one chat message", "office: Seoul"
	model := mindful(t)
	p := newTrap(t, model, reflecting, second)
	w := newSlackWorld(t, model, append(env, "OPENAI_BASE_URL="+p.URL+"/v1", "OPENAI_EMBEDDING_MODEL=vectors", "MARU_LEASE_TTL=1s")...)
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> My team is data. My office is Seoul. I prefer tables. I do the buying here", "")
	w.await("C1", root, 1, "You said: My team is data") // whatever becomes of the lesson
	for _, want := range []string{reflecting, second} {
		select {
		case got := <-p.caught:
			if got != want {
				t.Fatalf("the job stands at %q, want %q", got, want)
			}
		case <-within(t, time.Minute).Done():
			t.Fatalf("the job never comes to %q", want)
		}
		w.kill()
		w.start()
	}
	w.lessonsTaken()
	w.slack.Slash("U1", "C1", "/maru", "memory export")
	var export string
	err := w.slack.Wait(within(t, atMost), func() bool {
		export = ""
		for _, m := range w.slack.Messages("D1", "") {
			for _, f := range w.slack.Uploaded(m) {
				export += string(f.Data)
			}
		}
		return strings.Contains(export, `"person"`)
	})
	if err != nil {
		t.Fatalf("no export: %s", export)
	}
	for _, value := range []string{`"value": "data"`, `"value": "Seoul"`, `"value": "tables"`, `"value": "buyer"`} {
		if !strings.Contains(export, value) {
			t.Errorf("the export lacks %s: %s", value, export)
		}
	}
	if n := strings.Count(export, `"session"`); n != 4 {
		t.Errorf("%d notes, want 4: %s", n, export)
	}
	if said := w.bots("C1", root); len(said) != 1 {
		t.Errorf("answered %d times: %q", len(said), said)
	}
}
