package handbook_test

import (
	"strings"
	"testing"
)

// TestStaff asks as people type who are in a hurry: spelling, spaces and capitals left out, in both
// languages; what has nothing behind its tab the handbook does not say. The questions were written and
// measured before there were rules for any of them, and there are none now. A wrong
// quotation is worse than none, so it has a bound of its own.
func TestStaff(t *testing.T) {
	t.Parallel()
	x := library(t)
	right, all := 0, rows(t, "staff.tsv")
	var wrong, declined []string
	for _, r := range all {
		got := answer(t, x, r[0])
		quoted := strings.Contains(got, "\n> ")
		switch {
		case r[1] == "" && !quoted, r[1] != "" && strings.Contains(got, r[1]):
			right++
		case quoted:
			wrong = append(wrong, r[0])
		default:
			declined = append(declined, r[0])
		}
	}
	t.Logf("%d of %d right; wrongly quoted %q, wrongly declined %q", right, len(all), wrong, declined)
	if right < 51 || len(wrong) > 5 {
		t.Errorf("%d of %d right and %d quoted wrongly", right, len(all), len(wrong))
	}
}

// TestNear: what is merely near is not quoted, or not before what is asked.
func TestNear(t *testing.T) {
	t.Parallel()
	x := library(t)
	for q, c := range map[string]struct{ first, not string }{
		"병가 내려면 뭐 필요해요?":            {"", "연차를"},
		"출입증 잃어버렸는데 누구한테 말해?":       {"출입증을 잃어버리면 총무팀에", "노트북이나"},
		"Is there money for a gym?": {"not said", ""},
	} {
		got := answer(t, x, q)
		_, quotes, quoted := strings.Cut(got, "\n> ")
		if first, _, _ := strings.Cut(quotes, "\n"); c.first == "not said" && quoted || c.first != "not said" && !strings.Contains(first, c.first) {
			t.Errorf("%s is answered %q", q, got)
		}
		if c.not != "" && strings.Contains(got, "> "+c.not) || c.not != "" && strings.Contains(quotes, c.not) {
			t.Errorf("%s is answered with %q", q, got)
		}
	}
}
