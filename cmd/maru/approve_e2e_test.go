package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
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
	run := p.asked("t1")
	p.kill()
	p.start()
	events := p.follow(run)
	events("START", run)
	events("HUMAN_INPUT_REQUIRED", `"actions":[{"verb":"accept","label":"`)
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

// TestCommentsInChat decides a workflow's approval in words: the comment is what is behind the
// decision, as over HTTP, and words that decide nothing begin no second run.
func TestCommentsInChat(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	loud := strings.Replace(strings.Replace(announcement, "Kept to ourselves.", "Kept: {{metadata.approval_approve.comment}}", 1), "Announced: {{input}}", "Announced: {{metadata.approval_approve.comment}}", 1)
	if err := os.WriteFile(filepath.Join(dir, "announce.json"), []byte(loud), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test", "MARU_WORKFLOWS="+dir, "MARU_AGENT=announce")
	p.start()
	for thread, c := range map[string]struct{ words, want string }{
		"t1": {"거절 더 짧게 써줘", "Kept: 더 짧게 써줘"}, "t2": {"no, make it shorter", "Kept: make it shorter"}, "t3": {"승인: 잘 썼어요", "Announced: 잘 썼어요"},
	} {
		p.tell(thread, "점심은 12시")
		p.asked(thread)
		p.tell(thread, "더 짧게 써줘")
		p.hears(thread, 4, "중 하나로 답하거나")
		p.tell(thread, c.words)
		for deadline := time.Now().Add(atMost); !strings.Contains(strings.Join(p.lines(thread), " "), `"text":"`+c.want+`"`); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%q: %q", c.words, p.lines(thread))
			}
		}
	}
}

// asked waits until a card of the thread asks, and returns its run.
func (p *program) asked(thread string) string {
	p.t.Helper()
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline); {
		for _, l := range p.lines(thread) {
			var line struct {
				Card struct {
					Run     string            `json:"run"`
					Buttons []json.RawMessage `json:"buttons"`
				} `json:"card"`
			}
			if json.Unmarshal([]byte(l), &line) == nil && len(line.Card.Buttons) >= 2 {
				return line.Card.Run
			}
		}
	}
	p.t.Fatalf("no card asks: %q", p.lines(thread))
	return ""
}

// TestTwoPeopleOnAConsoleOfOne has the rule of two people where there is one: the
// card says how a second one agrees, and the holder of a token does.
func TestTwoPeopleOnAConsoleOfOne(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	settings := filepath.Join(dir, "maru.yaml")
	for path, text := range map[string]string{
		filepath.Join(dir, "announce.json"): announcement, filepath.Join(dir, "ci"): "ci-token-of-twenty-and-more\n",
		settings: "tokens:\n  - {name: ci, token_FILE: " + filepath.Join(dir, "ci") + "}\n  - {name: guest, token: guest-token-of-twenty-and-more}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newProgram(t, "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test", "MARU_WORKFLOWS="+dir, "MARU_AGENT=announce",
		"MARU_CONFIG="+settings, "MARU_TWO_PEOPLE=true", "MARU_APPROVERS=web/local/ci")
	p.start()
	p.tell("t1", "점심은 12시")
	run := p.asked("t1")
	if card := strings.Join(p.lines("t1"), " "); !strings.Contains(card, "한 사람만 써서") || !strings.Contains(card, "/maru approve ") {
		t.Errorf("the card does not say how a second person agrees: %s", card)
	}
	decide := func(token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.addr+"/api/runs/"+run+"/approve", strings.NewReader(`{"action":"approve"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(raw)
	}
	for _, step := range []struct {
		who, token string
		code       int
		want       string
	}{
		{"a stranger's token", "guest-token-of-twenty-and-more", http.StatusForbidden, "not_allowed"},
		{"a wrong token", "ci-token-of-twenty-and-less", http.StatusUnauthorized, ""},
		{"the owner", "", http.StatusOK, `"pending"`},
		{"the owner again", "", http.StatusOK, `"pending"`},
		{"second approval", "ci-token-of-twenty-and-more", http.StatusOK, `"decided"`},
	} {
		if code, out := decide(step.token); code != step.code || !strings.Contains(out, step.want) {
			t.Errorf("%s: %d %s", step.who, code, out)
		}
	}
	p.hears("t1", 2, "Announced: 점심은 12시")
}

// follow opens a run's events; the returned func waits for one of a name with
// this in it.
func (p *program) follow(run string) func(name, part string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), atMost)
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
