package main

import (
	"strings"
	"testing"
)

// TestALongThreadIsAnsweredAsAShortOne holds a conversation far beyond the window on
// embedded defaults: the handbook answers each time as it did at first, and what the
// person said about themselves at the beginning is still known.
func TestALongThreadIsAnsweredAsAShortOne(t *testing.T) {
	t.Parallel()
	const asked, day, name = "연차는 며칠이야?", "15일의 연차", "내 이름이 뭐라고 했지?"
	lines := []string{"내 이름은 철수야"}
	for range 14 {
		lines = append(lines, asked, "How many days of annual leave do I get?")
	}
	lines = append(lines, name)
	code, out, errs := runHere(t, strings.Join(lines, "\n")+"\n", []string{"DATA_DIR=" + t.TempDir()}, "chat", "--thread", "long")
	if code != exitOK {
		t.Fatalf("code %d: %s", code, errs)
	}
	if ko, en := strings.Count(out, day), strings.Count(out, "15 days of annual leave every year"); ko != 14 || en != 14 {
		t.Errorf("%d and %d of 14 answers hold the handbook's sentence:\n%s", ko, en, out)
	}
	if !strings.Contains(out, "철수라고 하셨어요") {
		t.Errorf("the name is forgotten: %s", out[max(0, len(out)-500):])
	}
}
