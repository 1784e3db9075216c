package chateval_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"maru/rag"
	"maru/rag/library"
)

// namesakeKind is a kind of documents with the same headings; a fact's verb takes each document's own value.
type namesakeKind struct {
	heads, facts []string
	docs         [][]string // source, title, then the value of each fact
}

var namesakeKinds = []namesakeKind{
	{[]string{"대금 지급", "지체상금", "검수"}, []string{"대금은 세금계산서 발행 후 %s일 이내에 지급한다.", "지체상금은 하루에 계약금액의 %s%%로 한다.", "검수는 납품 후 %s영업일 안에 마친다."}, [][]string{
		{"구매1.md", "주식회사 한결 물품구매계약서", "10", "0.1", "3"}, {"구매2.md", "(주)한결소프트 물품구매계약서", "20", "0.2", "4"},
		{"구매3.md", "한결소프트테크(주) 물품구매계약서", "30", "0.3", "5"}, {"구매4.md", "㈜새한결 물품구매계약서", "40", "0.4", "6"}, {"구매5.md", "유한회사 서진정밀 물품구매계약서", "45", "0.5", "7"}}},
	{[]string{"Invoices", "Renewal", "Warranty"}, []string{"Invoices are payable within %s days.", "The agreement renews for %s months.", "The warranty period is %s months."}, [][]string{
		{"msa-a.md", "Meridian Inc. Reseller Agreement", "11", "12", "13"}, {"msa-b.md", "Meridian Health Ltd. Reseller Agreement", "21", "22", "23"},
		{"msa-c.md", "Meridian Health Systems GmbH Reseller Agreement", "31", "32", "33"}, {"msa-d.md", "North Meridian LLC Reseller Agreement", "41", "42", "43"}, {"msa-e.md", "Falkner & Sons Reseller Agreement", "51", "52", "53"}}},
	{[]string{"수습 기간", "연차 신청", "징계 이의"}, []string{"수습 기간은 %s개월로 한다.", "연차 신청은 사용일 %s일 전까지 한다.", "징계 이의는 통보를 받고 %s일 안에 제기한다."}, [][]string{
		{"취업규칙.md", "취업규칙", "3", "2", "7"}, {"기간제.md", "기간제근로자 취업규칙", "1", "4", "9"}, {"단시간.md", "단시간근로자 취업규칙", "2", "6", "11"}, {"세칙.md", "취업규칙 시행세칙", "4", "8", "13"}}},
	{[]string{"충전 시간", "방수 등급", "보증 기간"}, []string{"충전 시간은 %s분이다.", "방수 등급은 IP%s이다.", "보증 기간은 구입일부터 %s개월이다."}, [][]string{
		{"np3.md", "누리패드 3 사용설명서", "90", "52", "12"}, {"np3p.md", "누리패드 3 플러스 사용설명서", "80", "67", "24"}, {"np13.md", "누리패드 13 사용설명서", "70", "68", "36"}, {"npmini.md", "누리패드 미니 사용설명서", "60", "54", "18"}}},
	{[]string{"Charging time", "Weight", "Reset"}, []string{"The charging time is %s minutes.", "The weight is %s grams.", "To reset the device hold the power button for %s seconds."}, [][]string{
		{"x2.md", "Halden X2 User Guide", "95", "410", "5"}, {"x2pro.md", "Halden X2 Pro User Guide", "85", "520", "8"}, {"x20.md", "Halden X20 User Guide", "75", "630", "12"}, {"x2max.md", "Halden X2 Pro Max User Guide", "65", "740", "15"}}},
	{[]string{"당직 교대", "배포 시간", "장애 보고"}, []string{"당직 교대는 매주 %s에 한다.", "배포 시간은 오후 %s시이다.", "장애 보고는 %s분 안에 한다."}, [][]string{
		{"t1.md", "플랫폼개발1팀 운영규칙", "월요일", "2", "10"}, {"t2.md", "플랫폼개발2팀 운영규칙", "화요일", "3", "20"}, {"t3.md", "데이터플랫폼팀 운영규칙", "수요일", "4", "30"}, {"t4.md", "플랫폼기획팀 운영규칙", "목요일", "5", "40"}}},
	{[]string{"Handover", "Escalation", "Pager budget"}, []string{"The handover is on %s.", "Escalation happens after %s minutes.", "The pager budget is %s pages a week."}, [][]string{
		{"pay.md", "Payments Team On-call Handbook", "Monday", "15", "3"}, {"risk.md", "Payments Risk Team On-call Handbook", "Tuesday", "25", "6"}, {"eu.md", "Payments EU Team On-call Handbook", "Friday", "35", "9"}}},
	{[]string{"기본급 인상", "식대", "명절 상여"}, []string{"기본급 인상률은 %s%%이다.", "식대는 월 %s만 원이다.", "명절 상여는 기본급의 %s%%이다."}, [][]string{
		{"임금24.md", "2024년 임금협약", "3.1", "20", "50"}, {"임금25.md", "2025년 임금협약", "4.2", "22", "55"}, {"보충24.md", "2024년 보충임금협약", "1.3", "25", "60"}}},
	{[]string{"지원 대상", "신청 기한", "지원 한도"}, []string{"지원 대상은 매출 %s억 원 이하인 상인이다.", "신청 기한은 공고 후 %s일이다.", "지원 한도는 한 곳에 %s만 원이다."}, [][]string{
		{"상권법.md", "골목상권 지원에 관한 조례", "10", "30", "500"}, {"상권칙.md", "골목상권 지원에 관한 조례 시행규칙", "12", "40", "600"}, {"전통.md", "전통시장 및 골목상권 지원에 관한 조례", "15", "50", "700"}}},
}

