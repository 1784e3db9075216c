package agent_test

import (
	"testing"
	"time"

	"maru/agent"
)

func TestClock(t *testing.T) {
	t.Parallel()
	evening := time.Date(2026, 11, 21, 17, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"Asia/Seoul": "Sunday 02:00", "America/New_York": "Saturday 12:00", "": "Saturday 17:00", "Mars/Base": "Saturday 17:00",
	} {
		if got := (agent.User{TimeZone: zone}).Clock(evening).Format("Monday 15:04"); got != want {
			t.Errorf("%q: %s, want %s", zone, got, want)
		}
	}
}

func BenchmarkClock(b *testing.B) {
	u, now := agent.User{TimeZone: "Asia/Seoul"}, time.Now()
	for b.Loop() {
		u.Clock(now)
	}
}
