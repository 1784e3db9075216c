package extractive_test

import (
	"strings"
	"testing"
)

// TestTermOfAContract: every sentence of a contract is about the contract, and only one says when it
// starts and ends.
func TestTermOfAContract(t *testing.T) {
	t.Parallel()
	const (
		ko = "대여 계약서, 제2조(대여료)\n① 대여료는 계약을 맺는 날부터 5일 이내에 낸다.\n② 계약이 끝나면 2026년 1월 5일까지 정산한다.\n\n" +
			"대여 계약서, 제3조(기간)\n① 대여 기간은 2025년 1월 1일부터 2025년 12월 31일까지로 한다.\n② 연장된 계약의 기간은 6개월로 한다.\n\n" +
			"대여 계약서, 제4조(보험계약)\n보험계약은 2024년 12월 1일에 시작한다."
		none = "대여 계약서, 제2조(대여료)\n대여료는 계약을 맺는 날부터 5일 이내에 낸다."
		en   = "Boat charter agreement, 1 (Parties)\nThis agreement is made on 1 March 2024 between the parties.\n\n" +
			"Boat charter agreement, 2 (Crew)\nThe crew starts work within 10 days after the agreement is signed.\n\n" +
			"Boat charter agreement, 3 (Term)\n3.1 The agreement runs for two years from 4 April 2024. It renews for one year.\n3.2 If the agreement ends early, the deposit is returned within 30 days."
		handover = "Lease, 2 (Period)\n2.1 The lease period begins on the day of handover and lasts 36 months.\n\nLease, 3 (Rent)\nRent is due on 3 May 2025."
	)
	for _, c := range []exchange{
		{ko, "", "계약 언제 끝나?", "2025년 12월 31일까지"},
		{ko, "", "언제 시작하는 계약이야?", "2025년 1월 1일부터"},
		{ko, "", "대여 기간이 얼마나 돼요?", "2025년 12월 31일까지"},
		{none, "", "계약은 언제 끝나요?", ""},
		{none, "", "대여료는 언제까지 내?", "5일 이내"},
		{en, "", "When does the agreement start?", "4 April 2024"},
		{en, "", "when is the contract over", "two years"},
		{en, "", "How long does this agreement last?", "two years"},
		{handover, "", "When does the lease begin?", "day of handover"},
		{handover, "", "how long is the lease?", "36 months"},
		{"Lease, 3 (Rent)\nRent is due on 3 May 2025.", "", "When does the lease end?", ""},
	} {
		expect(t, c, 1)
	}
}

// TestWhenSomethingIsDue: what is owed by who pays late is another matter.
func TestWhenSomethingIsDue(t *testing.T) {
	t.Parallel()
	const fees = "Storage agreement, 4 (Charges)\n4.1 The Keeper sends its invoices by e-mail. Invoices are due 20 days after receipt.\n4.2 The entry fee is payable on signature.\n\n" +
		"Storage agreement, 5 (Delay)\n5.1 If an invoice remains unpaid 10 days after a reminder, access is blocked until it is paid."
	for _, c := range []exchange{
		{fees, "", "When do invoices have to be paid?", "20 days after receipt"},
		{fees, "", "When does an invoice need to be paid?", "20 days after receipt"},
		{fees, "", "When do we have to pay the entry fee?", "payable on signature"},
		{fees, "", "What happens if an invoice remains unpaid?", "access is blocked"},
	} {
		expect(t, c, 0)
	}
	if got := asks(t, exchange{fees, "", "When do invoices have to be paid?", ""}); strings.Contains(got, "reminder") {
		t.Errorf("what comes of lateness is no date when something is due: %s", got)
	}
}
