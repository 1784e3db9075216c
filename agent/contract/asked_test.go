package contract_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"maru/agent/llm/extractive"
)

// inquiry is a question of testdata/asked/questions.jsonl. One without an answer asks for
// what its contract does not say, though it says other things of what it names; one of kind
// "out" is about no contract.
type inquiry struct {
	Contract, Kind, Split, Question string
	Answer                          []string // each must be said; "a|b" is one of both
	After                           []string // what was asked before
}

// asked are the contracts of testdata/asked. The second set was written by somebody who had not seen
// the rules that the first one led to, the third by one who had seen the rules of neither.
var asked = map[string]struct{ language, file, set string }{
	"ko":    {"ko", "강의 제작 계약서.txt", "first"},
	"en":    {"en", "Warehousing agreement.txt", "first"},
	"lease": {"ko", "상가 임대차계약서.txt", "second"},
	"job":   {"ko", "근로계약서.txt", "second"},
	"saas":  {"en", "SaaS agreement.txt", "second"},

	"franchise": {"ko", "가맹계약서.txt", "third"},
	"equipment": {"en", "Equipment lease.txt", "third"},
}

// figures count how questions were answered.
type figures struct{ right, wrong, declined int }

// TestQuestionsToContracts asks the built-in model what people ask of their contracts:
// deadlines, sums, parties, the end, liability, follow-ups, comparisons, and things that
// are not there. The model has no rules for contracts: "tune" and "held-out" are halves of an earlier one that
// had, and was better on the first two sets by them (0.93 and 0.87 right of "tune"), not on the third, which nobody
// made rules for (0.45 of its "held-out"; now 0.58). The gates stand a little below what was reached.
func TestQuestionsToContracts(t *testing.T) {
	if testing.Short() {
		t.Skip("figures; other tests go each of these ways once")
	}
	t.Parallel()
	bounds := map[string]struct{ right, declined, wrong float64 }{ // at least, at least, at most
		"first tune": {0.72, 0.85, 0.20}, "first held-out": {0.74, 0.85, 0.17},
		"second tune": {0.57, 0.79, 0.32}, "second held-out": {0.57, 0.77, 0.15},
		"third tune": {0.68, 0.70, 0.14}, "third held-out": {0.57, 0.80, 0.18},
	}
	sum, kinds := map[string]map[bool]figures{}, map[string]figures{}
	for contract, c := range asked {
		text, err := os.ReadFile("testdata/asked/" + contract + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		d := newDesk(t, extractive.New())
		d.add(home, c.file, string(text))
		for i, q := range inquiries(t, contract) {
			d.thread = "fake/T/C/" + q.Split + string(rune('a'+i))
			var got string
			for _, text := range append(slices.Clone(q.After), q.Question) {
				res, err := d.run(d.request(text, c.language))
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				got = res.Text
			}
			split := c.set + " " + q.Split
			if sum[split] == nil {
				sum[split] = map[bool]figures{}
			}
			there := len(q.Answer) > 0
			f, kind := sum[split][there], kinds[contract+" "+q.Kind+" "+q.Split]
			quoted := strings.Contains(got, "\n> ")
			switch {
			case there && saysAll(got, q.Answer):
				f.right, kind.right = f.right+1, kind.right+1
			case quoted:
				f.wrong, kind.wrong = f.wrong+1, kind.wrong+1
			default:
				f.declined, kind.declined = f.declined+1, kind.declined+1
			}
			if q.Split == "tune" && (there && !saysAll(got, q.Answer) || !there && quoted) {
				t.Logf("%s %s: %v %s\n%s\n%v", contract, q.Kind, q.After, q.Question, got, d.tools())
			}
			sum[split][there], kinds[contract+" "+q.Kind+" "+q.Split] = f, kind
		}
	}
	for kind, f := range kinds {
		t.Logf("%s: %d right, %d wrong, %d declined", kind, f.right, f.wrong, f.declined)
	}
	for split, bound := range bounds {
		there, absent := sum[split][true], sum[split][false]
		t.Logf("%s: %+v of those with an answer, %+v of the others", split, there, absent)
		all := float64(there.right + there.wrong + there.declined)
		if float64(there.right) < bound.right*all || float64(there.wrong) > bound.wrong*all ||
			float64(absent.declined) < bound.declined*float64(absent.wrong+absent.declined) {
			t.Errorf("%s: fewer than %.2f right, more than %.2f wrong or fewer than %.2f declined", split, bound.right, bound.wrong, bound.declined)
		}
	}
}

// saysAll reports whether an answer has all that is expected.
func saysAll(got string, want []string) bool {
	for _, w := range want {
		said := false
		for one := range strings.SplitSeq(w, "|") {
			said = said || strings.Contains(got, one)
		}
		if !said {
			return false
		}
	}
	return len(want) > 0
}

func inquiries(t *testing.T, contract string) (out []inquiry) {
	t.Helper()
	b, err := os.ReadFile("testdata/asked/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var q inquiry
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		if q.Contract == contract {
			out = append(out, q)
		}
	}
	return out
}
