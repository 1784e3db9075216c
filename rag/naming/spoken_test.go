package naming_test

import (
	"strings"
	"testing"

	"maru/rag"
	"maru/rag/naming"
)

// TestSpoken: ways in which people say a name that no document writes so.
func TestSpoken(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{
		"Service Level Agreement Gold", "Service Level Agreement Gold Plus", "Service Level Agreement Silver", "강남1지점 운영지침", "강남2지점 운영지침",
		"ISO 9001 품질 매뉴얼", "ISO 14001 환경 매뉴얼", "2024년 1분기 경영회의록", "2024년 1분기 이사회 의사록", "2023년 1분기 경영회의록",
		"든든실손의료보험 1형 약관", "든든실손의료보험 2형 약관", "Sublease Unit 4B", "Sublease Unit 14B", "Aurora API Guide v2", "Aurora API Guide v3",
		"판교 알파타워 임대차계약서", "판교 베타타워 임대차계약서",
	} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: title})
	}
	d := naming.New(docs)
	for question, want := range map[string]string{
		"What's the response time under the Gold SLA?":          "Service Level Agreement Gold",
		"Service credit in the Silver service level agreement?": "Service Level Agreement Silver",
		"강남1지점은 마감이 몇 시야?":                                      "강남1지점 운영지침",
		"ISO14001 기록 보존 기간은?":                                   "ISO 14001 환경 매뉴얼",
		"2024년 1분기 이사회에서 뭐 정했어?":                                "2024년 1분기 이사회 의사록",
		"든든실손 2형 한도는?":                                          "든든실손의료보험 2형 약관",
		"1형 든든실손의료보험의 한도는?":                                     "든든실손의료보험 1형 약관",
		"sublease of 14B: how much is the deposit?":             "Sublease Unit 14B",
		"Aurora API guide version 3: rate limit?":               "Aurora API Guide v3",
	} {
		if r := d.Read(question); strings.Join(r.IDs(), ", ") != want {
			t.Errorf("%q names %q, want %q", question, r.IDs(), want)
		}
	}
	for question, missing := range map[string]string{
		"강남3지점 운영지침에 마감이 몇 시야?":                         "강남3",
		"Uptime in the Service Level Agreement Bronze?": "Bronze",
		"판교 감마타워 임대차계약서의 보증금은?":                         "감마타워",
	} {
		if r := d.Read(question); len(r.Documents) > 0 || !strings.Contains(r.Missing+r.Name, missing) {
			t.Errorf("%q names %q, misses %q, want that %q is missing", question, r.IDs(), r.Missing+r.Name, missing)
		}
	}
}
