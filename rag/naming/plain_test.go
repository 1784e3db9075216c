package naming_test

import (
	"testing"

	"maru/rag"
	"maru/rag/naming"
)

// TestPlainQuestions: small words, numbers of minutes, lists and ways of doing something name no document.
func TestPlainQuestions(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{
		"Minutes of March", "Minutes of April", "Board Minutes 12", "Board Minutes 13", "Northgate price list", "Alder price list", "Master Services Agreement — Northgate", "Master Services Agreement — Alder",
		"Commercial Lease", "Residential Lease", "소액사건심판법", "경범죄처벌법", "집행관법", "청원경찰법", "Sprint 12 minutes", "Sprint 13 minutes",
	} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: "doc"})
	}
	d := naming.New(docs)
	for _, question := range []string{
		"What was the transaction volume of Ethereum last week?", "How windy is it in San Francisco?", "Give me a list of Michelin restaurants", "I need a list of commercial printers",
		"Make a video of 5 minutes about spring", "Does a call of 30 minutes count?", "Does a meeting of 45 minutes need a room?", "Who brings food for 90 minutes?", "a break of 15 minutes",
		"수시력에서 채택한 계산법은?", "가장 적합한 표현방법은?",
	} {
		if r := d.Read(question); r.Missing != "" || r.Name != "" || len(r.Documents) > 0 {
			t.Errorf("%q names %q %q %v, want nothing", question, r.Missing, r.Name, r.IDs())
		}
	}
	if r := d.Read("Under the MSA Northgate, when are invoices due?"); len(r.Documents) != 1 {
		t.Errorf("initials name %v, want one document", r.IDs())
	}
	for question, want := range map[string]string{"Board minutes 215: what was decided?": "Board minutes 215", "Sprint 14 minutes: who came?": "14 minutes", "계산법 제3조": "계산법"} {
		if r := d.Read(question); r.Missing != want {
			t.Errorf("%q misses %q, want %q", question, r.Missing, want)
		}
	}
}

// TestOtherNumbers: one document with a number in its name makes no other number missing, and years of service are no year of an edition.
func TestOtherNumbers(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{"포상 규정 2023", "포상 규정 2024", "Error 404 runbook", "Form 1099 guide", "회의실 301 안내", "ISO 27001 checklist"} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: "doc"})
	}
	d := naming.New(docs)
	for _, question := range []string{"What does error 500 mean?", "Where do I get form 1040?", "Do we have ISO 9001?", "회의실 405 어디야?", "근속 25년 포상 규정 알려줘", "25년 포상 규정에서 금 몇 돈이야?"} {
		if r := d.Read(question); r.Missing != "" {
			t.Errorf("%q misses %q", question, r.Missing)
		}
	}
	if r := d.Read("포상 규정 2022에서 금 몇 돈이야?"); r.Missing == "" {
		t.Error("an edition of another year is not missing")
	}
}
