package rag_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"maru/rag"
)

// sample has something for every rule of the analyser.
const sample = "\uFF21BC 근로기준법 제60조의2(연차 유급휴가) 사용자는 1년간 80퍼센트 이상 출근한 근로자에게 15일의 유급휴가를 주어야 한다. " +
	"신청하려면 재택근무를 등록했습니다. getUserName HTTP_PORT v1.2 covid-19 1,000.50 running studies the of " +
	"Article 5(2) 第三條 日本語 Привет naïve 설치ㆍ운영 병법제5조 별표 2 don't " +
	"don’t ça Straße 집으로 서울로부터 도로 휴가 2조 5천억 5조 2항 oﬃce 제①항 제Ⅲ장 World War Ⅱ ㈜마루 5㎡ m² ⑴ ㉠ ㅋㅋ ﾾￂﾤﾡￚﾩ ½ ™"

// TestAnalyzerVersion: who changes the terms raises [rag.AnalyzerVersion] and
// writes the new sum here; then indexes build themselves again.
func TestAnalyzerVersion(t *testing.T) {
	t.Parallel()
	var a rag.Analyzer
	h, n := fnv.New64a(), 0
	add := func(term []byte) {
		_, _ = h.Write(append(term, 0)) // a hash does not fail
		n++
	}
	a.Title("근로기준법 > 제4장 > 제60조의2(연차 유급휴가)", add)
	a.Document(sample, add)
	got := fmt.Sprintf("version %d: %d terms, %016x", rag.AnalyzerVersion, n, h.Sum64())
	if want := "version 5: 162 terms, b58d0ed3690de271"; got != want {
		t.Errorf("the analyser makes other terms than it did: %s, want %s", got, want)
	}
}
