package naming_test

import (
	"slices"
	"testing"

	"maru/rag"
	"maru/rag/naming"
)

// TestForeignNames: a name in Latin letters is found as people write its sound in Korean, before a noun for a kind of document alone.
func TestForeignNames(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{
		"Brookhaven 이용약관", "Daily Script 이용약관", "WakeAgain 개인정보처리방침", "Moodmingle Terms of Service", "Firefox Privacy Notice", "Codeworks Terms", "Uniletter 이용약관",
		"Employee Handbook", "GitHub Pages Terms", "GitHub Event Terms", "GitHub Sponsors Terms", "나래 이용약관", "하늘 개인정보처리방침", "Codegate Terms",
		"Finance Policy", "Database Guide", "Workflow Guide", "Version Policy", "Fusion Policy", "Design Guide", "Service Policy", "Mobile Style Guide",
	} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: "doc"})
	}
	d := naming.New(docs)
	for question, want := range map[string][]string{
		"데일리스크립트 약관에서 환불은?":      {"Daily Script 이용약관"},
		"데일리 스크립트 이용약관에서 환불은?":   {"Daily Script 이용약관"},
		"웨이크어게인 개인정보방침에 보유 기간은?": {"WakeAgain 개인정보처리방침"},
		"무드밍글 약관에서 환불은?":         {"Moodmingle Terms of Service"},
		"파이어폭스의 정책에 뭐가 있어?":      {"Firefox Privacy Notice"},
		"코드게이트 약관에서 탈퇴는?":        {"Codegate Terms"},
		"코드웍스 약관 알려줘":            {"Codeworks Terms"},
		"유니레터 이용약관에서 환불은?":       {"Uniletter 이용약관"},
		"브룩헤이븐 약관에서 환불은?":        {"Brookhaven 이용약관"},
		"파이어폭스에서 환불은?":           nil,
		"파이낸스 정책에 뭐가 있어?":        {"Finance Policy"},
		"데이터베이스 안내서에 뭐가 있어?":     {"Database Guide"},
		"모바일 약관에서 환불은?":          nil,
		"대표이사 서명이 필요한 계약서는?":     nil,
		"대표이사 안내서에 뭐가 있어?":       nil,
		"위약벌 안내서에 뭐 있어?":         nil,
		"도서관은 이용 안내서가 있어?":       nil,
		"도서관 안내서가 있어?":           nil,
		"부산 규정에서 숙박비는?":          nil,
		"판교 규정에서 숙박비는?":          nil,
		"번역 지침에 뭐 있어?":           nil,
		"새벽 지침에 뭐 있어?":           nil,
		"쉽게 지침을 쓰려면?":            nil,
	} {
		var got []string
		r := d.Read(question)
		if len(r.Titles) > 0 {
			for _, doc := range r.Titles[0].Full {
				got = append(got, doc.Title)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q names %q, want %q", question, got, want)
		}
	}
	if r := d.Read("모바일 약관에서 환불은?"); len(r.Titles) == 0 || r.Titles[0].Name != "모바일 약관" {
		t.Errorf("a title that no document has reads as %+v, want it as typed", r.Titles)
	}
	if r := d.Read("깃허브 이용약관에서 환불은?"); len(r.Titles) == 0 || len(r.Titles[0].Many) != 3 {
		t.Errorf("the terms of GitHub read as %+v, want three documents", r.Titles)
	}
}
