package naming_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/rag"
	"maru/rag/naming"
)

func directory(titles ...string) *naming.Directory {
	var docs []rag.Document
	for i, t := range titles {
		docs = append(docs, rag.Document{ID: t, Title: t, Source: fmt.Sprintf("kr/%d/법률.md", i)})
	}
	return naming.New(docs)
}

// statutes are made up, so that no name of a real one can help.
func statutes() *naming.Directory {
	return directory(
		"강물보호법", "강물보호법 시행령", "등대관리 및 항로표지에 관한 법률", "등대관리 및 항로표지에 관한 법률 시행령", "모래해변안전법",
		"도시숲 및 꽃밭 등에 관한 법률", "도시숲 및 꽃밭 등에 관한 법률 시행령", "바람발전진흥법", "유리온실법", "눈썰매에 관한 법률", "종이신문산업법", "종이책산업진흥기본법", "Lighthouse Act", "Harbour Act", "River Act",
	)
}

// TestRead: names as people write them, beside an article's number.
func TestRead(t *testing.T) {
	t.Parallel()
	d := statutes()
	for question, want := range map[string]string{
		"강물보호법 제3조":                        "강물보호법",
		"강물 보호법 3조는 뭐야?":                   "강물보호법",
		"강물보호법시행령 제3조":                     "강물보호법 시행령",
		"강물보호법 시행령 제3조의2":                  "강물보호법 시행령",
		"강물보호법에서 제3조":                      "강물보호법",
		"제3조 알려줘. 강물보호법이야":                 "강물보호법",
		"강물보호법 시헹령 제3조":                    "강물보호법 시행령",
		"강물보호법 시령행 제3조":                    "강물보호법 시행령",
		"강뮬보호법 제3조":                        "강물보호법",
		"강물호보법 제3조":                        "강물보호법",
		"등대관리 및 항로표지에 관한 법률 제7조":           "등대관리 및 항로표지에 관한 법률",
		"등대관리법 제7조":                        "등대관리 및 항로표지에 관한 법률",
		"등대법 시행령 제7조":                      "등대관리 및 항로표지에 관한 법률 시행령",
		"등대법시행령 제7조":                       "등대관리 및 항로표지에 관한 법률 시행령",
		"항로표지법 제7조":                        "등대관리 및 항로표지에 관한 법률",
		"모해법 제1조":                          "모래해변안전법",
		"꽃밭법 제1조":                          "도시숲 및 꽃밭 등에 관한 법률",
		"종책법 5조":                           "종이책산업진흥기본법",
		"lighthouse act, article 3":        "Lighthouse Act",
		"article 3 of the Lighthouse Act?": "Lighthouse Act",
		"article 3 of the Lighthosue Act?": "Lighthouse Act",
		"강물보호법 제3조와 유리온실법 제3조":             "강물보호법 유리온실법",
		"강물보호법의 시행령 제3조":                   "강물보호법 시행령",
		"강물보호법 말고 시행령 3조":                  "강물보호법 시행령",
		"시행령 말고 강물보호법 3조":                  "강물보호법",
		"시행령 3조 보여줘, 강물보호법":                "강물보호법 시행령",
		"강물보호법 대통령령 3조":                    "강물보호법 시행령",
		"등대법의 시행령 7조":                      "등대관리 및 항로표지에 관한 법률 시행령",
		"강물보호법 3조②":                        "강물보호법",
		"강물사보호법 3조":                        "없음: 강물사보호법",
		"제3조":                              "",
		"이 법 제3조":                          "",
		"우리 회사 법률 3조":                      "없음: 회사 법률",
		"우주법 제3조":                          "없음: 우주법",
		"혹시 우주법 제3조 알아?":                   "없음: 우주법",
		"우주법 제3조와 제5조":                     "없음: 우주법",
		"공룡 보호에 관한 법률 제3조":                 "없음: 공룡 보호에 관한 법률",
		"강물보호법 시행규칙 제3조":                   "없음: 강물보호법 시행규칙",
		"유리온실법 시행령 제3조":                    "없음: 유리온실법 시행령",
		"바람발전법인법 제3조":                      "없음: 바람발전법인법",
		"Article 3 of the plan":            "",
		"강물보호법은 뭐야?":                       "",
	} {
		r := d.Read(question)
		got := strings.Join(r.IDs(), " ")
		if r.Missing != "" {
			got = "없음: " + r.Missing
		}
		if got != want {
			t.Errorf("%q names %q, want %q", question, got, want)
		}
		if len(r.Documents) > 0 && (len(r.Articles) == 0 || strings.Contains(r.Rest, r.Documents[0].Title)) {
			t.Errorf("%q leaves %q with %v", question, r.Rest, r.Articles)
		}
	}
}

