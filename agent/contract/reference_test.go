package contract

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"제5조 알려줘":                  "제5조",
		"5조는 뭐야?":                  "제5조",
		"제 10 조의 2":                "제10조의2",
		"제10조의2 제1항":               "제10조의2제1항",
		"제5조 제2항 제3호":              "제5조제2항제3호",
		"제3조와 제7조를 비교해줘":           "제3조 제7조",
		"제3조부터 제6조까지":              "제3조 제4조 제5조 제6조",
		"제3조~제5조":                  "제3조 제4조 제5조",
		"제1조부터 제99조까지":             "제1조 제99조", // too many to read: its ends
		"별표 1과 부칙":                 "별표 1 부칙",
		"매출 5조 원을 넘으면":             "",
		"케이크 2조각":                  "",
		"What is Article 5?":       "Article 5",
		"article 10-2":             "Article 10-2",
		"Article 5(2)(c)":          "Article 5(2)(c)",
		"paragraph 2 of Article 9": "Article 9(2)",
		"Articles 3, 5 and 7":      "Article 3 Article 5 Article 7",
		"Articles 3 to 5":          "Article 3 Article 4 Article 5",
		"Annex A and Schedule 2":   "Annex A Annex 2",
		"schedule a meeting":       "",
	} {
		var got []string
		for _, r := range references(text) {
			got = append(got, r.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

func TestParagraphAlone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2항은?": "2", "그럼 제3항 1호는?": "3 1", "and paragraph 2?": "2", "제5조 2항": "", "사항은?": "", "항목 3개": "", "12월 3일": "",
	} {
		paragraph, item := innerOnly(text)
		if got := strings.TrimSpace(paragraph + " " + item); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestLeaning(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"그럼 해지하면 어떻게 되나요?": true, "그것은 유효한가요?": true, "아까 말한 조항을 다시 설명해 주세요": true, "2항은?": true, "왜?": true,
		"is that enforceable?": true, "and the deposit?": true, "what about it": true,
		"제5조 알려줘": false, "해지 통지는 며칠 전에 해야 하나요?": false, "How long is the notice period for termination?": false,
	} {
		if got := leansBack(text); got != want {
			t.Errorf("%q leans: %v", text, got)
		}
	}
}

func TestReadingQuestionsNeverPanics(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("제조의항호별표부칙0123456789 .,()-~①가나abArticle§annexsto\n"))).Draw(t, "text")
		if n := len(references(text)); n > maxRefs {
			t.Errorf("%d references", n)
		}
		innerOnly(text)
		leansBack(text)
		lookedUp(text, []Done{{Call: Call{Tool: toolIndex}}})
	})
}
