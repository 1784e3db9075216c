package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
)

// example returns the program of an example, in its folder, with data of the test's own.
func example(t *testing.T, name string, env ...string) *program {
	t.Helper()
	p := newProgram(t, append([]string{"MARU_CONFIG=maru.yaml", "GOCACHE=" + goEnv(t, "GOCACHE"), "GOMODCACHE=" + goEnv(t, "GOMODCACHE")}, env...)...)
	p.work = filepath.Join("..", "..", "examples", name)
	return p
}

// goEnv returns a setting of the go command, which an example's child process has no HOME to find.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	must(t, "go env", err)
	return strings.TrimSpace(string(out))
}

// TestExamplesAnswer starts every example as its page says and asks its first question, which the
// documents in its folder answer.
func TestExamplesAnswer(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, c := range map[string]struct{ question, answer string }{
		"handbook":  {"How long is the parking permit valid?", "six months"},
		"contracts": {"제3조 내용이 뭐야?", "대금은 총 4천만 원으로 한다"},
		"on-call":   {"What does the runbook say about a full disk?", "delete rotated logs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile(filepath.Join("..", "..", "examples", name, "README.md"))
			must(t, "page", err)
			if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), c.question) {
				t.Errorf("the page does not suggest %q", c.question)
			}
			p := example(t, name)
			p.start()
			answer := ""
			for n := 0; !strings.Contains(answer, c.answer); n++ { // the folder is indexed after the start
				if n > 100 {
					t.Fatalf("the answer is %s", answer)
				}
				thread := fmt.Sprint("t", n)
				p.tell(thread, c.question)
				answer = p.hears(thread, 2, "")
			}
		})
	}
}

// TestExampleAcknowledgesAfterAnApproval takes the on-call example through a plan and a step that
// writes: nothing is acknowledged before both are approved.
func TestExampleAcknowledgesAfterAnApproval(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	must(t, "copy", os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "on-call"))))
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "alerts-server"), "../../examples/on-call/server").CombinedOutput()
	if err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	settings, err := os.ReadFile(filepath.Join(dir, "maru.yaml"))
	must(t, "settings", err)
	built := strings.NewReplacer("command: go", "command: "+filepath.Join(dir, "alerts-server"), "run, ./server, ", "").Replace(string(settings))
	must(t, "settings", os.WriteFile(filepath.Join(dir, "maru.yaml"), []byte(built), 0o600))
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		switch {
		case r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil && r.ResponseFormat.JSONSchema.Name == "clarity":
			return llmtest.JSON(map[string]any{"score": 0.9, "questions": []any{}})
		case r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil && r.ResponseFormat.JSONSchema.Name == "plan":
			step := map[string]string{"text": "Acknowledge A-101", "detail": "", "tool": "alerts_acknowledge"}
			return llmtest.JSON(map[string]any{"title": "Acknowledge the disk alert", "why": "", "steps": []any{step}})
		case r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil:
			return planning(r.ResponseFormat.JSONSchema.Name, "")
		case len(r.Tools) == 1 && r.Messages[len(r.Messages)-1].Role != "tool":
			return llmtest.CallTool("alerts_acknowledge", `{"id":"A-101","note":"deleting rotated logs"}`)
		}
		return llmtest.Text("A-101 is acknowledged.")
	})
	p := newProgram(t, "MARU_CONFIG=maru.yaml", "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
	p.work = dir
	p.start()
	for deadline := time.Now().Add(atMost); !strings.Contains(p.operator("/metrics"), `maru_mcp_tools{server="alerts"} 2`); {
		if time.Now().After(deadline) {
			t.Fatal("the example's server has no tools")
		}
		time.Sleep(20 * time.Millisecond)
	}
	log := filepath.Join(dir, "alerts", "acknowledged.log")
	p.tell("t", "Acknowledge the disk alert and tell me what to do")
	for _, card := range []string{"Acknowledge the disk alert", "deleting rotated logs"} { // the second is a value of the call
		for deadline := time.Now().Add(atMost); !strings.Contains(strings.Join(p.lines("t"), "\n"), card); {
			if time.Now().After(deadline) {
				t.Fatalf("no card shows %q: %s", card, p.lines("t"))
			}
		}
		run := p.asked("t")
		if _, err := os.Stat(log); err == nil {
			t.Fatalf("the alert was acknowledged before the card %q was decided", card)
		}
		var decided any
		if code := p.api("POST", "/api/runs/"+run+"/approve", strings.NewReader(`{"action":"approve"}`), "application/json", &decided); code != http.StatusOK {
			t.Fatalf("approve: %d %v", code, decided)
		}
	}
	p.hears("t", 2, "A-101 is acknowledged.")
	if said, err := os.ReadFile(log); err != nil || strings.Count(string(said), `A-101 "deleting rotated logs"`) != 1 {
		t.Errorf("acknowledged: %q, %v", said, err)
	}
}
