package zone_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"maru/phrase/zone"
)

func TestNamed(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{"제주": "Asia/Seoul", "newyork": "America/New_York", "utc": "UTC", "atlantis": ""} {
		got, ok := zone.Named(place)
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", place, got, ok)
		}
		if _, err := time.LoadLocation(got); err != nil {
			t.Error(err)
		}
	}
}

func TestIsCountry(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"Malaysia": true, " 말레이시아": true, "KOR": false, "Ben": false, "USA": true, "한국": true, "south korea": true, "Texas": false, "서울": false, "": false, "ZZZ": false} {
		if zone.IsCountry(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for country, zones := range map[string]map[string]bool{
		"South Korea": {"Asia/Seoul": true, "Asia/Tokyo": false}, "United States": {"America/Chicago": true, "America/Toronto": false, "Europe/London": false},
		"Canada": {"America/Toronto": true, "Europe/London": false}, "Jordan": {"Asia/Seoul": false}, "Osaka": {"Asia/Tokyo": false}, "영국": {"Europe/London": true},
	} {
		for in, want := range zones {
			if zone.Within(in, country) != want {
				t.Errorf("%s within %s: %v", in, country, !want)
			}
		}
	}
}

// TestCountriesAreTheCLDRs compares the file of names with the library's tables; MARU_UPDATE=1 writes it.
func TestCountriesAreTheCLDRs(t *testing.T) {
	t.Parallel()
	english, korean := display.Regions(language.English), display.Regions(language.Korean)
	var lines []string
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if r, err := language.ParseRegion(string(a) + string(b)); err == nil && r.IsCountry() && english.Name(r) != "" {
				lines = append(lines, english.Name(r)+"\t"+korean.Name(r)+"\n")
			}
		}
	}
	slices.Sort(lines)
	want := strings.Join(slices.Compact(lines), "")
	if os.Getenv("MARU_UPDATE") != "" {
		if err := os.WriteFile("countries.tsv", []byte(want), 0o644); err != nil { //nolint:gosec // no secret
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("countries.tsv"); err != nil || string(got) != want {
		t.Errorf("countries.tsv is not what golang.org/x/text has; MARU_UPDATE=1 writes it (%v)", err)
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"내 시간대 뉴욕으로 바꿔줘": "America/New_York", "I'm in Berlin now, change my time zone": "Europe/Berlin", "set my time zone to New York": "America/New_York",
		"my time zone is PST": "America/Los_Angeles", "change my time zone": "",
		"set my time zone to Asia/Seoul": "Asia/Seoul", "내 시간대 America/Chicago로 바꿔줘": "America/Chicago", "set my time zone to Ho Chi Minh City": "Asia/Ho_Chi_Minh",
		"시간대를 미국 동부로 바꿔줘": "America/New_York", "set my timezone to Central European time": "Europe/Berlin", "set my time zone to and/or": "", "내 시간대 호주 서부로 바꿔줘": "",
	} {
		if got := zone.Of(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
