package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestNumbersThatName: a thing that is asked for by its number is not answered with another one of its kind.
func TestNumbersThatName(t *testing.T) {
	t.Parallel()
	passage := func(title, text string) []llm.Passage { return []llm.Passage{{N: 1, Title: title, Text: text}} }
	parts := passage("부품 목록", "부품 X100의 단가는 300원입니다. 부품 X150의 단가는 450원입니다.")
	bills := passage("invoices", "송장번호: INV-2026-0001 | 거래처: 가람 | 금액: 1000원\n송장번호: INV-2026-0002 | 거래처: 나래 | 금액: 2000원")
	sales := passage("매출", "2023년 매출은 120억 원입니다. 2024년 매출은 150억 원입니다.")
	below := passage("매출 › 2024년", "매출은 150억 원입니다.")
	rooms := passage("사무실", "301호는 12명이 들어갑니다. 302호는 6명이 들어갑니다. 4층 복사기는 양면이 됩니다.")
	staff := passage("Staff", "Employee 10023 works in Busan. Employee 10044 works in Daegu.")
	notes := passage("Release notes › Version 2.4", "Fixes the login error.")
	since := passage("휴가", "2024년 이후에 입사한 직원의 연차는 16일입니다. 아이가 2명이면 휴가가 4일입니다. 1호선부터 4호선까지 교통비가 무료입니다.")
	meeting := passage("6월 운영회의", "회의는 6월 9일 오전 10시에 한라에서 합니다.")
	months := passage("실적", "3월 매출은 8억 원입니다. 4월 매출은 9억 원입니다.")
	plain := passage("휴가", "연차는 1년에 15일입니다.")
	tax := passage("Tax", "The rate between 2022 and 2026 is 3 percent.")
	phases := passage("Project plan", "Phase 1 begins in May. Phase 2 begins in June.")
	for _, c := range []struct {
		question string
		passages []llm.Passage
		want     string // "" where nothing is to be quoted
	}{
		{"부품 X150의 단가는?", parts, "450원"},
		{"부품 X151의 단가는?", parts, ""},
		{"부품 x-100 단가는?", parts, "300원"},
		{"INV-2026-0002 금액은?", bills, "2000원"},
		{"INV-2026-0016 금액은?", bills, ""},
		{"INV-2025-0002 금액 얼마?", bills, ""},
		{"2024년 매출은?", sales, "150억"},
		{"2025년 매출은?", sales, ""},
		{"2024년 매출은 얼마야?", below, "150억"},
		{"2025년 매출은 얼마야?", below, ""},
		{"302호는 몇 명 들어가?", rooms, "6명"},
		{"303호는 몇 명 들어가?", rooms, ""},
		{"5층 복사기는 양면이 돼?", rooms, ""},
		{"Where does employee 10044 work?", staff, "Daegu"},
		{"Where does employee 10045 work?", staff, ""},
		{"What does version 2.4 fix?", notes, "login"},
		{"What does version 2.5 fix?", notes, ""},
		{"7월 회의는 언제야?", meeting, ""},
		{"6월 회의는 언제야?", meeting, "6월 9일"},
		{"5월 매출은 얼마야?", months, ""},
		{"4월 매출은 얼마야?", months, "9억"},
		{"5월 초에 신청해도 돼?", passage("휴가", "4월 초에 미리 알리면 5월 초에 신청해도 됩니다."), "됩니다"},
		// A number that counts, a span, or one of which nothing is said keeps nothing back.
		{"2025년에 입사한 직원의 연차는 며칠이야?", since, "16일"},
		{"아이가 3명이면 휴가가 며칠이야?", since, "4일"},
		{"3호선 교통비는 무료야?", since, "무료입니다"},
		{"2026년 연차는 며칠이야?", plain, "15일"},
		{"What is the rate in 2024?", tax, "3 percent"},
		{"When does phase 2 begin?", phases, "June"},
		{"When does phase 3 begin?", phases, ""},
	} {
		got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(c.question), Passages: c.passages}).Message.Content
		if quoted := strings.Contains(got, "\n> "); quoted != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.question, got, c.want)
		}
	}
	before := []llm.Message{{Role: llm.User, Content: "2023년 매출은 얼마야?"}, {Role: llm.Assistant, Content: "문서에는 이렇게 나와 있어요.\n\n> 2023년 매출은 120억 원입니다. [1]"}}
	for question, want := range map[string]string{"그럼 2024년은?": "150억", "그럼 2021년은?": ""} {
		got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: append(before, said(question)...), Passages: sales}).Message.Content
		if quoted := strings.Contains(got, "\n> "); quoted != (want != "") || !strings.Contains(got, want) || strings.Contains(got, "120억") {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
