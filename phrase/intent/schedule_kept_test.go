package intent_test

import (
	"testing"
	"time"

	"maru/phrase/intent"
	"maru/phrase/when"
)

// TestPurposeIsNoReminder leaves "so that I don't forget" out of what is said then, wherever it stands.
func TestPurposeIsNoReminder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 13, 16, 20, 0, time.UTC)
	for text, want := range map[string]string{
		"잊지 않게 내일 저녁 때 알려줘":                "",
		"내일 저녁에 안 까먹게 약 먹으라고 알려줘":          "약 먹기",
		"모레 점심에 김대리한테 전화하는 거 까먹지 않게 해줘":    "김대리한테 전화하는 거",
		"금요일 오후 5시에 보고서 제출하는 거 잊지 않도록 알려줘": "보고서 제출하는 거",
	} {
		r := when.Read(text, now)
		w, ok := intent.Schedules(intent.Timed{Rest: r.Rest, Before: r.Before, Repeats: r.Again, Exact: r.Exact, Lead: r.Lead, Tail: r.Tail, Ahead: r.Ahead, Particle: r.Particle})
		if !ok || !w.Reminds || w.Body != want {
			t.Errorf("%q: %v %+v, want %q", text, ok, w, want)
		}
	}
}
