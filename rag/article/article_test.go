package article_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/rag/article"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"병역법 시행규칙 제51조의2":                         "§51-2",
		"병역법시행규칙제 51 조의 2에 따라":                    "§51-2",
		"제10조의 2항이 뭐야?":                           "§10 p2",
		"제5조제2항제3호가목":                             "§5 p2 i3 o가",
		"그럼 5조 2항은?":                              "§5 p2",
		"5조는 뭐고 6조의2는?":                           "§5, §6-2",
		"제3조의2제1항제4호의2":                           "§3-2 p1 i4-2",
		"예산 5조 원, 2조각, 3조원":                       "",
		"예산은 2조 5천억 원, 3조5,000억":                  "",
		"５조 ２항과 제６조의２":                            "§5 p2, §6-2",
		"제2장 제1절을 요약해 줘":                          "chapter 2, division 1",
		"별표 1의2와 별지 제3호서식":                        "annex 1-2, annex 3",
		"What does Article 5(2)(a) say?":          "§5 p2 ia",
		"see article 51-2, section 3.2 and § 4.1": "§51-2, §3-2, §4-1",
		"Chapter IV and Annex B-1, Schedule 2":    "chapter 4, annex b-1, annex 2",
		"Article 12, paragraph 3":                 "§12 p3",
		"ARTICLE II. FEES":                        "§2",
		"the article I read, in part because":     "",
		"particle 5 and subsection, v1.2, 제안":     "",
		"Article III-bis, clause 7":               "§3, §7",
		"제0005조":                                  "§5",
	} {
		var got []string
		for _, r := range article.Find(text) {
			s := r.Key()
			for _, p := range []struct{ mark, n string }{{" p", r.Paragraph}, {" i", r.Item}, {" o", r.Point}} {
				if p.n != "" {
					s += p.mark + p.n
				}
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"5": "Article 5", "10-2": "Article 10-2", "10의2": "Article 10-2", "제5조 제2항": "제5조제2항", " article 7 ": "Article 7",
		"제５조": "제5조", "１０－２": "Article 10-2", "부칙": "부칙", "별표1": "별표 1", "3.2": "Article 3-2", "제12": "Article 12", "section 3.2(b)": "Section 3.2(b)",
		"제3조의2제1항제4호의2다목": "제3조의2제1항제4호의2다목",
	} {
		r, ok := article.Parse(text)
		if !ok || r.String() != want {
			t.Errorf("%q: %q %v, want %q", text, r, ok, want)
		}
	}
	for _, text := range []string{"", "휴가", "five", "-5", "조", "article"} {
		if r, ok := article.Parse(text); ok {
			t.Errorf("%q was read as %s", text, r)
		}
	}
}

func TestHeading(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"제1조(목적) 이 규정은 휴가를 정한다.": "§1 | 제1조 | 목적 | 제1조(목적) | 이 규정은 휴가를 정한다.",
		"제 2 조 (정의)":                                 "§2 | 제 2 조 | 정의 | 제 2 조 (정의) | ",
		"제2조의2【이월】 이월한다.":                            "§2-2 | 제2조의2 | 이월 | 제2조의2【이월】 | 이월한다.",
		"제5조(허가(인가)의 취소)":                            "§5 | 제5조 | 허가(인가)의 취소 | 제5조(허가(인가)의 취소) | ",
		"제6조 ((목적)) 이 법은":                            "§6 | 제6조 | 목적 | 제6조 ((목적)) | 이 법은",
		"제5조 근로시간":                                   "§5 | 제5조 | 근로시간 | 제5조 근로시간 | ",
		"제5조. 계약기간":                                  "§5 | 제5조 | 계약기간 | 제5조 계약기간 | ",
		"제2장 총칙":                                     "chapter 2 | 제2장 | 총칙 | 제2장 총칙 | ",
		"[별표 1] 위약금 산정 기준(제8조 관련)":                   "annex 1 | 별표 1 | 위약금 산정 기준(제8조 관련) | [별표 1] 위약금 산정 기준(제8조 관련) | ",
		"부칙 <2024. 1. 1.>":                           "addenda | 부칙 | 2024. 1. 1. | 부칙 <2024. 1. 1.> | ",
		"Article 5. Term":                            "§5 | Article 5 | Term | Article 5. Term | ",
		"ARTICLE IV – PAYMENT":                       "§4 | ARTICLE IV | PAYMENT | ARTICLE IV – PAYMENT | ",
		"Section 3.2 Late Payment":                   "§3-2 | Section 3.2 | Late Payment | Section 3.2 Late Payment | ",
		"Section 3.2 Fees. The Client pays monthly.": "§3-2 | Section 3.2 | Fees | Section 3.2 Fees | The Client pays monthly.",
		"Article 4 (Fees) The fee is USD 24,000.":    "§4 | Article 4 | Fees | Article 4 (Fees) | The fee is USD 24,000.",
		"Article 6 (Acceptance of Work)":             "§6 | Article 6 | Acceptance of Work | Article 6 (Acceptance of Work) | ",
		"Section 3 (Late Payment): 1.5 per cent.":    "§3 | Section 3 | Late Payment | Section 3 (Late Payment) | 1.5 per cent.",
		"Annex B: Price List":                        "annex b | Annex B | Price List | Annex B: Price List | ",

		"제3조 〔차임〕 차임은 월 50만원이다.": "§3 | 제3조 | 차임 | 제3조 〔차임〕 | 차임은 월 50만원이다.",
		"제10조〈해지〉 해지한다.":         "§10 | 제10조 | 해지 | 제10조〈해지〉 | 해지한다.",
		"제６조（관리비） 관리비는 10만원이다.":  "§6 | 제6조 | 관리비 | 제6조(관리비) | 관리비는 10만원이다.",
		"□ 제16조(추가) 추가한다.":       "§16 | 제16조 | 추가 | 제16조(추가) | 추가한다.",
		"**제18조(비용)** 반씩 낸다.":    "§18 | 제18조 | 비용 | 제18조(비용) | 반씩 낸다.",
		"제15조(기타)기타 사항은 협의한다.":   "§15 | 제15조 | 기타 | 제15조(기타) | 기타 사항은 협의한다.",
		"제1관 목적 및 용어의 정의":        "subdivision 1 | 제1관 | 목적 및 용어의 정의 | 제1관 목적 및 용어의 정의 | ",
		"부   칙":                  "addenda | 부칙 |  | 부   칙 | ",
		"[별지 제1호 서식] 신청서":        "annex 1 | 별지 제1호 | 신청서 | [별지 제1호 서식] 신청서 | ",
		"별지 제2호서식":               "annex 2 | 별지 제2호 |  | 별지 제2호서식 | ",
		"[별표]":                   "annex | 별표 |  | [별표] | ",
		"[별표] 수수료":               "annex | 별표 | 수수료 | [별표] 수수료 | ",
		"[붙임 1] 명세서":             "annex 1 | 붙임 1 | 명세서 | [붙임 1] 명세서 | ",
		"별첨 2. 도면":               "annex 2 | 별첨 2 | 도면 | 별첨 2. 도면 | ",
		"ARTICLE SIX":            "§6 | ARTICLE SIX |  | ARTICLE SIX | ",
		"Attachment 1: Forms":    "annex 1 | Attachment 1 | Forms | Attachment 1: Forms | ",
	} {
		h, ok := article.Heading(line)
		if got := fmt.Sprintf("%s | %s | %s | %s | %s", h.Ref.Key(), h.Label, h.Title, h.Text, h.Rest); !ok || got != want {
			t.Errorf("%q:\n got %s\nwant %s", line, got, want)
		}
	}
	for _, line := range []string{
		"", "제5조에 따라 신청한다.", "제5조 제2항에 따라 지급한다.", "제2장에서 정한 바에 따른다.", "5조는 다음과 같다.", "부칙에 따른다.",
		"Section 3 applies to contractors.", "Article 5 shall survive termination.", "Article 4 (Fees) applies to both parties.", "Section 3 (a) The fee is due.", "Part of the plan", "제안서", "별도로 정한다",
		"제5조(휴가)에 따라 신청한다.", "제5조(휴가)의 휴가는 쉰다.", "제5조(휴가) 제2항에 따라 준다.", "※ 제5조 참조", "1. 제5조에 따른 휴가", "2. 제5조(휴가)에 따른 휴가", "별표와 같다.", "별지에 적는다.", "부칙에서 정한다.", "붙임 자료를 본다.", "Attachment of wages",
	} {
		if h, ok := article.Heading(line); ok {
			t.Errorf("%q is a heading: %+v", line, h)
		}
	}
}

