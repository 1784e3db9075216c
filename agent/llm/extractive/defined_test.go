package extractive_test

import "testing"

// TestDefinedTerms: a contract calls a thing by one name, and people by another.
func TestDefinedTerms(t *testing.T) {
	t.Parallel()
	const (
		en = "Boat hire, 1 (Subject)\n1.1 The Owner lets to the Hirer one sailing yacht and two dinghies (together, the \"Craft\").\n\n" +
			"Boat hire, 4 (Care)\n4.1 The Owner cleans the Craft every week.\n4.2 The Hirer hands in the Craft and the keys within two days. If the Craft arrives late, the fee for the day is waived."
		ko = "설비 계약, 제1조(정의)\n\"설비\"란 발주자가 빌리는 인쇄기와 재단기를 말한다.\n\n설비 계약, 제4조(점검)\n공급사는 설비를 석 달마다 점검한다."
	)
	for _, c := range []exchange{
		{en, "", "Who cleans the yacht?", "The Owner cleans the Craft"},
		{en, "", "Who paints the yacht?", ""},
		{en, "", "Who cleans the caravan?", ""},
		{en, "", "What happens if the yacht turns up late?", "the fee for the day is waived"},
		{en, "", "By when do we bring it back?", "within two days"},
		{ko, "", "인쇄기는 누가 점검해?", "공급사는 설비를"},
		{ko, "", "복사기는 누가 점검해?", ""},
	} {
		expect(t, c, 1)
	}
}
