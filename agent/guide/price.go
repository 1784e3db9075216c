package guide

import (
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// priced matches amounts of money.
var priced = pattern.New(`(?i)[$€£¥₩]\s?\d[\d.,]*|\d[\d.,]*\s*(?:만|천|억)*\s?(?:원|달러|유로|엔|위안|dollars?|euros?|usd|eur|krw|won|yen|bucks)`)

// unpriced removes sentences from a model's reason that state a price not found in the results.
func unpriced(reason, found string) string {
	reason, known := fit.Cut(fit.OneLine(reason), 400), squeezed(found)
	var kept strings.Builder
	for from := 0; from < len(reason); {
		end := len(reason)
		if m := sentenceEnd.FindStringIndex(reason[from:]); m != nil {
			end = from + m[1]
		}
		invented := func(sum string) bool { return !strings.Contains(known, squeezed(sum)) }
		if !slices.ContainsFunc(priced.FindAllString(reason[from:end], -1), invented) {
			kept.WriteString(reason[from:end])
		}
		from = end
	}
	return strings.TrimSpace(kept.String())
}

// squeezed normalises amounts for comparison: no spaces, lower case.
func squeezed(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
