package library_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/logtest"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/local"
)

// TestTeamSynonyms: a team's list finds its documents at once after a change, exact words stay first, and a list that
// became faulty changes nothing but the log.
func TestTeamSynonyms(t *testing.T) {
	t.Parallel()
	file, log, now := filepath.Join(t.TempDir(), "synonyms.txt"), &logtest.Log{}, time.Now()
	write := func(text string) {
		t.Helper()
		now = now.Add(time.Minute)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now, now); err != nil {
			t.Fatal(err)
		}
	}
	write("# nothing yet\n")
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	lib := library.New(library.Config{Index: x, Loader: load.New(load.Config{}), Now: func() time.Time { return now }, MaxFile: 1 << 20, Synonyms: file, Log: log.Logger()})
	for name, text := range map[string]string{
		"refresh.md": "# 리프레시\n\n안식월은 5년 근속하면 30일을 준다.\n", "on-call.md": "# 당직\n\n당직 근무자는 다음 날 쉰다.\n",
		"kudos.md": "# 칭찬\n\n별사탕은 한 달에 10개를 동료에게 보낼 수 있다.\n", "parking.md": "# 주차\n\n주차는 지하 2층에 한다.\n",
		"canteen.md": "# 식당\n\n식당은 12시에 연다.\n", "sweets.md": "# 간식\n\n간식과 사탕은 탕비실에 있다.\n",
	} {
		if _, err := lib.Add(t.Context(), bot.NewDocument{Scope: bot.ScopePublic, Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	first := func(question string) string {
		t.Helper()
		hits, err := lib.Search(t.Context(), rag.Query{Text: question, Scopes: []string{bot.ScopePublic}})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 {
			return ""
		}
		return hits[0].Document.Source
	}
	expect := func(when string, want map[string]string) {
		t.Helper()
		for question, w := range want {
			if got := first(question); got != w {
				t.Errorf("%s: %s leads to %q, want %q", when, question, got, w)
			}
		}
	}
	expect("without a list", map[string]string{"슈퍼먼스는 며칠이야?": "", "하트포인트는 몇 개야?": "", "간식은 어디에 있어?": "sweets.md"})
	write("안식월, 슈퍼먼스\n별사탕, 하트포인트, 간식\n")
	expect("with it", map[string]string{
		"슈퍼먼스는 며칠이야?": "refresh.md", "하트포인트는 몇 개야?": "kudos.md",
		"간식은 어디에 있어?": "sweets.md", // the word itself, though 별사탕 is as rare
	})
	write("안식월, 슈퍼먼스\n별사탕\n하트포인트 >\n")
	expect("with a faulty one", map[string]string{"슈퍼먼스는 며칠이야?": "refresh.md", "하트포인트는 몇 개야?": "kudos.md"})
	if said := log.String(); !strings.Contains(said, "line 2") || !strings.Contains(said, "line 3") {
		t.Errorf("the log says %q", said)
	}
	if err := library.New(library.Config{Synonyms: file, Now: time.Now}).CheckSynonyms(); err == nil || !strings.Contains(err.Error(), "MARU_SYNONYMS") || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("at start: %v", err)
	}
}

// TestRelated: where a question's words lead nowhere, everyday synonyms and the other language's words do.
func TestRelated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "leave.md", "# Annual leave\n\nEverybody has 15 days of annual leave a year. Unused days carry over until March.\n")
	w.put(t, "pay.md", "# Pay\n\nPayday is the 25th of each month.\n")
	w.put(t, "비품.md", "# 비품 안내\n\n노트북 고장은 총무팀에 알린다.\n")
	for question, want := range map[string]string{"연차 이월": "leave.md", "월급날이 언제야?": "pay.md", "laptop broken": "비품.md", "등산 동호회": ""} {
		if got, _, _ := strings.Cut(w.settled(t, question), " "); got != want {
			t.Errorf("%s: found %q, want %q", question, got, want)
		}
	}
}
