package longterm_test

import (
	"testing"
	"time"

	"maru/memory/longterm"
)

// What was put right without saying what it is about changes the newest that it fits, and
// only soon after that was said.
func TestWhatIsPutRightIsKnownRight(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words string
		after time.Duration
		want  string
	}{
		"the newest that fits":     {"아니, 화요일이 아니라 수요일이야", time.Minute, "배포 = 수요일 오후 3시"},
		"an older one":             {"아니, 3층이 아니라 4층이야", time.Minute, "자리 = 4층"},
		"in English":               {"No, it's 수요일, not 화요일", time.Minute, "배포 = 수요일 오후 3시"},
		"nothing that fits":        {"아니, 사과가 아니라 배야", time.Minute, ""},
		"much later":               {"아니, 화요일이 아니라 수요일이야", 3 * time.Hour, ""},
		"nothing is put right":     {"화요일이 아니야", time.Minute, ""},
		"what says what it is of":  {"내 회의는 화요일이 아니라 금요일이야", time.Minute, ""},
		"before it was even known": {"아니, 화요일이 아니라 수요일이야", -time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := fresh(t)
			for i, l := range []longterm.PreferenceLesson{
				{Type: longterm.Fact, Subject: "자리", Value: "3층"},
				{Type: longterm.Fact, Subject: "회의", Value: "화요일"},
				{Type: longterm.Fact, Subject: "배포", Value: "화요일 오후 3시"},
			} {
				must(t, m.Preferences.Consolidate(t.Context(), mina, "s", at(0).Add(time.Duration(i)*time.Second), l))
			}
			got, err := m.Preferences.Corrected(t.Context(), mina, c.words, longterm.Explicit(c.words), at(0).Add(c.after))
			must(t, err)
			said := ""
			for _, l := range got {
				said += l.Subject + " = " + l.Value
			}
			if said != c.want {
				t.Errorf("%q, want %q", said, c.want)
			}
		})
	}
}
