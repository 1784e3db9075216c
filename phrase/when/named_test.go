package when_test

import (
	"strings"
	"testing"
	"time"

	"maru/phrase/when"
)

// TestNamed: a deadline, both ends of a range and a day that began before now are moments too.
func TestNamed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{"금요일까지": "12-04", "이달 말까지": "11-30", "내일부터 모레까지": "12-01 12-02", "다음 주말": "12-12 12-13", "회의": ""} {
		at, _ := when.Named(text, now)
		var got []string
		for _, a := range at {
			if day := a.Format("01-02"); !strings.Contains(strings.Join(got, " "), day) {
				got = append(got, day)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
	if _, rules := when.Named("every Friday at 5pm", now); len(rules) != 1 {
		t.Errorf("rules %v", rules)
	}
}
