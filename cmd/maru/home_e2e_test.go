package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlackHome opens a person's Home: it shows what is theirs, a decision made
// there counts, and a setting is changed there.
func TestSlackHome(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "announce.json"), []byte(announcement), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newSlackWorld(t, brain(t), "MARU_WORKFLOWS="+dir, "MARU_AGENT=announce")
	w.start()
	shows := func(user string, wants ...string) {
		t.Helper()
		err := w.slack.Wait(within(t, atMost), func() bool {
			home := w.slack.Home(user)
			for _, want := range wants {
				if !strings.Contains(home, want) {
					return false
				}
			}
			return true
		})
		if err != nil {
			t.Fatalf("the Home of %s shows %q, want %q", user, w.slack.Home(user), wants)
		}
	}
	root := w.slack.Say("U2", "C1", "<@UBOT> lunch at noon", "")
	w.await("C1", root, 1, "Announce this?")
	w.lessonsTaken()                // a page lists a question once its card is known to stand
	w.slack.OpenHomeTab("U1", "D1") // may not decide what U2 asked
	shows("U1", "마루가 하는 일", "내 설정", "기다리는 것이 없어요", "최근 실행", "문서")
	w.slack.OpenHomeTab("U2", "D2")
	shows("U2", "What Maru does", "Announce this?", "Answer language: The language each person writes in")
	if _, err := w.slack.ClickHome("U2", "Approve"); err != nil {
		t.Fatal(err)
	}
	w.await("C1", root, 2, "Announced: lunch at noon")
	shows("U2", "Nothing is waiting")
	if _, err := w.slack.ClickHome("U2", "Change"); err != nil {
		t.Fatal(err)
	}
	var form string
	if err := w.slack.Wait(within(t, atMost), func() bool {
		v, ok := w.slack.LastView()
		form = v.ID
		return ok && v.Open
	}); err != nil {
		t.Fatal("no form opens")
	}
	if _, err := w.slack.Submit("U2", form, map[string]string{"language": "ko", "memory": "on", "memory_share": "off"}); err != nil {
		t.Fatal(err)
	}
	shows("U2", "Saved: language", "답변 언어: 한국어 (나)")
}
