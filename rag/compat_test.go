package rag_test

import (
	"slices"
	"testing"

	"maru/rag"
)

// TestCompatibilityForms: what is in a document in ligatures, half-width Hangul or characters for units and numbers has
// the terms of what people type.
func TestCompatibilityForms(t *testing.T) {
	t.Parallel()
	terms := func(text string) (out []string) {
		var a rag.Analyzer
		a.Document(text, func(term []byte) { out = append(out, string(term)) })
		return out
	}
	for document, typed := range map[string]string{
		"oﬃce ﬁre drill on the ﬁrst ﬂoor": "office fire drill on the first floor",
		"aﬀect eﬄuent ﬅaﬀ":                "affect effluent staff",
		"제①항과 제⑳항":                        "제1항과 제20항",
		"제Ⅲ장 안전":                          "제3장 안전",
		"Ⅳ장 벌칙":                           "4장 벌칙",
		"World War Ⅱ":                     "World War II",
		"ﾾￂﾤﾡￚﾩ ﾡￒﾷￗﾡ ﾡￂﾴﾡￍ ﾧￂﾪﾧￌ ﾷￛﾸￂ": "한글 교육 값과 닭도 의자", // composed as a keyboard does
		"㈜마루 회의":               "(주)마루 회의",
		"㉮ 전기 ㉯ 가스":            "가 전기 나 가스",
		"넓이 33㎡, 무게 5㎏, 길이 7㎞": "넓이 33m2, 무게 5kg, 길이 7km",
		"넓이 33m²":              "넓이 33m2",
		"⑴ 신청 ⑵ 승인":            "(1) 신청 (2) 승인",
		"25℃ 이하":               "25°C 이하",
		"ⓐ first":              "a first",
		"Ｆｕｌｌ width":           "Full width",
	} {
		if got, want := terms(document), terms(typed); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", document, got, want)
		}
	}
	for _, same := range []string{"Maru™ ½ ㅋㅋ ㉠ №", "근로기준법 제3조 ① 사용자는 ② 근로자는"} {
		if got := terms(same); len(got) == 0 {
			t.Errorf("%q has no terms", same)
		}
	}
}
