package flow_test

import (
	"slices"
	"strings"
	"testing"

	"maru/agent/flow"
	"maru/agent/llm"
)

// TestRecordsThatNobodyTold: a report may only name the number of a ticket, an order and the like that its prompt has. Sums, versions
// and standards are the model's own words.
func TestRecordsThatNobodyTold(t *testing.T) {
	t.Parallel()
	prompt := []llm.Message{
		{Role: llm.System, Content: "Results: OPS-12 login fails on Safari; AES-128, ISO-9001, UTF-8, FY-2025; 12,000 and 34,000 won; {\"project\":\"WEB\",\"id\":881}"},
		{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{Name: "read_ticket", Arguments: []byte(`{"id":"HR-7731"}`)}}},
	}
	for report, want := range map[string][]string{
		"The ticket BUG-4521 was created.":                {"BUG-4521"},
		"Bug WEB-881 is created, and bug WEB-882.":        {"WEB-882"},
		"Ticket number: 45213":                            {"45213"},
		"I created ticket 45213 for it.":                  {"45213"},
		"Created issue #4521, see (PR #903).":             {"#4521", "#903"},
		"**이슈 BUG-77**을 만들었어요. 티켓: OPS-4521":              {"BUG-77", "OPS-4521"},
		"Ticket: **OPS-4521**":                            {"OPS-4521"},
		"Done: I created OPS-4522 and filed a new #4523.": {"#4523", "OPS-4522"},
		"BUG-78을 등록했고 OPS-12를 확인했어요.":                     {"BUG-78"},
		"티켓 45213을 만들었어요. 접수번호는 20231이에요.":                {"20231", "45213"},
		"티켓 #1234 열었습니다. 이슈 ABC-123 열었어요.":                {"#1234", "ABC-123"},
		"티켓 OPS-77 편집했어요.":                                {"OPS-77"},
		"예약번호 88123로 예약했어요.":                              {"88123"},
		"Ticket HR-7731 is about OPS-12, not a sum.":      nil,
	} {
		got := flow.UntoldRecords(report, prompt)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", report, got, want)
		}
	}
	for _, report := range strings.Split(ordinary, "\n") {
		if got := flow.UntoldRecords(report, prompt); len(got) > 0 {
			t.Errorf("%q is said to name %q", report, got)
		}
	}
	if got := flow.LeaveOut("OPS-1, OPS-17, OPS-1234, #1 and #12", []string{"OPS-1", "#1"}, "?"); got != "?, OPS-17, OPS-1234, ? and #12" {
		t.Errorf("left out: %q", got)
	}
}

// ordinary are sentences of reports without the number of a record.
const ordinary = `Use AES-256, not AES-128: the ticket says so.
확인 결과 SHA-512로 서명하고 ISO-14001과 ISO-27001을 따라요.
이슈 ISO-27001 대응은 끝났고, 버그 UTF-16은 남았어요.
The issue UTF-32 files have is known; bug CVE-2021-44228 too.
We request H100 GPUs, and order A100 cards. Request P99 latency.
버그는 IE11에서만 나요. 버그 IE11 전용이에요.
문의: M365 관리자, 확인: SHA256 해시, 요청: B2B 계약
Reference RFC2616 and reference ISO8601; FY-2026 is next.
요청하신 42000000원 대신 3500000원이에요. 주문 1000개를 넣었어요.
The total of both orders is 46,000 won, or 46000.
We ordered 250 chairs; the case was closed in 2025.
Issue 3 of the newsletter is out. In case 2026 is too early, ask again.
They issue 50000 shares. Tickets 12000, ticket 45000 each.
티켓 45000원, 음료 3000원, 티켓 15000을 기준으로. 이슈 COVID-19 지침을 봤어요.
티켓 KE-123편은 9시 출발, 티켓: KE-124편, 좌석 티켓 AB-12석, 티켓 AB-12열 좌석, 티켓 AB-13열은
We created ISO-27001 documents and opened UTF-8 files; raised FY-2027 targets.
티켓 1200장을 팔았고 이슈 2026년 전망을 읽었어요.
Requests per second: 4500. Issue: GPT-4 is slow, HTTP-500 again.
전화번호 01012345678, 사번 20231, 계좌번호 1002345678
문의 번호 대신 내선 1234로 전화하세요. 장애 P1-20 등급
I closed OPS-17, a duplicate.`
