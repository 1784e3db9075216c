package handbook_test

import (
	"strings"
	"testing"
)

// TestStaff asks as people type who are in a hurry: spelling, spaces and capitals left out, in both
// languages; what has nothing behind its tab the handbook does not say. The questions were written and
// measured before the rules for hurried questions, which were made with what failed in view. A wrong
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
	if got := answer(t, x, "재택 며칠까지 가능하고 신청은 어디에 하나요?"); !strings.Contains(got, "일주일에 최대 3일까지") || !strings.Contains(got, "근태 시스템에 등록") {
		t.Errorf("two questions in one are answered %q", got)
	}
	for q, c := range map[string]struct{ first, not string }{
		"병가 내려면 뭐 필요해요?":                       {"", "연차를"},
		"노트북 고장났는데 어디다 말해?":                    {"#it-help", "보안팀에 전화"},
		"출입증 잃어버렸는데 누구한테 말해?":                  {"출입증을 잃어버리면 총무팀에", "노트북이나"},
		"법카 어떻게 발급받아?":                         {"not said", "법인카드로 결제"},
		"주차비도 나와?":                             {"한 달에 5만 원", "지하 2층"},
		"출장비는 어떻게 정산해?":                        {"", "택시비를"},
		"is there a budget for books?":         {"Books for work are paid", "training"},
		"Is there money for a gym?":            {"not said", ""},
		"How do I report a lost laptop?":       {"If you lose a laptop", ""},
		"how many vacation days after 4 years": {"3 years to less than 5 years", "sabbatical"},
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
