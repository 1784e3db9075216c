package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestApproveOverHTTP runs a workflow that asks, follows it by its events, and
// approves it over HTTP after a kill -9: the first decision counts.
func TestApproveOverHTTP(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "announce.json"), []byte(announcement), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test", "MARU_WORKFLOWS="+dir, "MARU_AGENT=announce")
	p.start()
	p.tell("t1", "lunch at noon")
	var run string
	for deadline := time.Now().Add(20 * time.Second); run == "" && time.Now().Before(deadline); {
		for _, l := range p.lines("t1") {
			var line struct {
				Card struct {
					Run     string            `json:"run"`
					Buttons []json.RawMessage `json:"buttons"`
				} `json:"card"`
			}
			if json.Unmarshal([]byte(l), &line) == nil && len(line.Card.Buttons) == 2 {
				run = line.Card.Run
			}
		}
	}
	if run == "" {
		t.Fatalf("no card asks: %q", p.lines("t1"))
	}
	p.kill()
	p.start()
	events := p.follow(run)
	events("START", run)
	events("HUMAN_INPUT_REQUIRED", "Announce this?")
	decide := func(body string) (int, string) {
		var out json.RawMessage
		code := p.api("POST", "/api/runs/"+run+"/approve", strings.NewReader(body), "application/json", &out)
		return code, string(out)
	}
	if code, out := decide(`{"action":"reject","ACTION":"approve"}`); code != http.StatusBadRequest {
		t.Errorf("a doubled member: %d %s", code, out)
	}
	if code, out := decide(`{"action":"skip"}`); code != http.StatusNotFound {
		t.Errorf("an unknown action: %d %s", code, out)
	}
	if code, out := decide(`{"action":"approve"}`); code != http.StatusOK || !strings.Contains(out, `"decided"`) {
		t.Fatalf("approve: %d %s", code, out)
	}
	if code, out := decide(`{"action":"reject"}`); code != http.StatusConflict || !strings.Contains(out, "approved") {
		t.Errorf("the second decision: %d %s", code, out)
	}
	events("END", "Announced: lunch at noon")
	p.hears("t1", 2, "Announced: lunch at noon")
}

// follow opens a run's events; the returned func waits for one of a name with
// this in it.
func (p *program) follow(run string) func(name, part string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 30*time.Second)
	p.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.addr+"/api/runs/"+run+"/events", http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return func(name, part string) {
		p.t.Helper()
		event := ""
		for lines.Scan() {
			if v, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				event = v
			}
			if v, ok := strings.CutPrefix(lines.Text(), "data: "); ok && event == name {
				if !strings.Contains(v, part) {
					p.t.Fatalf("%s says %s, want %q", name, v, part)
				}
				return
			}
		}
		p.t.Fatalf("no %s came: %v", name, lines.Err())
	}
}
