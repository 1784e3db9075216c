package naming_test

import (
	"testing"

	"maru/rag"
	"maru/rag/naming"
)

// TestStrangers reads names that share words with those of documents.
func TestStrangers(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{
		"하늘철강 물품공급계약서", "하늘철물 물품공급계약서", "누리솔루션 용역계약서", "누리솔라 용역계약서", "한결전자 TV 보증서", "한결전자 냉장고 보증서", "한울전자 TV 보증서",
		"바다여행 개인정보 처리방침", "한빛대학교 개인정보 처리방침", "로봇청소기 R7 설명서", "무선이어폰 E5 설명서",
		"Distribution Agreement with Larkspur Foods", "Distribution Agreement with Larkfield Foods", "Lumo Desk Lamp Guide",
	} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: "doc"})
	}
	d := naming.New(docs)
	for question, want := range map[string]struct{ entity, stranger, missing, document string }{
		"하늘철도 계약은 언제 끝나?":                         {},
		"누리소프트 용역 계약 대금 지급일은?":                    {stranger: "누리소프트"},
		"한솔전자 TV 보증기간은?":                          {stranger: "한솔전자"},
		"한울전자 냉장고 보증서 보증 기간?":                     {missing: "한울전자 냉장고 보증서"},
		"바다은행은 회원 정보를 얼마 동안 보관해?":                 {stranger: "바다은행"},
		"'R9' 로봇청소기 배터리는?":                        {stranger: "R9"},
		"Larkhill Foods: when do we pay?":         {entity: "Larkhill"},
		"When does Larkspor Foods have to pay?":   {entity: "Larkspor"},
		"한길전자 TV 보증기간은?":                          {stranger: "한길전자"},
		"When does Larkhill Foods have to pay?":   {entity: "Larkhill"},
		"When does Larkspurr Foods have to pay?":  {entity: "Larkspurr", stranger: "Larkspurr", document: "Distribution Agreement with Larkspur Foods"},
		"What is the Lumo floor lamp's warranty?": {stranger: "Lumo floor lamp"},
		"(한빛대학교) 보유 기간":                           {document: "한빛대학교 개인정보 처리방침"},
		"하늘철강도 해지할 수 있어?":                         {},
	} {
		r := d.Read(question)
		document := ""
		if len(r.Documents) == 1 {
			document = r.Documents[0].Title
		}
		if want.entity != "" && r.Entity != want.entity || r.Stranger != want.stranger || r.Missing != want.missing || document != want.document {
			t.Errorf("%q: entity %q, stranger %q, missing %q, document %q; want %+v", question, r.Entity, r.Stranger, r.Missing, document, want)
		}
	}
}
