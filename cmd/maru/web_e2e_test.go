package main

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"
)

// api calls the console's doors for programs and decodes the answer.
func (p *program) api(method, path string, body io.Reader, kind string, out any) int {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, "http://"+p.addr+path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("X-Maru-Client", "test")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if out != nil && len(raw) > 0 {
		if err := json.Unmarshal(raw, out); err != nil {
			p.t.Fatalf("%s %s: %v: %s", method, path, err, raw)
		}
	}
	return resp.StatusCode
}

func (p *program) tell(thread, text string) {
	p.t.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		p.t.Fatal(err)
	}
	var out json.RawMessage
	if code := p.api("POST", "/api/threads/"+thread+"/messages", bytes.NewReader(body), "application/json", &out); code >= 300 {
		p.t.Fatalf("say: %d %s", code, out)
	}
}

// lines returns a thread as the console shows it.
func (p *program) lines(thread string) []string {
	p.t.Helper()
	var out struct {
		Lines []json.RawMessage `json:"lines"`
	}
	p.api("GET", "/api/threads/"+thread, http.NoBody, "", &out)
	lines := make([]string, len(out.Lines))
	for i, l := range out.Lines {
		lines[i] = string(l)
	}
	return lines
}

// hears waits until the n-th line of a thread is final and contains text, and
// returns it.
func (p *program) hears(thread string, n int, text string) string {
	p.t.Helper()
	var lines []string
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline); {
		lines = p.lines(thread)
		if len(lines) >= n && strings.Contains(lines[n-1], text) && strings.Contains(lines[n-1], `"final":true`) {
			return lines[n-1]
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.t.Fatalf("line %d of %s does not come to contain %q: %s", n, thread, text, lines)
	return ""
}

func TestNewcomersFirstMinutes(t *testing.T) {
	t.Parallel()
	unraced(t)
	p := newProgram(t, defaults...)
	p.start()
	if code, page := p.get("/"); code != http.StatusOK || !strings.Contains(page, "<html") {
		t.Fatalf("the console answers %d", code)
	}
	p.tell("first", "연차는 며칠이야?")
	answer := p.hears("first", 2, "15일")
	if !strings.Contains(answer, "연차") || !strings.Contains(answer, "chunk") {
		t.Errorf("the answer shows no source: %s", answer)
	}
	p.tell("second", "How many days of annual leave do I have?")
	p.hears("second", 2, "15 days")

	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "picnic.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, "# Picnic\n\nThe summer picnic takes place on 14 July at Lake Hwarang.\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var added json.RawMessage
	if code := p.api("POST", "/api/documents?thread=first", &form, w.FormDataContentType(), &added); code >= 300 {
		t.Fatalf("upload: %d %s", code, added)
	}
	p.tell("third", "When does the summer picnic take place?")
	p.hears("third", 2, "14 July")

	if err := p.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	p.start()
	p.hears("first", 2, "15일")
	var list struct {
		Threads []struct{ ID, Title string } `json:"threads"`
	}
	p.api("GET", "/api/threads", http.NoBody, "", &list)
	if len(list.Threads) != 3 {
		t.Errorf("after the restart the console lists %+v", list.Threads)
	}
}

func TestProbesAndMetrics(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.start()
	p.tell("one", "안녕")
	p.hears("one", 2, "")
	var metrics string
	// The answer is seen a moment before it is recorded and counted.
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if metrics = p.operator("/metrics"); strings.Contains(metrics, `outcome="done"`) && strings.Contains(metrics, "maru_inbox_depth 0") {
			break
		}
	}
	for _, want := range []string{
		`maru_events_received_total{platform="web",result="new"} 1`,
		`maru_runs_finished_total{agent="chat",outcome="done"} 1`,
		`maru_model_calls_total{model="maru-extractive",purpose="answer"} 1`,
		"maru_inbox_depth 0",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if state := p.operator("/readyz?verbose"); !strings.Contains(state, `"record":"ok"`) {
		t.Errorf("readyz: %s", state)
	}
	for _, path := range []string{"/livez", "/readyz"} {
		if code, body := p.get(path); code != http.StatusOK {
			t.Errorf("%s answers %d %s", path, code, body)
		}
	}
}

// operator fetches from the operator's listener.
func (p *program) operator(path string) string {
	p.t.Helper()
	main := p.addr
	p.addr = p.admin
	defer func() { p.addr = main }()
	_, body := p.get(path)
	return body
}
