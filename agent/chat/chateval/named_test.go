package chateval_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"maru/datatest"
	"maru/rag"
	"maru/rag/library"
)

// paper is a document of a party: of its kind every party's has the same parts, so that only its name tells it apart.
type paper struct{ party, kind, source, text string }

// papers are documents with made-up parties. Every third names its party in the title, every third in the file's name
// only, and every third in its text only.
func papers(t *testing.T) (all []paper, parts map[string][]string) {
	t.Helper()
	parts = map[string][]string{}
	english, korean := passagesOf(t, "scifact"), passagesOf(t, "korquad1-dev")
	kinds := []struct {
		kind, lang string
		parties    []string
	}{
		{"Privacy Policy", "en", []string{"Acme Robotics", "Birchwood Labs", "Northwind Traders", "Fabrikam", "Globex", "Tailspin Toys"}},
		{"Supply Agreement", "en", []string{"Acme Robotics", "Contoso Foods", "Umbra Marine", "Litware", "Globex", "Vandelay Imports"}},
		{"물품공급계약서", "ko", []string{"하늘철강", "바다물류", "누리테크", "미래상사", "한빛건설", "가온식품"}},
		{"개인정보 처리방침", "ko", []string{"하늘철강", "별빛교육", "다온은행", "솔잎의료원", "한빛건설", "푸른통신"}},
	}
	for k, kind := range kinds {
		texts := english
		if kind.lang == "ko" {
			texts = korean
		}
		texts = texts[k*40 : k*40+8]
		for _, p := range texts {
			parts[kind.kind] = append(parts[kind.kind], p.Title)
		}
		for i, party := range kind.parties {
			p := paper{party: party, kind: kind.kind}
			title, opening := kind.kind, "This document is of the company named on its cover."
			switch {
			case i%3 == 0 && kind.lang == "en":
				title, p.source = party+" "+kind.kind, fmt.Sprintf("doc%d-%d.md", k, i)
			case i%3 == 0:
				title, p.source = kind.kind+"("+party+")", fmt.Sprintf("문서%d-%d.md", k, i)
			case i%3 == 1:
				p.source = strings.ReplaceAll(strings.ToLower(party+" "+kind.kind), " ", "-") + ".md"
			default:
				p.source, opening = fmt.Sprintf("scan%d-%d.md", k, i), "This "+kind.kind+" is of "+party+", the Company."
				if kind.lang == "ko" {
					opening = party + "(이하 \"회사\"라 한다)의 " + kind.kind + "이다."
				}
			}
			var b strings.Builder
			fmt.Fprintf(&b, "# %s\n\n%s\n\n", title, opening)
			for _, x := range texts {
				fmt.Fprintf(&b, "## %s\n\n%s\n\n", x.Title, x.Text)
			}
			p.text = b.String()
			all = append(all, p)
		}
	}
	return all, parts
}

type passage struct{ Title, Text string }

// passagesOf reads passages of a public set, each title once.
func passagesOf(t *testing.T, set string) (out []passage) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.Lines(string(datatest.File(t, set+"/corpus.jsonl"))) {
		var p passage
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		p.Title = strings.ReplaceAll(strings.TrimSuffix(p.Title, "."), "_", " ")
		if !seen[p.Title] && len(out) < 200 && len(p.Title) < 90 && !strings.ContainsAny(p.Title, "[],:") && !strings.Contains(p.Title, " who ") {
			out = append(out, p)
		}
		seen[p.Title] = true
	}
	return out
}

