package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"maru/agent/llm/llmtest"
)

// listener is a program that is told how its requests ended. It takes nothing before it is ready.
type listener struct {
	mu     sync.Mutex
	ready  bool
	tried  int
	took   []status
	keys   []string
	server *httptest.Server
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{}
	l.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		var st status
		if l.tried++; !l.ready || json.NewDecoder(r.Body).Decode(&st) != nil {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		l.took, l.keys = append(l.took, st), append(l.keys, r.Header.Get("Idempotency-Key"))
	}))
	t.Cleanup(l.server.Close)
	return l
}

// has reports whether so many tries were made, and so many statuses taken.
func (l *listener) has(tried, took int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tried >= tried && len(l.took) >= took
}

func (l *listener) open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready = true
}

// TestApprovalDeskCallsBack: a program that is down when people decide is told once it is back, over a SIGKILL, with a receipt
// that is checked offline; one on the network within is not called unless the operator allows it.
func TestApprovalDeskCallsBack(t *testing.T) {
	t.Parallel()
	ci := newListener(t)
	w := newSlackWorld(t, brain(t), "MARU_SECRET_KEY="+sealingKey, "MARU_HTTP_INSIDE=127.0.0.0/8")
	w.start()
	token := w.token("U1", "deploys request")
	address := ci.server.URL + "/hook?key=callback-secret"
	code, st, _ := w.desk("POST", "/api/approvals", token, `{"title":"Deploy v1.4","text":"commit abc123","channel":"C1","people":["U2"],"callback":"`+address+`"}`)
	if code != http.StatusAccepted {
		t.Fatalf("%d %+v", code, st)
	}
	for _, bad := range []string{"ci.example.com", "file:///etc/passwd", "https://me:pw@ci.example.com"} {
		if code, got, _ := w.desk("POST", "/api/approvals", token, `{"title":"x","callback":"`+bad+`"}`); code != http.StatusUnprocessableEntity || !strings.Contains(got.Error.Text, "callback") {
			t.Errorf("%s: %d %+v", bad, code, got)
		}
	}
	card := w.requestCard("C1", "commit abc123")
	if ci.has(1, 0) {
		t.Error("the program is called before anybody decided")
	}
	w.press("U2", card, "Approve")
	awaits(t, "the program is not called", func() bool { return ci.has(2, 0) })
	w.kill()
	ci.open()
	w.start()
	awaits(t, "the program is not told", func() bool { return ci.has(1, 1) })
	w.settles()
	ci.mu.Lock()
	got, keys := ci.took[0], ci.keys
	ci.mu.Unlock()
	if got.ID != st.ID || got.State != "approved" || got.Receipt == "" || keys[0] != st.ID {
		t.Errorf("told %+v under %q", got, keys)
	}
	w.mu.Lock()
	if strings.Contains(w.log.String(), "callback-secret") {
		t.Error("the log has the address")
	}
	w.mu.Unlock()
	w.checksReceipt(got)
}

// TestApprovalDeskCallsNobodyInside: without MARU_HTTP_INSIDE an address of the own network is not dialled.
func TestApprovalDeskCallsNobodyInside(t *testing.T) {
	t.Parallel()
	ci := newListener(t)
	ci.open()
	w := newSlackWorld(t, brain(t), "MARU_SECRET_KEY="+sealingKey)
	w.start()
	token := w.token("U1", "deploys request")
	w.desk("POST", "/api/approvals", token, `{"title":"Deploy v1.4","text":"commit abc123","channel":"C1","people":["U2"],"callback":"`+ci.server.URL+`"}`)
	w.press("U2", w.requestCard("C1", "commit abc123"), "Approve")
	awaits(t, "the refused call is not in the log", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Contains(w.log.String(), "job will be retried")
	})
	if ci.has(1, 0) {
		t.Error("the program inside was called")
	}
}

