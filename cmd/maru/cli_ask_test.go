package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAskFromTheShell(t *testing.T) {
	t.Parallel()
	unraced(t)
	env := []string{"DATA_DIR=" + t.TempDir(), "LANG=ko_KR.UTF-8"}
	code, stdout, stderr := runHere(t, "", env, "ask", "--json", "연차는 며칠이야?")
	var out struct {
		Answer  string `json:"answer"`
		Sources []struct{ Title string }
		Usage   struct{ Calls int }
	}
	if err := json.Unmarshal([]byte(stdout), &out); code != 0 || err != nil {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if !strings.Contains(out.Answer, "15일") || len(out.Sources) == 0 || out.Usage.Calls != 1 {
		t.Errorf("answer: %+v", out)
	}
	code, stdout, stderr = runHere(t, "", env, "usage")
	if code != 0 || !strings.Contains(stdout, ",chat,1,0,") {
		t.Errorf("usage: exit %d: %s%s", code, stdout, stderr)
	}
	code, stdout, _ = runHere(t, "12.5 * 8은?", env, "ask", "-")
	if code != 0 || !strings.Contains(stdout, "100") {
		t.Errorf("exit %d: %s", code, stdout)
	}
	for range 2 { // a conversation over two processes
		code, stdout, _ = runHere(t, "", env, "ask", "--thread", "me", "내 이름은 철수야")
	}
	if n := strings.Count(stdout, "철수"); code != 0 || n > 1 {
		t.Errorf("an earlier answer is printed again: %s", stdout)
	}
	if code, stdout, _ = runHere(t, "", env, "ask", "/docs"); code != 0 || !strings.Contains(stdout, "annual-leave.md") {
		t.Errorf("a command: exit code %d, %q", code, stdout)
	}
	_, stdout, _ = runHere(t, "", env, "ask", "--thread", "me", "내 이름이 뭐라고 했지?")
	if !strings.Contains(stdout, "철수") {
		t.Errorf("the name is forgotten: %s", stdout)
	}
}

// TestAskBesideARunningProgram: the running program answers, in the caller's language and with their exit codes; a conversation is
// remembered, and a reminder in it waits until somebody is there to see it.
func TestAskBesideARunningProgram(t *testing.T) {
	t.Parallel()
	unraced(t)
	p := newProgram(t, "MARU_WEB_PASSWORD=a long password")
	env := []string{"DATA_DIR=" + p.dir + "/data", "MARU_HANDBOOK=false", "MARU_PYTHON=off", "LANG=en_US.UTF-8"}
	p.start()
	for _, c := range []struct {
		stdin       string
		args        []string
		code        int
		out, errors string
	}{
		{args: []string{"12.5 * 8"}, out: "100"},
		{args: []string{"--json", "12.5 * 8"}, out: `"answer":"`},
		{stdin: "12.5 * 8", args: []string{"-"}, out: "100"},
		{args: []string{"/memory"}, out: "remember"},
		{args: []string{"--", "/schedule"}, out: "Nothing is scheduled"},
		{args: []string{"/schedule 99 9 * * 1 post"}, code: 1, out: "isn't a cron expression"},
		{args: []string{" "}, code: 2, errors: "No question given"},
		{args: []string{"--json", ""}, code: 2, out: `"error":"No question given`},
		{args: []string{"/dosc"}, code: 2, out: "I don't know that command"},
		{args: []string{"--thread", "t", "--json", "/docs forget"}, code: 1, out: `"error":"`},
	} {
		code, stdout, stderr := runHere(t, c.stdin, env, append([]string{"ask"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.out) || !strings.Contains(stderr, c.errors) {
			t.Errorf("%q: exit %d, %s, %s", c.args, code, stdout, stderr)
		}
	}
	if _, stdout, stderr := runHere(t, "", append(env[:3:3], "LANG=ko_KR.UTF-8"), "ask", "/schedule"); !strings.Contains(stdout, "예약이 없어요") {
		t.Errorf("in Korean: %s%s", stdout, stderr)
	}
	for _, other := range [][]string{{"MARU_AGENT=orchestrator"}, nil} { // settings that would be dropped
		args := []string{"ask", "12.5 * 8"}
		if other == nil {
			args = append(args, "--agent", "orchestrator")
		}
		if code, stdout, stderr := runHere(t, "", append(env[:len(env):len(env)], other...), args...); code != exitUsage || !strings.Contains(stderr, "differ: MARU_AGENT;") {
			t.Errorf("with %q: exit %d, %s%s", other, code, stdout, stderr)
		}
	}
	var all sync.WaitGroup
	for n := range 4 { // in one conversation, and beside each other
		all.Go(func() {
			sum := fmt.Sprintf("%d * 1000", n+1)
			if code, stdout, stderr := runHere(t, "", env, "ask", "--thread", []string{"same", "same", "x", "y"}[n], sum); code != 0 || !strings.Contains(strings.ReplaceAll(stdout, ",", ""), fmt.Sprint((n+1)*1000)) {
				t.Errorf("%s: exit %d, %s%s", sum, code, stdout, stderr)
			}
		})
	}
	all.Wait()
	if code, stdout, stderr := runHere(t, "12.5 * 8\n/quit\n", env, "chat", "--thread", "desk"); code != 0 || !strings.Contains(stdout, "100") || !strings.Contains(stdout, "See you.") {
		t.Errorf("a conversation: exit %d, %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := runHere(t, "", env, "ask", "remind me in 2 seconds to stretch"); code != 0 || !strings.Contains(stdout, "opens it with `maru chat --thread ask-") {
		t.Errorf("a reminder: exit %d, %s%s", code, stdout, stderr)
	}
	time.Sleep(4 * time.Second)
	if _, stdout, stderr := runHere(t, "", env, "ask", "/schedule"); !strings.Contains(stdout, "stretch") { // nobody was there to see it
		t.Errorf("the reminder is gone: %s%s", stdout, stderr)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	if code, stdout, stderr := runHere(t, "", env, "ask", "12.5 * 8"); code != 0 || !strings.Contains(stdout, "100") {
		t.Errorf("without it: exit %d, %s%s", code, stdout, stderr)
	}
}

// TestSourcesAreInTheLanguageOfTheAnswer holds that a Korean question in an
// English terminal is answered in Korean to the end.
func TestSourcesAreInTheLanguageOfTheAnswer(t *testing.T) {
	t.Parallel()
	unraced(t)
	for lang, c := range map[string]struct{ question, want, not string }{
		"en_US.UTF-8": {"연차는 며칠이야?", "출처", "Sources"},
		"ko_KR.UTF-8": {"How many days of annual leave do I have?", "Sources", "출처"},
	} {
		code, stdout, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir(), "LANG=" + lang}, "ask", c.question)
		if code != 0 || !strings.Contains(stdout, c.want) || strings.Contains(stdout, c.not) {
			t.Errorf("%s: exit %d, %s%s", c.question, code, stdout, stderr)
		}
	}
}

// TestAskBesideASilentServer: a question is answered without MCP servers that say nothing or refuse connections, and the person is
// told which ones they are.
func TestAskBesideASilentServer(t *testing.T) {
	t.Parallel()
	unraced(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // the system takes connections until then
	file := filepath.Join(t.TempDir(), "maru.yaml")
	servers := "mcp:\n  - name: slowpoke\n    url: http://" + l.Addr().String() + "/mcp\n  - name: refuser\n    url: http://127.0.0.1:1/mcp\n"
	if err := os.WriteFile(file, []byte(servers), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"DATA_DIR=" + t.TempDir(), "MARU_CONFIG=" + file, "LANG=ko_KR.UTF-8"}
	code, stdout, stderr := runHere(t, "", env, "ask", "연차는 며칠이야?")
	if code != 0 || !strings.Contains(stdout, "15일") || !strings.Contains(stderr, "slowpoke, refuser에 연결하지 못해서") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
