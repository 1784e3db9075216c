package guide

import (
	"regexp"
	"slices"
	"strings"

	"maru/phrase/fit"
)

// priced finds sums of money.
var priced = regexp.MustCompile(`(?i)[$€£¥₩]\s?\d[\d.,]*|\d[\d.,]*\s*(?:만|천|억)*\s?(?:원|달러|유로|엔|위안|dollars?|euros?|usd|eur|krw|won|yen|bucks)`)

// unpriced is a model's reason for a service without the sentences that name a price
// which was not found.
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

// squeezed compares sums however they are spaced.
func squeezed(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
