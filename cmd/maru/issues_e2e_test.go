package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/bot"
	"maru/rag/local"
	"maru/rag/source/github/githubfake"
)

// TestSlackIssuesOverKills kills the program with SIGKILL while it reads the issues of a repository: none is lost and none
// is there twice. A changed issue is read again, a revoked token is told in the reader's language, and both keep the rest.
func TestSlackIssuesOverKills(t *testing.T) {
	t.Parallel()
	const issues = 150
	hub := githubfake.New(t, "hub-token")
	hub.Import(1, issues)
	hub.Set(issues, "VPN이 끊겨요", "회의실에서 VPN이 10분마다 끊겨요.")
	hub.Comment(issues, "공유기 펌웨어를 4.2로 올리면 해결돼요.")
	hub.Pull(issues + 1)
	file := filepath.Join(t.TempDir(), "maru.yaml")
	must(t, "write", os.WriteFile(file, []byte("sources:\n  - {name: bugs, github: \""+hub.Repository()+"\", token: hub-token}\n"), 0o600))
	w := newSlackWorld(t, brain(t), "MARU_CONFIG="+file, "MARU_HTTP_INSIDE=127.0.0.0/8")
	asked := 0
	for _, n := range []int{20, 70} {
		w.start()
		awaits(t, "the issues are not read", func() bool {
			list, _ := hub.Asked()
			asked += len(list)
			return asked > n
		})
		w.kill()
	}
	w.start()
	says := func(user, words, text string) {
		t.Helper()
		awaits(t, fmt.Sprintf("/maru %s does not say %q", words, text), func() bool {
			before := len(w.slack.Whispers(user))
			w.slack.Slash(user, "C2", "/maru", words)
			awaits(t, "no answer to /maru "+words, func() bool { return len(w.slack.Whispers(user)) > before })
			return strings.Contains(bare(w.slack.Whispers(user)[before].Shown()), text)
		})
	}
	says("U1", "sources", fmt.Sprintf("문서 %d개 · ", issues))
	root := w.slack.Say("U1", "C2", "<@UBOT> 회의실 VPN이 끊기는 건 어떻게 해결해?", "")
	// A streamed answer has its sources in its blocks alone, one that came at once in its text too.
	awaits(t, "the answer does not link to the issue", func() bool {
		shown := ""
		for _, m := range w.slack.Messages("C2", root) {
			shown += string(m.Blocks)
		}
		return strings.Contains(shown, "[1] ") && strings.Contains(shown, hub.Page(issues)+"|VPN이 끊겨요 (#150)")
	})
	hub.Comment(issues, "펌웨어 4.3에서는 다시 끊겨서 4.2로 되돌렸어요.")
	hub.Demand("another-token")
	says("U1", "sources sync bugs", "지금 확인하고 있어요")
	says("U1", "sources", "접근을 거절했어요")
	hub.Demand("hub-token")
	says("U1", "sources sync bugs", "지금 확인하고 있어요")
	says("U1", "sources", "맞춰 둠")
	must(t, "stop", w.stop())
	index, err := local.Open(t.Context(), local.Config{Dir: filepath.Join(w.dir, "data", "index"), Log: slog.New(slog.DiscardHandler)})
	must(t, "open the index", err)
	defer index.Close()
	docs, err := index.Documents(t.Context(), []string{bot.ScopePublic})
	must(t, "list", err)
	seen := map[string]bool{}
	text := ""
	for _, d := range docs {
		seen[d.URL] = true
		if d.URL != hub.Page(issues) {
			continue
		}
		chunks, _, err := index.Passages(t.Context(), []string{d.Scope}, d.ID, 0, 100)
		must(t, "read", err)
		for _, c := range chunks {
			text += c.Text
		}
	}
	if len(docs) != issues || len(seen) != issues || !strings.Contains(text, "되돌렸어요") {
		t.Errorf("%d documents of %d addresses, want %d; %s", len(docs), len(seen), issues, text)
	}
}
