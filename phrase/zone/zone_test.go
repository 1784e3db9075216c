package zone_test

import (
	"testing"
	"time"

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
