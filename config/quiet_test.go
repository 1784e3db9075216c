package config_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"maru/config"
	"maru/phrase"
)

func TestHoursAreOverOnTheWall(t *testing.T) {
	t.Parallel()
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	york, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	twice := time.Date(2026, 11, 1, 5, 0, 0, 0, time.UTC).In(york) // one o'clock, and an hour later again
	at := func(zone *time.Location, day, hour, minute int) time.Time {
		return time.Date(2026, 3, day, hour, minute, 0, 0, zone)
	}
	for name, c := range map[string]struct {
		hours  string
		now    time.Time
		end    time.Time
		within bool
	}{
		"late in the evening":   {"22:00-08:00", at(seoul, 3, 23, 0), at(seoul, 4, 8, 0), true},
		"early in the morning":  {"22:00-08:00", at(seoul, 4, 7, 59), at(seoul, 4, 8, 0), true},
		"when they begin":       {"22:00-08:00", at(seoul, 3, 22, 0), at(seoul, 4, 8, 0), true},
		"when they end":         {"22:00-08:00", at(seoul, 4, 8, 0), time.Time{}, false},
		"at noon":               {"22:00-08:00", at(seoul, 4, 12, 0), time.Time{}, false},
		"over lunch":            {"12:00-13:30", at(seoul, 4, 13, 0), at(seoul, 4, 13, 30), true},
		"off":                   {"off", at(seoul, 4, 13, 0), time.Time{}, false},
		"a night of 23 hours":   {"22:00-08:00", at(berlin, 28, 23, 0), at(berlin, 29, 8, 0), true},
		"to the end of the day": {"20:00-00:00", at(seoul, 4, 21, 0), at(seoul, 5, 0, 0), true},
		"the end is skipped":    {"22:00-02:30", at(york, 8, 1, 59), at(york, 8, 3, 0), true},
		"and in Europe":         {"22:00-02:30", at(berlin, 29, 1, 59), at(berlin, 29, 3, 0), true},
		"a leap year ends":      {"22:00-08:00", time.Date(2040, 12, 30, 23, 0, 0, 0, berlin), time.Date(2040, 12, 31, 8, 0, 0, 0, berlin), true},
		"the end comes twice":   {"22:00-01:30", twice.Add(time.Hour), twice.Add(90 * time.Minute), true},
	} {
		h, err := config.ParseHours(c.hours)
		if err != nil {
			t.Fatal(err)
		}
		if end, within := h.Over(c.now); within != c.within || !end.Equal(c.end) {
			t.Errorf("%s: %v, %v; want %v, %v", name, end, within, c.end, c.within)
		}
	}
}

// TestHoursAsPeopleWriteThem reads them in several ways, and nothing that is no time.
func TestHoursAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"22:00-08:00": "22:00-08:00", "22-8": "22:00-08:00", "22:00 - 8:00": "22:00-08:00", "22:00~08:00": "22:00-08:00", "22:00—08:00": "22:00-08:00",
		"10pm-8am": "22:00-08:00", "10:30 PM to 8 AM": "22:30-08:00", "12am-12pm": "00:00-12:00", "22h until 8h": "22:00-08:00",
		"22시-8시": "22:00-08:00", "22시부터 8시까지": "22:00-08:00", "22:30에서 08:00까지": "22:30-08:00", "22:00-24:00": "22:00-00:00",
		"OFF": "off", "": "off",
		"25:00-08:00": "", "22:60-08:00": "", "13pm-8am": "", "0am-8am": "", "24:30-8": "", "22": "", "22-": "", "8-8": "", "00:00-24:00": "", "22-8-9": "", "-22-8": "", "밤부터 아침까지": "",
	} {
		h, err := config.ParseHours(text)
		if got := h.String(); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q is read as %s, %v; want %q", text, got, err, want)
		}
	}
}

// TestQuietHoursEnd holds that the end of quiet hours is never in them, always to
// come within two days, and that it is quiet until then: also on days on which
// clocks are changed, at whatever hour.
func TestQuietHoursEnd(t *testing.T) {
	t.Parallel()
	minute := rapid.IntRange(0, 24*60-1)
	rapid.Check(t, func(t *rapid.T) {
		h := config.Hours{From: time.Duration(minute.Draw(t, "from")) * time.Minute, To: time.Duration(minute.Draw(t, "to")) * time.Minute}
		if h.From == h.To {
			return
		}
		again, err := config.ParseHours(h.String())
		if err != nil || again != h {
			t.Fatalf("%v is read as %v, %v", h, again, err)
		}
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{
			"UTC", "Asia/Seoul", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia",
		}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0).In(zone)
		if _, change := now.ZoneBounds(); !change.IsZero() && rapid.Bool().Draw(t, "around a change") {
			now = change.Add(time.Duration(rapid.IntRange(-36*3600, 12*3600).Draw(t, "seconds from it")) * time.Second)
		}
		end, within := h.Over(now)
		if !within {
			return
		}
		if _, still := h.Over(end); still || !end.After(now) || end.Sub(now) > 49*time.Hour {
			t.Fatalf("%v at %v end at %v", h, now, end)
		}
		between := now.Add(time.Duration(rapid.Int64Range(0, int64(end.Sub(now))-1).Draw(t, "between")))
		if later, still := h.Over(between); !still || !later.Equal(end) {
			t.Fatalf("%v at %v end at %v, and at %v at %v, %v", h, now, end, between, later, still)
		}
	})
}

func TestTimesAreSaidAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d            time.Duration
		text, ko, en string
	}{
		{168 * time.Hour, "7d", "7일", "7 days"},
		{24 * time.Hour, "1d", "1일", "1 day"},
		{72 * time.Hour, "3d", "3일", "3 days"},
		{90 * time.Minute, "1h30m", "1시간 30분", "1 hour 30 minutes"},
		{25 * time.Hour, "25h", "1일 1시간", "1 day 1 hour"},
		{30 * time.Minute, "30m", "30분", "30 minutes"},
		{10 * time.Second, "10s", "10초", "10 seconds"},
		{0, "0", "없음", "none"},
	} {
		if got := config.SpanText(c.d); got != c.text {
			t.Errorf("%v is written %q, want %q", c.d, got, c.text)
		}
		if ko, en := phrase.Span(c.d).In("ko"), phrase.Span(c.d).In("en"); ko != c.ko || en != c.en {
			t.Errorf("%v is said %q and %q", c.d, ko, en)
		}
	}
}

// TestAPlaceCannotKeepAModelThatWasTakenAway holds that the operator's list counts
// when a setting is used, not only when it is made.
func TestAPlaceCannotKeepAModelThatWasTakenAway(t *testing.T) {
	t.Parallel()
	set := []config.Entry{entry(config.Channel, "model", `"big"`), entry(config.Channel, "temperature", "0.5")}
	c := config.Config{Model: config.Model{Choices: []string{"big"}}}
	if r := config.Resolve(c, set); r.Means.Model != "big" || *r.Means.Temperature != 0.5 || r.From["model"] != config.Channel {
		t.Errorf("got %+v", r.Means)
	}
	c.Model.Choices = []string{"small"}
	if r := config.Resolve(c, set); r.Means.Model != "" || r.From["model"] != config.Program {
		t.Errorf("taken away: got %+v", r.Means)
	}
}
