package discord

import (
	"testing"
	"time"
)

func TestCrashLoopDoesNotBurnIdentifies(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	a, err := New(Config{Token: "t", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	var all []time.Time
	end := now.Add(24 * time.Hour)
	for now.Before(end) { // started again at once, for a day
		var spent []int64
		for _, s := range all {
			if now.Sub(s) < time.Hour {
				spent = append(spent, s.UnixMilli())
			}
		}
		if d := a.identifyPause(spent); d > 0 {
			now = now.Add(d)
			continue
		}
		all = append(all, now)
		now = now.Add(100 * time.Millisecond)
	}
	if len(all) > 24*maxIdentifies+1 {
		t.Errorf("%d identifies in a day", len(all))
	}
	for i := range all {
		if i >= maxIdentifies && all[i].Sub(all[i-maxIdentifies]) < time.Hour {
			t.Fatalf("more than %d identifies within an hour", maxIdentifies)
		}
	}
}