// namesakeAsks are questions with the source of the only document that may be cited, or none. The first half is open,
// the second held out. All were written before their author had read the rules of rag/naming.
var namesakeAsks = [2][][2]string{{
	{"한결이랑 맺은 구매계약에서 대금은 며칠 안에 줘야 해?", "구매1.md"}, {"한결소프트 계약서에 지체상금이 얼마로 돼 있어?", "구매2.md"},
	{"한결소프트테크 건은 검수를 며칠 안에 끝내야 하나요?", "구매3.md"}, {"㈜새한결 물품구매계약서상 대금 지급 기한은?", "구매4.md"},
	{"서진정밀(유) 구매계약 지체상금 알려줘", "구매5.md"}, {"한결전자 물품구매계약서에서 검수는 며칠이야?", ""},
	{"When are invoices payable under the Meridian reseller agreement?", "msa-a.md"}, {"Meridian Health Ltd: for how long does the agreement renew?", "msa-b.md"},
	{"In the Meridian Health Systems reseller agreement, what's the warranty period?", "msa-c.md"}, {"What warranty period did we agree with North Meridian?", "msa-d.md"},
	{"According to the reseller agreement with Meridian Foods Inc., when are invoices payable?", ""},
	{"취업규칙에 수습 기간이 몇 개월이라고 나와?", "취업규칙.md"}, {"기간제 근로자 취업규칙에서는 연차 신청을 며칠 전까지 해야 돼?", "기간제.md"}, {"시행세칙에 징계 이의는 며칠 안에 내라고 돼 있어?", "세칙.md"},
	{"누리패드3 충전 시간 얼마나 걸려?", "np3.md"}, {"누리패드 3플러스는 방수 등급이 어떻게 돼?", "np3p.md"}, {"누리패드 13은 보증 기간이 몇 개월이야?", "np13.md"}, {"누리패드 5 사용설명서에서 충전 시간은?", ""},
	{"How heavy is the Halden X2 according to its user guide - what is the weight?", "x2.md"}, {"halden x2 pro: what is the charging time?", "x2pro.md"}, {"Halden X20 user guide, how do I reset the device?", "x20.md"},
	{"플랫폼개발1팀은 당직 교대를 무슨 요일에 해?", "t1.md"}, {"데이터플랫폼팀 운영규칙에서 배포 시간은 몇 시야?", "t3.md"},
	{"On the Payments Risk team, when does escalation happen?", "risk.md"}, {"Payments Team on-call handbook: when is the handover?", "pay.md"},
	{"2024년 임금협약에서 기본급 인상률은 얼마야?", "임금24.md"}, {"24년 보충임금협약 식대는?", "보충24.md"}, {"2023년 임금협약의 명절 상여는 몇 퍼센트였어?", ""},
	{"골목상권 지원에 관한 조례의 신청 기한은?", "상권법.md"}, {"골목상권 지원에 관한 조례 시행규칙에서 지원 한도가 얼마야?", "상권칙.md"},
}, {
	{"(주)한결과의 물품구매계약서에는 검수를 며칠 안에 하라고 돼 있나요?", "구매1.md"}, {"주식회사 한결소프트하고 계약한 거, 대금 지급은 며칠이야?", "구매2.md"},
	{"한결소프트테크 구매계약서에 따르면 지체상금은 몇 퍼센트야?", "구매3.md"}, {"새한결이랑은 검수 며칠로 했지?", "구매4.md"},
	{"유한회사 서진정밀과 맺은 계약의 대금 지급 기한 알려주세요", "구매5.md"}, {"서진정공 물품구매계약서의 지체상금은 얼마야?", ""},
	{"Per the Meridian, Inc. agreement, what is the warranty period?", "msa-a.md"}, {"Under Meridian Health's reseller agreement, when are invoices payable?", "msa-b.md"},
	{"for how many months does the agreement with Meridian Health Systems GmbH renew?", "msa-c.md"}, {"Falkner and Sons reseller agreement: when are invoices payable?", "msa-e.md"},
	{"How long is the warranty period in the South Meridian LLC reseller agreement?", ""},
	{"우리 취업규칙상 징계 이의는 며칠 안에 제기해야 해?", "취업규칙.md"}, {"단시간 근로자용 취업규칙엔 수습 기간이 얼마로 되어 있어?", "단시간.md"}, {"취업규칙 시행세칙을 보면 연차 신청은 며칠 전까지야?", "세칙.md"},
	{"누리패드3의 보증 기간은?", "np3.md"}, {"누리패드3 플러스 설명서에 충전 시간이 몇 분이래?", "np3p.md"}, {"누리패드 미니는 방수 등급이 뭐야?", "npmini.md"}, {"누리패드 23 설명서에 방수 등급 나와 있어?", ""},
	{"What's the charging time of the X2?", "x2.md"}, {"Halden X2 Pro Max guide: what is the weight?", "x2max.md"}, {"In the X20's user guide, what is the charging time?", "x20.md"},
	{"플랫폼개발 2팀의 장애 보고는 몇 분 안에 해야 하지?", "t2.md"}, {"플랫폼기획팀에서는 배포 시간이 몇 시로 정해져 있어?", "t4.md"},
	{"What does the EU payments team's handbook say the pager budget is?", "eu.md"}, {"In the on-call handbook of the Payments Fraud team, when is the handover?", ""},
	{"2025 임금협약에 식대가 얼마로 올랐어?", "임금25.md"}, {"보충임금협약(2024) 명절 상여는 몇 %야?", "보충24.md"}, {"'24년 임금협약 명절 상여는?", "임금24.md"},
	{"전통시장 및 골목상권 지원에 관한 조례에서 지원 대상은 누구야?", "전통.md"}, {"골목상권 조례 시행규칙의 신청 기한이 며칠이야?", "상권칙.md"},
}}

