package extractive_test

import (
	"strings"
	"testing"
)

// TestEndingAContractByWill: of all that a contract says of its end, who wants to end it early is told how one
// does so by one's own will, and what it costs.
func TestEndingAContractByWill(t *testing.T) {
	t.Parallel()
	const (
		ko = "대관 계약서, 제8조(해지)\n① 한쪽이 계약을 어기면 상대방은 7일의 기간을 두고 최고한 뒤 해지할 수 있다.\n" +
			"② 사용자는 20일 전에 서면으로 알리고 해지할 수 있다. 이 경우 보증금의 10%를 돌려받지 못한다.\n③ 한쪽이 파산하면 바로 해지할 수 있다.\n\n" +
			"대관 계약서, 제9조(갱신)\n기간이 끝나기 30일 전에 알리지 않으면 1년 갱신된다."
		en = "Studio hire agreement, 7 (Ending)\n7.1 A party may terminate at once if the other breaches this agreement and fails to cure it within 10 days.\n" +
			"7.2 The Hirer may terminate at any time with six weeks' notice.\n\nStudio hire agreement, 8 (Renewal)\nIt renews for a year unless notice is given 60 days before the end."
		cause = "대관 계약서, 제8조(해지)\n한쪽이 계약을 어기면 상대방은 7일의 기간을 두고 최고한 뒤 해지할 수 있다."
	)
	for _, c := range []exchange{
		{ko, "", "계약을 중간에 그만두고 싶으면 어떻게 해야 해요?", "20일 전에 서면으로"},
		{ko, "", "중도에 해지할 수 있나요?", "보증금의 10%"},
		{ko, "", "계약 해지하려면 어떻게 해요?", "20일 전에 서면으로"},
		{ko, "", "상대방이 계약을 어기면 해지할 수 있어?", "7일의 기간"},
		{en, "", "Can we get out of the contract early?", "six weeks' notice"},
		{en, "", "What do we have to do if we want to terminate the agreement?", "six weeks' notice"},
	} {
		expect(t, c, 0)
	}
	for _, question := range []string{"계약을 중간에 그만두고 싶으면 어떻게 해야 해요?", "중도에 해지할 수 있나요?"} {
		if got := asks(t, exchange{ko, "", question, ""}); strings.Contains(got, "최고") || strings.Contains(got, "파산") {
			t.Errorf("%s: the other's breach is no answer: %s", question, got)
		}
	}
	if got := asks(t, exchange{cause, "", "중도에 해지할 수 있나요?", ""}); !strings.Contains(got, "최고한 뒤 해지") {
		t.Errorf("where there is no other way, that for a breach is told: %s", got)
	}
}

// TestPlaceOfWork: a contract says it without the words of the question, and when one comes is not where.
func TestPlaceOfWork(t *testing.T) {
	t.Parallel()
	const (
		ko = "근로계약서, 제2조(장소)\n근무 장소는 수원시 영통구 나래관으로 한다.\n\n근로계약서, 제3조(복무)\n직원은 정해진 시각에 출근하고, 늦으면 알린다."
		en = "Employment agreement, 2 (Place)\nThe place of work is the Leith depot in Edinburgh.\n\nEmployment agreement, 3 (Hours)\nThe Employee works from 8 to 5."
	)
	for _, c := range []exchange{
		{ko, "", "어디로 출근해요?", "나래관"},
		{ko, "", "어디서 일해요?", "나래관"},
		{ko, "", "근무 장소가 어디예요?", "나래관"},
		{en, "", "Where do I work?", "Leith depot"},
		{"근로계약서, 제3조(복무)\n직원은 정해진 시각에 출근하고, 늦으면 알린다.", "", "어디로 출근해요?", ""},
	} {
		expect(t, c, 1)
	}
}
