package extractive_test

import "testing"

// TestHowItIsDoneMustBeSaid: that a thing is paid, hosted or changed says nothing of how often, by whom
// and into what.
func TestHowItIsDoneMustBeSaid(t *testing.T) {
	t.Parallel()
	const (
		en = "Loan of tools, 2 (Fee)\nThe Borrower pays the fee each month. The Borrower may repair the tools itself.\nThe Owner may use a workshop for storing spare parts."
		ko = "공구 대여 계약서, 제2조(보증금)\n① 보증금은 대여료로 바꾸지 못한다.\n② 대여료는 계좌 이체로 낼 수 있다.\n③ 임차인은 남은 보증금을 돌려받을 수 있다.\n④ 택배 비용은 임차인이 부담한다.\n⑤ 운반 비용은 임대인이 부담한다."
	)
	for _, c := range []exchange{
		{en, "", "Can we pay the fee quarterly?", ""},
		{en, "", "Can we pay the fee monthly?", "each month"},
		{en, "", "Can we repair the tools ourselves?", "repair the tools itself"},
		{en, "", "Can we store spare parts ourselves?", ""},
		{en, "", "Does the Borrower have to pay the fee?", "each month"},
		{en, "", "Does the Borrower have to insure the tools?", ""},
		{ko, "", "보증금을 대여료로 바꿀 수 있어?", "바꾸지 못한다"},
		{ko, "", "보증금을 상품권으로 바꿀 수 있어?", ""},
		{ko, "", "대여료를 이체로 내도 돼?", "계좌 이체로"},
		{ko, "", "대여료를 카드로 내도 돼?", ""},
		{ko, "", "택배 비용은 누가 내?", "임차인이 부담한다"},
		{ko, "", "포장 비용은 누가 내?", ""},
		{ko, "", "그럼 택배 비용은 누가 부담해?", "임차인이 부담한다"},
		{ko, "", "남은 보증금은 그냥 돌려받을 수 있어?", "돌려받을 수 있다"},
	} {
		expect(t, c, 1)
	}
}

// TestMayItBeDone: the verb of a question whether something may be done stands in another form in the
// sentence that allows it.
func TestMayItBeDone(t *testing.T) {
	t.Parallel()
	const ko = "가게 계약서, 제5조(양도)\n① 운영자는 회사의 승인을 받아 가게를 넘길 수 있다.\n② 넘겨받은 사람은 교육비를 낸다."
	expect(t, exchange{ko, "", "가게 넘겨도 돼?", "승인을 받아"}, 0)
}

// TestHowMuchAmongOthers: of sentences that hold the few words of the question alike, the one with a sum
// answers how much.
func TestHowMuchAmongOthers(t *testing.T) {
	t.Parallel()
	const en = "Archive agreement, 9 (Audit)\nThe Keeper pays for one audit a year and passes it every year.\n\n" +
		"Archive agreement, 4 (Charges)\nStorage costs 4,800 dollars per year."
	expect(t, exchange{en, "", "How much do we pay per year?", "4,800"}, 1)
}

// TestHoursAndWhatWasPromised: documents give the hours of a thing and leave the word out, and a promise
// without calling it one.
func TestHoursAndWhatWasPromised(t *testing.T) {
	t.Parallel()
	const (
		ko = "수리 계약서, 제7조(상담)\n① 상담은 오전 8시부터 오후 7시까지 받는다.\n② 상담 기록은 3년 동안 둔다.\n\n수리 계약서, 제8조(점검)\n① 점검은 분기마다 한다."
		en = "Line agreement, 6 (Bandwidth)\nThe bandwidth is 300 megabits.\n\nLine agreement, 7 (Repair)\nRepairs take two days."
	)
	for _, c := range []exchange{
		{ko, "", "상담시간 어떻게 돼?", "오전 8시부터"},
		{ko, "", "점검시간 어떻게 돼?", ""},
		{en, "", "What is the guaranteed bandwidth?", "300 megabits"},
		{en, "", "What is the wireless bandwidth?", ""},
	} {
		expect(t, c, 1)
	}
}
