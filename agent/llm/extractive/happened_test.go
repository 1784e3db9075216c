package extractive_test

import "testing"

// TestWhatHappened: who tells what happened is told what to do in that case, whatever the thing is called there,
// and not what to do in another.
func TestWhatHappened(t *testing.T) {
	t.Parallel()
	const ko = "도서관 이용 › 사고\n책을 빌린 사람이 물에 젖은 책을 말립니다. 자료가 찢어지면 2층 데스크에 알립니다. 책을 잃어버렸다면 한 달 안에 사무국에 전화하세요. 실수로 초인종을 눌렀다면 경비실에 알립니다."
	for _, c := range []exchange{
		{ko, "", "책 찢어졌는데 어디다 말해?", "자료가 찢어지면 2층 데스크에"},
		{ko, "", "책을 잃어버렸는데 누구한테 말해?", "책을 잃어버렸다면"},
		{ko, "", "초인종 눌러버렸는데 어떡해", "초인종을 눌렀다면"},
		{ko, "", "자전거 잃어버렸는데 색깔이 뭐야?", ""},
	} {
		expect(t, c, 1)
	}
}

// TestSpans: the number of a question lies in one of the spans that are said.
func TestSpans(t *testing.T) {
	t.Parallel()
	const (
		en = "Boat club › Places\n| Years a member | Places |\n|---|---|\n| Less than 2 years | one place |\n| 2 years to less than 6 years | two places |\n| 6 years or more | three places |\n\nBoat club › Guests\nUp to two guests need no card. If you bring 3 or more guests, ask the harbour master."
		ko = "주차장 › 요금\n| 이용 기간 | 요금 |\n|---|---|\n| 3개월 미만 | 9만 원 |\n| 3개월 이상 12개월 미만 | 7만 원 |\n| 12개월 이상 | 5만 원 |"
	)
	for _, c := range []exchange{
		{en, "", "how many places do members get after 4 years?", "two places"},
		{en, "", "How many places do I get with one year as a member?", "one place"},
		{ko, "", "6개월 이용 요금은 얼마야?", "7만 원"},
		{ko, "", "12개월 이용 요금은 얼마야?", "5만 원"},
		{ko, "", "2개월 이용 요금이 얼마예요?", "9만 원"},
	} {
		expect(t, c, 1)
	}
}

// TestMoneyFor: a fee or a budget is answered by what is said of money.
func TestMoneyFor(t *testing.T) {
	t.Parallel()
	const (
		en = "Choir › Scores and trips\nWe spend up to 900 euros a year on trips. Scores are paid by the choir. The room for scores is locked."
		ko = "합창단 › 주차\n주차장은 강당 뒤에 있습니다. 주차는 하루 4천 원입니다.\n\n합창단 › 악보\n악보는 금요일에 나눠 줍니다."
	)
	for _, c := range []exchange{
		{en, "", "is there a budget for scores?", "Scores are paid by the choir"},
		{en, "", "Is there an allowance for dresses?", ""},
		{ko, "", "주차비도 나와?", "하루 4천 원"},
		{ko, "", "악보비도 나와?", ""},
		{ko, "", "악보는 어떻게 제작해?", ""},
	} {
		expect(t, c, 1)
	}
}