func TestItem(t *testing.T) {
	t.Parallel()
	const korean = "① 회사는 연차를 준다. ② 다음 각 호의 날은 출근한 것으로 본다. <개정 2013. 3. 23.> 1. 업무상 부상 2. 출산휴가 2의2. 유산휴가 3. 예비군 훈련 가. 동원훈련 나. 작계훈련 ③ 시기는 직원이 정한다."
	const english = "(a) The fee is due monthly.\n(b) Late payment:\n(i) bears interest;\n(ii) may suspend service.\n(c) Taxes are extra."
	for _, c := range []struct{ text, ref, want string }{
		{korean, "제60조제1항", "① 회사는 연차를 준다."},
		{korean, "제60조제3항", "③ 시기는 직원이 정한다."},
		{korean, "제60조제2항제1호", "1. 업무상 부상"},
		{korean, "제60조제2항제2호의2", "2의2. 유산휴가"},
		{korean, "제60조 2항 3호 나목", "나. 작계훈련"},
		{korean, "제60조제4항", ""},
		{korean, "제60조제2항제4호", ""},
		{"회사는 연차를 준다.", "제5조제1항", "회사는 연차를 준다."},
		{"회사는 연차를 준다.", "제5조제2항", ""},
		{"1. 하나 2. 둘", "제5조제2호", "2. 둘"},
		{"1. 하나이다.\n2. 둘이다.", "제5조제2항", "2. 둘이다."},
		{english, "Article 5(c)", "(c) Taxes are extra."},
		{english, "Article 5(b)(ii)", "(ii) may suspend service."},
		{english, "Article 5(d)", ""},
		{"1. Monthly. 2. Yearly.", "Article 5(2)", "2. Yearly."},
		{"제1항 사원은 15일을 쉰다.\n제2항 임원은 제1항 기간의 두 배를 쉰다.\n제3항 그 밖은 정한다.", "제5조제2항", "제2항 임원은 제1항 기간의 두 배를 쉰다."},
		{"2.1 The fee is 400.\n2.2 It rises by 2.5 a year.\n2.3. It is due\n(a) in May,\n(b) in June.", "Article 2(2)", "2.2 It rises by 2.5 a year."},
		{"2.1 The fee is 400.\n2.2 It rises by 2.5 a year.\n2.3. It is due\n(a) in May,\n(b) in June.", "Article 2(3)(b)", "(b) in June."},
		{"2.1 The fee is 400.\n2.2 It is due.", "Article 3(2)", ""},
	} {
		r, ok := article.Parse(c.ref)
		if !ok {
			t.Fatalf("%q names nothing", c.ref)
		}
		got, has := article.Item(c.text, r)
		if got != c.want || has != (c.want != "") {
			t.Errorf("%s: %q %v, want %q", c.ref, got, has, c.want)
		}
	}
}