// TestNearest: whoever names a document that is not there reads the names that are most like it.
func TestNearest(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{"꿀벌보호법 제3조": "강물보호법", "종이컵산업법 제3조": "종이신문산업법"} {
		r := statutes().Read(question)
		if near := statutes().Near(r.Missing); r.Missing == "" || len(near) == 0 || near[0] != want {
			t.Errorf("%q: %q is missing, nearest %q, want %q", question, r.Missing, near, want)
		}
	}
}

// TestAmbiguous: an abbreviation of two names means both.
func TestAmbiguous(t *testing.T) {
	t.Parallel()
	d := directory("북쪽항구법", "북쪽항로법", "남쪽항구법")
	if got := d.Read("북쪽법 제1조").IDs(); !slices.Equal(got, []string{"북쪽항구법", "북쪽항로법"}) {
		t.Errorf("북쪽법 names %q", got)
	}
}

// FuzzRead: whatever a stranger writes, a reading points into the question.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"강물보호법 제3조", "제3조 \xff강물법", "등대법시행령 ３조", "İ article 3", "법 제3조의2제1항", "ﬁ제1조 강물보호법 시행규칙"} {
		f.Add(s)
	}
	d := statutes()
	f.Fuzz(func(t *testing.T, s string) {
		if r := d.Read(s); r.Missing != "" && len(r.Documents) > 0 {
			t.Errorf("%q: both there and missing: %+v", s, r)
		}
	})
}