// TestApprovalDeskCallsBackWithdrawn: a request that its program withdraws ends its card and is told to its callback, over
// a SIGKILL; one that was decided stays as it is.
func TestApprovalDeskCallsBackWithdrawn(t *testing.T) {
	t.Parallel()
	ci := newListener(t)
	w := newSlackWorld(t, brain(t), "MARU_SECRET_KEY="+sealingKey, "MARU_HTTP_INSIDE=127.0.0.0/8")
	w.start()
	token, other := w.token("U1", "deploys request"), w.token("U2", "others request")
	file := func(text string) status {
		t.Helper()
		code, st, _ := w.desk("POST", "/api/approvals", token, `{"title":"Deploy","text":"`+text+`","channel":"C1","people":["U2"],"callback":"`+ci.server.URL+`"}`)
		if code != http.StatusAccepted {
			t.Fatalf("%d %+v", code, st)
		}
		return st
	}
	first := file("commit abc123")
	card := w.requestCard("C1", "commit abc123")
	if code, _, _ := w.desk("DELETE", "/api/approvals/"+first.ID, other, ""); code != http.StatusNotFound {
		t.Errorf("somebody else's program withdrew it: %d", code)
	}
	if code, st, _ := w.desk("DELETE", "/api/approvals/"+first.ID, token, ""); code != http.StatusOK || st.State != "withdrawn" {
		t.Errorf("withdrawn: %d %+v", code, st)
	}
	w.settles()
	if code, st, _ := w.desk("GET", "/api/approvals/"+first.ID, token, ""); code != http.StatusOK || st.State != "withdrawn" {
		t.Errorf("%d %+v", code, st)
	}
	awaits(t, "the card still asks", func() bool {
		for _, m := range w.slack.Messages("C1", "") {
			if m.TS == card.TS {
				return len(m.Buttons()) == 0
			}
		}
		return false
	})
	w.kill()
	ci.open()
	w.start()
	awaits(t, "the program is not told", func() bool { return ci.has(1, 1) })
	ci.mu.Lock()
	if got := ci.took[0]; got.ID != first.ID || got.State != "withdrawn" || got.Receipt != "" {
		t.Errorf("told %+v", got)
	}
	ci.mu.Unlock()
	second := file("commit def456")
	w.press("U2", w.requestCard("C1", "commit def456"), "Approve")
	awaits(t, "the program is not told of the second", func() bool { return ci.has(2, 2) })
	if code, st, _ := w.desk("DELETE", "/api/approvals/"+second.ID, token, ""); code != http.StatusOK || st.State != "approved" {
		t.Errorf("a decided one: %d %+v", code, st)
	}
}

// TestARequestIsWithdrawnBeforeItIsAsked: a request that its program withdraws while no worker has begun it is never asked,
// and its callback is told.
func TestARequestIsWithdrawnBeforeItIsAsked(t *testing.T) {
	t.Parallel()
	ci := newListener(t)
	ci.open()
	asked, release := make(chan struct{}, 8), make(chan struct{})
	end := sync.OnceFunc(func() { close(release) })
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		asked <- struct{}{}
		<-release
		return think(r)
	})
	t.Cleanup(end)
	w := newSlackWorld(t, model, "MARU_SECRET_KEY="+sealingKey, "MARU_HTTP_INSIDE=127.0.0.0/8", "MARU_WORKERS=1")
	w.start()
	token := w.token("U1", "deploys request")
	w.slack.Say("U2", "C1", "<@UBOT> tell me a story", "")
	<-asked // the only worker waits for the model
	_, st, _ := w.desk("POST", "/api/approvals", token, `{"title":"Deploy","text":"commit abc123","channel":"C1","people":["U2"],"callback":"`+ci.server.URL+`"}`)
	if code, got, _ := w.desk("DELETE", "/api/approvals/"+st.ID, token, ""); code != http.StatusOK || got.State != "withdrawn" {
		t.Errorf("withdrawn: %d %+v", code, got)
	}
	end()
	awaits(t, "the program is not told", func() bool { return ci.has(1, 1) })
	w.settles()
	ci.mu.Lock()
	if got := ci.took[0]; got.ID != st.ID || got.State != "withdrawn" || got.Receipt != "" {
		t.Errorf("told %+v", got)
	}
	ci.mu.Unlock()
	for _, m := range w.slack.Messages("C1", "") {
		if strings.Contains(m.Text+string(m.Blocks), "abc123") {
			t.Errorf("a withdrawn request is asked: %s", m.Text)
		}
	}
}
