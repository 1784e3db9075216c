package rag_test

import (
	"testing"

	"maru/rag"
)

// namesOf returns the naming terms of head lines, as an index would hold them.
func namesOf(heads ...string) map[string]string {
	known := map[string]string{}
	for _, h := range heads {
		var a rag.Analyzer
		a.Title(h, func(term []byte) {
			if rag.IsKey(term) {
				known[string(term)] = h
			}
		})
	}
	return known
}

func TestNamed(t *testing.T) {
	t.Parallel()
	const (
		law      = "근로기준법 > 제4장 근로시간과 휴식 > 제60조(연차 유급휴가)"
		decree   = "근로기준법 시행령 > 제60조(과태료의 부과기준)"
		flat     = "법학전문대학원 설치ㆍ운영에 관한 법률 제5조의2(설치기준)"
		contract = "Consulting Services Agreement > Article 5. Fees and Payment"
		plain    = "휴가 안내 > 신청"
	)
	known := namesOf(law, decree, flat, contract, plain)
	for question, want := range map[string]string{
		"근로기준법 제60조":                                                           law,
		"근로 기준법 60조는 뭐야?":                                                      law,
		"근로기준법제60조제1항":                                                         law,
		"근로기준법 시행령 제60조":                                                       decree,
		"근로기준법에서 연차유급휴가 조항":                                                    law,
		"법학전문대학원설치·운영에관한법률 제5조의2에는?":                                           flat,
		"consulting services agreement article 5":                              contract,
		"What does the Consulting Services Agreement say on fees and payment?": contract,
		"근로기준법 제61조":                                                           "",
		"근로기준법이 뭐야?":                                                           "",
		"제60조":                                                                 "",
		"휴가 안내 신청":                                                             "",
		"Article 5":                                                            "",
		"":                                                                     "",
		"근로기준법 시행령 제61조":                                                       "",
		"근로기준 제60조의 연차":                                                        "",
		"근로기준법\n\n제60조?\n":                                                     law,
	} {
		var got []string
		for _, k := range rag.Named(rag.Query{Text: question}, func(term string) bool { return known[term] != "" }) {
			got = append(got, known[k])
		}
		if len(got) > 1 || (len(got) == 1) != (want != "") || (want != "" && got[0] != want) {
			t.Errorf("%q names %q, want %q", question, got, want)
		}
	}
}
