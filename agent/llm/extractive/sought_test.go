package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestSought: of sentences that hold as much of a question, the one with the kind of value that it asks for is quoted, and
// nothing where none has it.
func TestSought(t *testing.T) {
	t.Parallel()
	lease := "임대인은 집을 비운 날부터 사흘 안에 보증금을 돌려준다. 임차인은 보증금으로 금 오천만 원을 지급한다. 계약금은 보증금의 10퍼센트로 한다."
	for _, c := range []struct{ name, question, text, first string }{
		{"money in words", "보증금 얼마예요?", lease, "임차인은 보증금으로"},
		{"a length", "보증금은 며칠 안에 돌려줘?", lease, "임대인은 집을 비운 날부터 사흘"},
		{"a person", "Who replaced the pump?", "The pump was replaced by Ada Moss. The old pump leaked.", "The pump was replaced by"},
		{"no person", "Who replaced the pump?", "The pump was replaced in April, as the old one leaked.", ""},
		{"no place", "Where are the uniforms washed?", "Uniforms are washed every Monday.", ""},
		{"no place in Korean", "발표회는 어디에서 해?", "발표회는 12월에 합니다.", ""},
		{"a reason", "Why is the pool closed?", "The pool is closed because the pump leaks.", "The pool is closed because"},
		{"counted things", "How many nurses work here?", "Nurses who work here at night get 30 euros.", ""},
		{"their number", "How many nurses work here?", "Nurses who work at night get 30 euros. Twelve nurses work here.", "Twelve nurses"},
		{"a meaning", "이용권이 무슨 뜻이야?", `이용권은 한 달마다 갱신된다. "이용권"이란 책을 읽을 권리를 말한다.`, `"이용권"이란`},
		{"a row", "산재보험은 누가 내?", "| 보험 | 부담 |\n|---|---|\n| 국민연금 | 반반 |\n| 산재보험 | 회사 |\n", "보험: 산재보험"},
		{"the sentence before", "신인상을 받은 작품은?", "1999년에 《학교》에 나왔다. 이 작품으로 신인상을 받았다.", "1999년에 《학교》에 나왔다. 이 작품으로"},
		{"its subject before", "Why was the mill moved uphill?", "The mill was moved uphill in 1912. People were afraid, because the river had risen twice.", "The mill was moved uphill in 1912. People"},
		{"a question before", "Do you support fingerprint sign-in?", "Can I export my notes?\nYes, as a folder.\n\nIs fingerprint sign-in supported?\nNot yet on desktops.", "Not yet on desktops"},
		{"of another name", "How much does Orbit storage cost?", "Comet storage costs 10 euros a month. Storage is kept for two years.", ""},
		{"of its name", "How much does Orbit storage cost?", "OrbitCloud: storage costs 10 euros a month.", "OrbitCloud: storage"},
		{"of a misspelt name", "How much does Orbbit storage cost?", "Orbit storage costs 10 euros a month.", "Orbit storage"},
		{"of a name in Hangul", "Slack 메시지는 며칠 보관돼?", "슬랙 메시지는 90일 보관됩니다.", "슬랙 메시지는"},
		{"of an acronym written out", "How many vacation days do staff in the UK get?", "Staff in the United Kingdom get 28 vacation days.", "Staff in"},
		{"of an acronym", "How many days before does HR need the leave request?", "Leave requests are made 14 days before.", "Leave requests"},
		{"of another name in Korean", "Publish는 파일 크기 제한이 얼마야?", "Sync의 파일 크기 제한은 5 MB입니다.", ""},
		{"its document is no sentence before", "계약 기간은 언제까지야?", "차임은 월 50만 원이다. 이 계약은 기간을 5월 1일까지로 한다.", "이 계약은 기간을"},
		{"what follows", "What happens if I lend my card?", "Do not lend your card. We lock a card that was lent.", "Do not lend your card. We lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(c.question), Passages: []llm.Passage{{N: 1, Title: "A", Text: c.text}}}).Message.Content
			_, quotes, quoted := strings.Cut(got, "\n> ")
			if first, _, _ := strings.Cut(quotes, "\n"); quoted != (c.first != "") || !strings.HasPrefix(first, c.first) {
				t.Errorf("got %q, want the quotation %q", got, c.first)
			}
		})
	}
}