// TestNamedDocuments asks of parties' documents that differ in nothing but their names. An answer must cite the document
// that is named; where the party has none, the answer must cite nothing.
func TestNamedDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	s := newShelf(t)
	all, parts := papers(t)
	for _, p := range all {
		if _, err := s.lib.AddBundled(t.Context(), "public", []library.Bundled{{Name: p.source, Data: []byte(p.text)}}); err != nil {
			t.Fatal(err)
		}
	}
	ways := map[string][]func(party, kind, about string) string{
		"Privacy Policy": {
			func(a, k, q string) string {
				return "According to the privacy policy of " + a + ", what about " + q + "?"
			},
			func(a, k, q string) string { return a + "'s privacy policy: " + q },
			func(a, k, q string) string { return "[" + a + "] privacy policy, " + q },
			func(a, k, q string) string {
				return "Consider " + a + "'s privacy policy; what does it say about " + q + "?"
			},
			func(a, k, q string) string { return "What does the " + a + " privacy policy say about " + q + "?" },
			func(a, k, q string) string { return "In the privacy policy from " + a + ": " + q + "?" },
			func(a, k, q string) string { return "per the " + a + " privacy policy, what of " + q + "?" },
			func(a, k, q string) string {
				return "I have a question on " + a + "'s privacy policy. What about " + q + "?"
			},
		},
		"Supply Agreement": {
			func(a, k, q string) string {
				return "According to the supply agreement with " + a + ", what about " + q + "?"
			},
			func(a, k, q string) string { return "What does the " + a + " agreement say about " + q + "?" },
			func(a, k, q string) string { return "[" + a + "] supply agreement: " + q },
			func(a, k, q string) string {
				return "Consider the Supply Agreement between us and " + a + "; " + q + "?"
			},
			func(a, k, q string) string { return "under " + a + "'s agreement, what is said on " + q },
			func(a, k, q string) string { return "In our agreement with " + a + ", what about " + q + "?" },
			func(a, k, q string) string { return "Does the " + a + " supply agreement mention " + q + "?" },
		},
		"물품공급계약서": {
			func(a, k, q string) string { return a + " 계약은 " + q + "에 대해 뭐라고 해?" },
			func(a, k, q string) string { return a + " 물품공급계약서에서 " + q + " 알려줘" },
			func(a, k, q string) string { return "[" + a + "] 계약서에 " + q + " 내용이 있어?" },
			func(a, k, q string) string {
				return particle(a, "과", "와") + " 맺은 계약에서 " + q + "은 어떻게 돼?"
			},
			func(a, k, q string) string { return a + "의 공급계약서 기준으로 " + q + "?" },
			func(a, k, q string) string { return particle(a, "이랑", "랑") + " 한 계약에 " + q + " 있어?" },
			func(a, k, q string) string { return a + " 계약서상 " + q + "은?" },
		},
		"개인정보 처리방침": {
			func(a, k, q string) string { return a + " 개인정보 처리방침에 따르면 " + q + "은?" },
			func(a, k, q string) string { return a + "의 처리방침에서 " + q + " 알려줘" },
			func(a, k, q string) string { return "[" + a + "] 개인정보 처리방침 " + q },
			func(a, k, q string) string { return a + " 개인정보처리방침상 " + q + "은 뭐라고 나와?" },
			func(a, k, q string) string {
				return "개인정보 처리방침 중 " + particle(a, "이", "가") + " 낸 것에서 " + q + "?"
			},
			func(a, k, q string) string { return "처리방침(" + a + ") " + q + " 내용" },
			func(a, k, q string) string {
				return particle(a, "은", "는") + " 처리방침에서 " + q + "에 대해 뭐라고 해?"
			},
		},
	}
	others := map[string][]string{"Privacy Policy": {"Zenith Optics", "Hooli", "Quantum Bakery"}, "Supply Agreement": {"Zenith Optics", "Hooli", "Pinecrest Mills"}, "물품공급계약서": {"구름상사", "노을전자", "은하제약"}, "개인정보 처리방침": {"구름상사", "노을전자", "초록병원"}}
	rnd := rand.New(rand.NewPCG(32, 4))
	var there, absent []asked
	kinds := slices.Sorted(mapsKeys(ways))
	for i := range questions {
		p := all[rnd.IntN(len(all))]
		list := ways[p.kind]
		n := len(list) - 2
		if i >= questions/2 {
			n = len(list)
		}
		about := parts[p.kind][rnd.IntN(len(parts[p.kind]))]
		there = append(there, asked{"named", list[rnd.IntN(n)](p.party, p.kind, about), func(cited []rag.Hit, _ string) bool {
			return len(cited) > 0 && !slices.ContainsFunc(cited, func(h rag.Hit) bool { return h.Document.Source != p.source })
		}})
		kind := kinds[i%len(kinds)]
		list = ways[kind]
		absent = append(absent, asked{"not named", list[rnd.IntN(len(list)-len(ways[p.kind])+n)](others[kind][rnd.IntN(3)], kind, parts[kind][rnd.IntN(len(parts[kind]))]), func(cited []rag.Hit, _ string) bool { return len(cited) == 0 }})
	}
	s.score(t, "named", there, 0.97)
	s.score(t, "of others", absent, 0.96)
}