// TestMentioned: documents of one kind, told apart by party, product or year.
func TestMentioned(t *testing.T) {
	t.Parallel()
	d := naming.New([]rag.Document{
		{ID: "steel", Title: "물품공급계약서(하늘철강)", Source: "a.md"},
		{ID: "sea", Title: "물품공급계약서", Source: "바다물류_물품공급계약서.docx"},
		{ID: "steel-privacy", Title: "하늘철강 개인정보 처리방침", Source: "b.md"},
		{ID: "star-privacy", Title: "별빛교육 개인정보 처리방침", Source: "c.md"},
		{ID: "acme", Title: "Acme Robotics Privacy Policy", Source: "d.pdf"},
		{ID: "globex", Title: "Privacy Policy", Source: "globex-privacy-policy.md"},
		{ID: "2012", Title: "2012년 사업보고서", Source: "2012.pdf"},
		{ID: "2013", Title: "2013년 사업보고서", Source: "2013.pdf"},
		{ID: "leave", Title: "연차 휴가", Source: "leave.md"},
		{ID: "1", Title: "이용 안내 1번", Source: "n1.md"},
		{ID: "10", Title: "이용 안내 10번", Source: "n10.md"},
	})
	for question, want := range map[string]string{
		"하늘철강 계약은 언제 끝나?":                                         "steel",
		"하늘철강과 맺은 공급계약에서 위약금은?":                                   "steel",
		"바다물류 물품공급계약서 제3조":                                        "sea",
		"바다물류계약 해지":                                               "sea",
		"하늘철강의 처리방침에서 보관 기간은?":                                    "steel-privacy",
		"개인정보 처리방침 중 별빛교육이 낸 것은?":                                 "star-privacy",
		"[별빛교육] 보관 기간은?":                                          "star-privacy",
		"[하늘철강] 계약서 해지 조건":                                        "steel",
		"according to the privacy policy of Globex, how long?":    "globex",
		"What does the Acme privacy policy say?":                  "acme",
		"acme's policy on cookies":                                "acme",
		"2012년 사업보고서에서 매출은?":                                      "2012",
		"이용 안내 1번에 뭐라고 돼 있어?":                                     "1",
		"이용 안내 10번에 뭐라고 돼 있어?":                                    "10",
		"구름상사 계약은 언제 끝나?":                                         "? 구름상사",
		"구름상사와 체결한 계약에서":                                          "? 구름상사",
		"별빛교육 계약은 언제 끝나?":                                         "? 별빛교육",
		"[Zeta] what about cookies?":                              "? Zeta",
		"according to the privacy policy of Zeta Corp, how long?": "? Zeta Corp",
		"Zeta's privacy policy":                                   "? Zeta",
		"2011년 사업보고서에서 매출은?":                                      "! 2011년 사업보고서",
		"이용 안내 11번에 뭐라고 돼 있어?":                                    "! 안내 11번",
		"계약은 언제 끝나?":                                              "",
		"우리 계약은 언제 끝나?":                                           "",
		"연차 휴가는 며칠이야?":                                            "",
		"what does the privacy policy say?":                       "",
		"하늘이 맑은 날에는?":                                             "",
	} {
		r := d.Read(question)
		got := strings.Join(r.IDs(), " ")
		if r.Name != "" {
			got = "? " + r.Entity
		}
		if r.Missing != "" {
			got = "! " + r.Missing
		}
		if got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

// TestFigures: years, versions and numbers beside a name must be those of the name.
func TestFigures(t *testing.T) {
	t.Parallel()
	d := directory(
		"여비규정 2022년판", "여비규정 2023년판", "보안지침 v1.2", "보안지침 v1.12", "협력사 보안지침", "Lease of 12 Maple Street", "Lease of 21 Maple Street",
		"바다상사 물품공급계약서 (2023)", "바다상사 물품공급계약서 (2024)", "산들상사 물품공급계약서", "Orion Data Privacy Policy", "Lumen Health Privacy Policy",
		"Board minutes 2025-07-02", "Board minutes 2025-07-16", "Board minutes 2026-01-28", "Transparency report 2024", "운영위 1회차 회의", "운영위 2회차 회의",
	)
	for question, want := range map[string]string{
		"22년 여비규정 식비는?":                                      "여비규정 2022년판",
		"여비규정 2019년판 식비는?":                                   "없음: 여비규정 2019년판",
		"보안지침 v1.12 비밀번호":                                    "보안지침 v1.12",
		"보안지침 1.2 버전 비밀번호":                                   "보안지침 v1.2",
		"보안지침 v1.1에서 비밀번호는?":                                 "없음: 보안지침 v1.1",
		"In the lease of 12 Maple Street, is there rent?":    "Lease of 12 Maple Street",
		"In the lease of 112 Maple Street, is there rent?":   "없음: 112 maple street",
		"2024년에 바다상사랑 맺은 계약 지체상금은?":                          "바다상사 물품공급계약서 (2024)",
		"바다상사 2022년 물품공급계약서에서 지체상금은?":                        "없음: 바다상사 2022년 물품공급계약서",
		"산들상사 계약서에서 2022년 납품 수량은?":                           "산들상사 물품공급계약서",
		"바다상사 계약은 3년이면 어떻게 돼?":                               "바다상사 물품공급계약서 (2023) 바다상사 물품공급계약서 (2024)",
		"In the July 2, 2025 board minutes, who spoke?":      "Board minutes 2025-07-02",
		"2025년 7월 16일 board minutes에서 누가 말했어?":               "Board minutes 2025-07-16",
		"In the board minutes of 2026, who spoke?":           "Board minutes 2026-01-28",
		"In the board minutes of 2025-07-03, who spoke?":     "없음: board minutes of 2025-07-03",
		"Board minutes of March 2025: who spoke?":            "없음: board minutes of march 2025",
		"Transparency report 2019: how many cases?":          "없음: transparency report 2019",
		"Is there a report on 2019 wages?":                   "",
		"운영위 2회차 회의에서 뭘 정했어?":                                "운영위 2회차 회의",
		"운영위 12회차 회의에서 뭘 정했어?":                               "없음: 12회차 회의",
		"Does the privacy policy of Orion Media allow ads?":  "없음: orion media",
		"In Solaris Health's privacy policy, are there ads?": "없음: solaris",
	} {
		r := d.Read(question)
		got := strings.Join(r.IDs(), " ")
		if name := r.Missing; name != "" || r.Name != "" {
			if name == "" {
				name = r.Entity
			}
			got = "없음: " + name
		}
		if !strings.EqualFold(got, want) {
			t.Errorf("%q names %q, want %q", question, got, want)
		}
	}
}

// TestCountsAndEditions: what is said to happen some times is no round, and rules hold from the day in their name until the next.
func TestCountsAndEditions(t *testing.T) {
	t.Parallel()
	d := directory(
		"1회차 이사회 의사록", "2회차 이사회 의사록", "3회차 이사회 의사록", "이사회 운영규정", "안전교육 1차", "안전교육 2차", "안전교육 3차",
		"여비규정(2025.01.01)", "인사규정_2024-03-02", "travel-policy-2025-01-15", "보안지침 2024-01-01", "보안지침 2025-07-01", "경영회의록 2025-07-02", "경영회의록 2025-09-03", "경영회의록 2025-10-01",
		"가격표 2025-01-15",
	)
	for question, want := range map[string]string{
		"이사회 5회 빠지면?":                       "",
		"이사회 5회 불참하면 어떻게 돼?":                "",
		"5회 이사회 빠지면?":                       "",
		"안전교육 5회 빠지면 어떻게 돼?":                "",
		"안전교육 4회 받아야 해?":                    "",
		"이사회 5회차 의사록 알려줘":                   "missing",
		"이사회 제5회 의사록 알려줘":                   "missing",
		"5회 이사회 의사록에서 뭘 정했어?":               "missing",
		"이사회 2회 의사록에서 뭘 정했어?":               "2회차 이사회 의사록",
		"여비규정 2025년 6월 숙박비?":                "여비규정(2025.01.01)",
		"2025년 12월 여비규정 기준 숙박비 알려줘":         "여비규정(2025.01.01)",
		"2024년 5월 인사규정 승진은?":                "인사규정_2024-03-02",
		"2026년 인사규정 승진은?":                   "인사규정_2024-03-02",
		"travel policy March 2025: hotels?": "",
		"보안지침 2025년 3월 비밀번호는?":              "보안지침 2024-01-01",
		"보안지침 2025년 8월 비밀번호는?":              "보안지침 2025-07-01",
		"경영회의록 2025년 8월 안건은?":               "missing",
		"경영회의록 2025년 7월 안건은?":               "경영회의록 2025-07-02",
		"가격표 2025년 3월 노트북은?":                "",
	} {
		r := d.Read(question)
		got := strings.Join(r.IDs(), " ")
		if r.Missing != "" {
			got = "missing"
		}
		if got != want {
			t.Errorf("%q names %q (missing %q), want %q", question, got, r.Missing, want)
		}
	}
}

// TestDurations: years of two digits are durations unless a name has that year.
func TestDurations(t *testing.T) {
	t.Parallel()
	d := directory("휴가규정 2022년판", "휴가규정 2023년판", "출장비 지침 2호", "출장비 지침 3호")
	for question, want := range map[string]string{
		"근속 10년 휴가규정 며칠?":  "",
		"20년 휴가규정 며칠?":     "",
		"근속 5년 휴가규정 며칠?":   "",
		"22년 휴가규정 며칠?":     "휴가규정 2022년판",
		"23년도 휴가규정 며칠?":    "휴가규정 2023년판",
		"5년 출장비 지침은?":      "",
		"2019년 휴가규정 며칠?":   "없음 2019년 휴가규정",
		"출장비 지침 7호 며칠까지야?": "없음 지침 7호",
	} {
		r := d.Read(question)
		got := strings.Join(r.IDs(), " ")
		if r.Missing != "" {
			got = "없음 " + r.Missing
		}
		if got != want {
			t.Errorf("%q names %q, want %q", question, got, want)
		}
	}
}

// TestRecordsOfDays: a date beside the word for a record of its day must be a record's, another unit is no number of a name, and a day of
// the week is no name.
func TestRecordsOfDays(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{"TSC-2026-01-28", "TSC-2026-03-25", "TSC Charter", "안전교육 1차", "안전교육 2차", "안전교육 규정", "Board meeting", "Team meeting", "Mozilla VPN notice", "Mozilla Mail notice"} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: "doc"})
	}
	d := naming.New(docs)
	for question, want := range map[string]string{
		"What was said in the TSC meeting of 2023-03-01?":     "-TSC meeting of 2023-03-01",
		"What did they say in the TSC notes on 2023-03-01?":   "-TSC notes on 2023-03-01",
		"The TSC meeting on 2026-12-10: what must it decide?": "~TSC meeting",
		"Is the TSC meeting on 2026-12-10 moved?":             "~TSC meeting",
		"Who spoke in the TSC minutes of January 28, 2026?":   "TSC-2026-01-28",
		"Since the meeting on 2023-03-01, who chairs?":        "",
		"안전교육 5번 빠지면 어떻게 돼?":                                  "",
		"안전교육 5차에서 뭐 했어?":                                     "-안전교육 5차",
		"what is in the Monday meeting notes?":                "",
		"Mozzila VPN notice: what is logged?":                 "Mozilla VPN notice",
	} {
		r := d.Read(question)
		got := ""
		switch {
		case r.Missing != "":
			got = "-" + r.Missing
		case r.Name != "":
			got = "~" + r.Name
		case len(r.Documents) == 1:
			got = r.Documents[0].Title
		}
		if got != want {
			t.Errorf("%q reads as %q, want %q", question, got, want)
		}
	}
}