func TestFollows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1", "2", true}, {"1", "1-1", true}, {"1-1", "1-2", true}, {"1-2", "2", true}, {"1-2-3", "2", true},
		{"1", "3", false}, {"1", "1", false}, {"1", "2-1", false}, {"1-1", "2-2", false}, {"2", "1", false},
	} {
		if got := article.Follows(c.a, c.b); got != c.want {
			t.Errorf("%s after %s: %v", c.b, c.a, got)
		}
	}
}

// FuzzRefs holds strangers' text against what every caller relies on: no panic,
// a ref that is found says where it stands, and what it writes it reads again.
func FuzzRefs(f *testing.F) {
	for _, s := range []string{"제10조의2제1항", "Article IV(2)(a)", "별표 1의2", "부칙", "제5조(목적) ① 하나 1. 둘 가. 셋", "3.2 Fees", "§", "제", "Annex Z-9", "제 99999 조", "\xff제5조"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range article.Find(s) {
			if r.Key() == "" {
				t.Fatalf("%q: a ref without a key: %+v", s, r)
			}
			again, ok := article.Parse(r.String())
			if !ok || again.Key() != r.Key() || again.Paragraph != r.Paragraph {
				t.Fatalf("%q: %+v is written %q and read as %+v", s, r, r, again)
			}
			article.Item(s, r)
		}
		for line := range strings.SplitSeq(s, "\n") {
			if h, ok := article.Heading(line); ok && (h.Ref.Key() == "" || h.Ref.Level() < 7) {
				t.Fatalf("%q: a heading without a ref: %+v", line, h)
			}
			article.Numbered(line)
		}
	})
}
