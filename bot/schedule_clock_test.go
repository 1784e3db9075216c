package bot_test

import (
	"testing"
	"time"
)

// TestClockJumps lets the machine's clock jump, and New York's change over: each due time has one run.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	ny, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04:05", text, ny)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := at("2027-11-07 01:30:30") // in summer time
	for _, c := range []struct {
		name, cron string
		from       time.Time
		clock      []time.Time
		runs       []int // after each of them
	}{
		{"three_hours_forward_and_right_again", "0 9 * * *", at("2027-06-01 06:30:00"),
			[]time.Time{at("2027-06-01 09:30:00"), at("2027-06-01 06:31:00"), at("2027-06-01 09:00:01"), at("2027-06-02 09:00:01")}, []int{1, 1, 1, 2}},
		{"three_hours_forward_over_an_hourly_one", "0 * * * *", at("2027-06-01 06:30:00"),
			[]time.Time{at("2027-06-01 09:30:00"), at("2027-06-01 10:00:01")}, []int{1, 2}},
		{"two_hours_back", "0 9 * * *", at("2027-06-01 08:59:00"),
			[]time.Time{at("2027-06-01 09:00:01"), at("2027-06-01 07:00:00"), at("2027-06-01 08:59:59"), at("2027-06-01 09:00:02"), at("2027-06-02 09:00:01")}, []int{1, 1, 1, 1, 2}},
		{"summer_time_begins", "30 2 * * *", at("2027-03-13 12:00:00"),
			[]time.Time{at("2027-03-14 01:59:59"), at("2027-03-14 03:30:01"), at("2027-03-15 02:30:01")}, []int{0, 1, 2}},
		{"summer_time_ends", "30 1 * * *", at("2027-11-06 12:00:00"),
			[]time.Time{first, first.Add(time.Hour), first.Add(2 * time.Hour), at("2027-11-08 01:30:01")}, []int{1, 1, 1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, h := scheduled(t)
			h.to(c.from)
			put(t, w, "fake/T1/C1", "time_zone", "America/New_York")
			in := w.platform.Thread("C1", "t1")
			card := h.command(t, w, "U1", c.cron+" post the menu", in)
			h.click(t, w, "U1", *card, "confirm", in, nil)
			for i, now := range c.clock {
				h.to(now)
				waitUntil(t, "run", func() bool { return len(w.agent.asked()) >= c.runs[i] })
				w.settled()
				time.Sleep(50 * time.Millisecond) // several polls, which must not run it again
				if n := len(w.agent.asked()); n != c.runs[i] {
					t.Fatalf("%d runs at %v, want %d", n, now, c.runs[i])
				}
			}
		})
	}
}
