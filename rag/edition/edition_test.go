package edition

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		family string
		date   int
		ver    []int
	}{
		"취업규칙 2023":                           {"취업규칙", 20230000, nil},
		"취업규칙_2024":                           {"취업규칙", 20240000, nil},
		"2024년 취업규칙":                          {"취업규칙", 20240000, nil},
		"취업규칙(2024. 3. 1. 시행)":                {"취업규칙", 20240301, nil},
		"취업규칙 20240301":                       {"취업규칙", 20240301, nil},
		"취업규칙_240301":                         {"취업규칙", 20240301, nil},
		"취업규칙 2024년 3월 개정판":                   {"취업규칙", 20240300, nil},
		"취업규칙 제3판":                            {"취업규칙", 0, []int{3}},
		"여비규정 제2차 개정":                         {"여비규정", 0, []int{2}},
		"Policy v2":                           {"policy", 0, []int{2}},
		"Policy":                              {"policy", 0, nil},
		"Leave Policy v2.1":                   {"leavepolicy", 0, []int{2, 1}},
		"leave-policy-2024-03-01":             {"leavepolicy", 20240301, nil},
		"Leave Policy (effective March 2024)": {"leavepolicy", 20240300, nil},
		"Travel Policy, 2nd edition":          {"travelpolicy", 0, []int{2}},
		"Travel Policy Rev. C":                {"travelpolicy", 0, []int{3}},
		"Handbook, edition of 1 May 2024":     {"handbook", 20240501, nil},
		"2024-03-01":                          {"", 20240301, nil},
		"안내 10번":                              {"안내10번", 0, nil},
		"Form 1099":                           {"form1099", 0, nil},
		"ISO 27001":                           {"iso27001", 0, nil},
		"Server 12345678":                     {"server12345678", 0, nil},
		"개인정보 처리방침":                           {"개인정보처리방침", 0, nil},
		"자동차 관리 규정 2022":                      {"자동차관리규정", 20220000, nil},
	} {
		family, m := Of(name)
		if family != want.family || m.Date != want.date || !slices.Equal(m.Version, want.ver) {
			t.Errorf("%s: %q, %+v; want %+v", name, family, m, want)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		older, newer string
		ok           bool
	}{
		{"Policy 2023", "Policy 2024", true},
		{"Policy 2024", "Policy 2024-03", true},
		{"Policy", "Policy v2", true},
		{"Policy v2", "Policy v10", true},
		{"Policy v1.9", "Policy v1.10", true},
		{"Policy v1 2025", "Policy v2 2024", true},
		{"Policy", "Policy 2024", false},
		{"Policy v2", "Policy 2024", false},
	} {
		_, a := Of(c.older)
		_, b := Of(c.newer)
		if n, ok := b.Compare(a); ok != c.ok || ok && n <= 0 {
			t.Errorf("%s, %s: %d, %v", c.older, c.newer, n, ok)
		}
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	for opening, want := range map[string]int{
		"취업규칙\n[시행 2024. 1. 1.]\n제1조(목적)":     20240101,
		"Leave\nEffective January 15, 2024\n": 20240115,
		"Leave\nLast updated: 2024-05\n":      20240500,
		"우리 회사는 2011년에 세워졌습니다.\n":             0,
	} {
		if m := In(opening); m.Date != want {
			t.Errorf("%q: %+v, want %d", opening, m, want)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	name := func(w string) bool { return w == "취업규칙" || w == "policy" }
	for question, want := range map[string][2]int{ // named, bare
		"2023년 취업규칙에서 연차는?":       {0, 1}, // 취업규칙에서 is not the name's word: the caller stems
		"2023년 취업규칙 연차는?":         {1, 0},
		"취업규칙 2023에서 연차는?":        {1, 0},
		"what did policy v1 say?": {1, 0},
		"2023년에 입사했는데 연차는?":       {0, 1},
		"2023년 개정판에서는?":           {1, 0},
		"연차는 며칠?":                 {0, 0},
	} {
		named, bare := Asked(question, name)
		if len(named) != want[0] || len(bare) != want[1] {
			t.Errorf("%s: %v, %v", question, named, bare)
		}
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	text := []string{"제1조(목적) 이 규칙은 직원의 근로조건을 정한다. 직원은 연차를 15일 쓸 수 있다.", "제2조(근무) 근무 시간은 오전 아홉 시부터 오후 여섯 시까지이며 점심 시간은 한 시간으로 한다. 유연 근무는 팀장과 정한다."}
	base := PrintOf(text)
	for name, c := range map[string]struct {
		texts []string
		same  bool
	}{
		"other lines and pages": {[]string{"제1조(목적) 이 규칙은 직원의 근로\n조건을 정한다. 직원은 연차를 15일 쓸 수 있다.  - 1 -\n제2조(근무) 근무 시간은 오전 아홉 시부터\n오후 여섯 시까지이며 점심 시간은 한 시간으로 한다. 유연 근무는 팀장과 정한다. - 2 -"}, true},
		"a changed number":      {[]string{"제1조(목적) 이 규칙은 직원의 근로조건을 정한다. 직원은 연차를 20일 쓸 수 있다.", text[1]}, false},
		"half of it":            {text[:1], false},
		"something else":        {[]string{"구내 식당은 열두 시에 연다. 메뉴는 매주 월요일에 게시판에 붙이고, 알레르기가 있는 사람은 전날까지 영양사에게 알린다."}, false},
	} {
		if got := base.Same(PrintOf(c.texts)); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}
