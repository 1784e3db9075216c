package naming_test

import (
	"testing"

	"maru/rag"
	"maru/rag/naming"
)

// TestHeardWords: wherever it stands, a word is read as one of names that it is written for in the other script.
func TestHeardWords(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{"tmux", "Corvus Bikes – warranty", "Lisbon office guide", "kettle deploy tool", "Halden price list", "대한포장 단가표", "한빛소프트 유지보수계약", "판교 주차 안내", "대성물류 운송계약서", "휴가 규정", "Design Guide"} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: "doc"})
	}
	d := naming.New(docs)
	for question, want := range map[string]string{
		"티먹스 세션 목록 보는 법":                       "tmux",
		"코르부스에서 자전거 도색은 몇 년 보증해?":              "corvus",
		"리스본 사무실 문은 언제 열어?":                    "lisbon",
		"케틀로 배포하려면?":                           "kettle",
		"핼던은 카드 100장에 얼마야?":                    "halden",
		"daehan packaging: minimum order?":     "대한",
		"What do we pay HanbitSoft per month?": "한빛소프트",
		"how long may I park at pangyo":        "판교",
		"does Daesung deliver on Sundays?":     "대성",
		"도서관은 몇 시까지 열어?":                       "",
		"휴일에는 누가 일해?":                          "",
		"How much is a banana on sale?":        "",
		"Can I carry over some of my leave?":   "",
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
