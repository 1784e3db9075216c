package flow

import (
	"regexp"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
	"maru/phrase/quantity"
)

// code matches numbers of tickets and the like, and amount what looks like one but counts something or is a day. Korean units
// follow their number without a space.
var (
	code   = pattern.New(`\b(?:[A-Z]{2,10}-\d+|\d{5,})\b`)
	amount = pattern.New(`(?i)\p{Sc}\s?\d+|(?:^|[^\d-])\d+\p{Hangul}|\b\d+\s?(?:won|krw|dollars?|usd|euros?|eur|yen|jpy|km|kg|bytes?|%)|\b20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\b`)
)

// Untold returns the numbers of tickets and the like in a text that the prompt of its model lacks: it made them up. Where no person
// named one, numbers are of no ticket: UTF-8, ISO-9001.
func Untold(text string, prompt []llm.Message) []string {
	named := func(m llm.Message) bool { return m.Role == llm.User && code.MatchString(m.Content) }
	if !slices.ContainsFunc(prompt, named) {
		return nil
	}
	return absent(code.FindAllString(amount.ReplaceAllString(text, " "), -1), texts(prompt))
}

// texts returns what messages tell, the arguments of their calls included.
func texts(prompt []llm.Message) (out []string) {
	for _, m := range prompt {
		out = append(out, m.Content)
		for _, c := range m.ToolCalls {
			out = append(out, string(c.Arguments))
		}
	}
	return out
}

// UntoldRecords returns the numbers of records that a text has and the prompt of its model lacks. Other numbers may be the model's
// sums, and names of standards its own words.
func UntoldRecords(text string, prompt []llm.Message) []string {
	return absent(quantity.Records(text), texts(prompt))
}

// absent returns the codes that occur in none of the texts, each once: neither as they are nor as letters and number apart, as in
// {"project": "OPS", "id": 12}.
func absent(codes, texts []string) (out []string) {
	for _, c := range codes {
		bare := strings.TrimPrefix(c, "#")
		letters := strings.TrimRight(bare, "-0123456789")
		number := strings.TrimLeft(bare[len(letters):], "-")
		told := func(t string) bool {
			return strings.Contains(t, bare) || letters != "" && Stands(t, letters) && Stands(t, number)
		}
		if !slices.Contains(out, c) && !slices.ContainsFunc(texts, told) {
			out = append(out, c)
		}
	}
	return out
}

// LeaveOut puts words in the place of whole codes: OPS-12 does not match in OPS-123.
func LeaveOut(text string, codes []string, instead string) string {
	for _, c := range codes {
		whole := regexp.QuoteMeta(c) + `\b`
		if c[0] != '#' {
			whole = `\b` + whole
		}
		text = regexp.MustCompile(whole).ReplaceAllLiteralString(text, instead)
	}
	return text
}