// TestNamesakes asks of documents whose names contain each other. An answer must cite the named document alone; where no
// document has the name, nothing.
func TestNamesakes(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	s := newShelf(t)
	for _, kind := range namesakeKinds {
		for _, d := range kind.docs {
			var b strings.Builder
			fmt.Fprintf(&b, "# %s\n\n", d[1])
			for i, fact := range kind.facts {
				fmt.Fprintf(&b, "## %s\n\n%s\n\n", kind.heads[i], fmt.Sprintf(fact, d[2+i]))
			}
			if _, err := s.lib.AddBundled(t.Context(), "public", []library.Bundled{{Name: d[0], Data: []byte(b.String())}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for half, list := range namesakeAsks {
		right := 0
		for _, q := range list {
			cited, text := s.cited(t, q[0])
			if (len(cited) > 0) == (q[1] != "") && !slices.ContainsFunc(cited, func(h rag.Hit) bool { return h.Document.Source != q[1] }) {
				right++
			} else if half == 0 || os.Getenv("MARU_EVAL_FULL") != "" {
				t.Logf("%q cites %d: %s", q[0], len(cited), text)
			}
		}
		t.Logf("| half %d | %d of %d |", half+1, right, len(list))
		if right < 28 {
			t.Errorf("half %d: %d of %d, want 28", half+1, right, len(list))
		}
	}
}
