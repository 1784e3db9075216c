package naming_test

import (
	"slices"
	"testing"

	"maru/rag"
	"maru/rag/naming"
)

// TestHeardWords: wherever it stands, a word is read as one of names that it is written for in the other script.
func TestHeardWords(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{
		"tmux", "Corvus Bikes – warranty", "Lisbon office guide", "kettle deploy tool", "Halden price list", "대한포장 단가표", "한빛소프트 유지보수계약", "판교 주차 안내", "대성물류 운송계약서", "휴가 규정", "Design Guide",
		"Munich office guide", "Disney licence", "Carlos onboarding", "Claim procedure", "인도네시아 출장 안내", "카테고리 목록", "문구 구매 안내", "소매 매뉴얼",
	} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: "doc"})
	}
	d := naming.New(docs)
	for question, want := range map[string]string{
		"티먹스 세션 목록 보는 법":                       "tmux",
		"코르부스에서 자전거 도색은 몇 년 보증해?":              "corvus",
		"리스본 사무실 문은 언제 열어?":                    "lisbon",
		"daehan packaging: minimum order?":     "대한",
		"What do we pay HanbitSoft per month?": "한빛소프트",
		"how long may I park at pangyo":        "판교",
		"does Daesung deliver on Sundays?":     "대성",
		"도서관은 몇 시까지 열어?":                       "",
		"휴일에는 누가 일해?":                          "",
		"How much is a banana on sale?":        "",
		"Can I carry over some of my leave?":   "",
		"How do I get into the building?":      "",
		"Which gate do I use?":                 "",
		"Can I get some paper?":                "",
		"where is mongo running":               "",
		"그럼 나머지는 언제 써?":                        "",
		"그래서 자전거 빌리는 사람은 누구야?":                 "",
		"자전거를 빌린 사람한테 문자 보내줘":                  "",
		"대신 문제 먼저 풀어줘":                         "",
		"케틀로 배포하려면?":                           "",
	} {
		got := ""
		if heard := d.Read(question).Heard; len(heard) > 0 {
			got = heard[0].Name
		}
		if got != want {
			t.Errorf("%q is heard as %q, want %q", question, got, want)
		}
	}
}

func TestHangul(t *testing.T) {
	t.Parallel()
	for w, want := range map[string]string{"Suwon": "수원", "Gimje": "김제", "pangyo": "판교", "Mirae": "미래", "hanbit": "한빛", "Yeongnam": "영남"} {
		if got := naming.Hangul(w); !slices.Contains(got, want) {
			t.Errorf("%q may be %q, want %q", w, got, want)
		}
	}
	for _, w := range []string{"Berlin", "mysql", "Contoso!", "strength", ""} {
		if got := naming.Hangul(w); len(got) > 0 {
			t.Errorf("%q may be %q, want nothing", w, got)
		}
	}
}
