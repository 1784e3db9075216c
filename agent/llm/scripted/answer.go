package scripted

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/quantity"
)

// assumed is how many people come where nobody gave a number that the script can read.
const assumed = 8

// assumedPrice is in where the rule was not looked up.
const assumedPrice = "50,000"

var (
	digits  = regexp.MustCompile(`\d[\d,]*`)
	amount  = regexp.MustCompile(`\d[\d,]*\p{Hangul}?`)                               // of money, as the calculator reads it: 50,000 or 5 with a Korean unit
	sum     = regexp.MustCompile(`(?m)^([^\n=≈]*[-+*/^][^\n=≈]*) [=≈] (-?\d[\d.]*)$`) // as the calculator writes it
	integer = regexp.MustCompile(`^-?\d+`)
)

// people returns the number of people in a text, from 1 to 10,000.
func people(text string) (int, bool) {
	n, err := strconv.Atoi(strings.ReplaceAll(digits.FindString(text), ",", ""))
	return n, err == nil && n >= 1 && n <= 10_000
}

// guests returns the number of people in the answer to the script's question: in digits, or in words that are one number of people ("여덟 명이요",
// "twelve of us").
func guests(answer string) (int, bool) {
	if n, ok := people(answer); ok {
		return n, true
	}
	n, ok := quantity.People(answer)
	return int(n), ok
}

// rule returns the sentence of the handbook that was looked up, "" where it was not.
func (s scene) rule() string {
	begin := phrase.Say(s.lang, "demo.rule")
	i := strings.Index(s.shown, begin)
	if i < 0 {
		return ""
	}
	rest := s.shown[i:]
	if end := strings.IndexAny(rest, ".\n"); end >= 0 {
		rest = rest[:end]
	}
	return rest + "."
}

// call fills in the call of a step's tool. Words about a call that was shown change it if they hold
// a number of people; the script understands no others, and then calls nothing.
func (s scene) call(offered []llm.Tool) []llm.ToolCall {
	i := slices.IndexFunc(offered, func(t llm.Tool) bool { return t.Name == LookUp || t.Name == Calculator })
	if i < 0 {
		return nil
	}
	changed := strings.Contains(s.system, callMark)
	args := map[string]string{"topic": phrase.Say(s.lang, "demo.topic")}
	if offered[i].Name == Calculator {
		n, ok := guests(s.answered())
		if changed {
			if n, ok = people(s.last); !ok {
				return nil
			}
		}
		if !ok {
			n = assumed
		}
		price := assumedPrice
		if said := amount.FindString(s.rule()); said != "" {
			price = said
		}
		args = map[string]string{"expression": price + " * " + strconv.Itoa(n)}
	} else if changed {
		return nil
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil // of two strings: never
	}
	return []llm.ToolCall{{ID: "call_1", Name: offered[i].Name, Arguments: raw}}
}

// answer writes the answer from the results that there are, and names what is missing.
func (s scene) answer() string {
	var parts []string
	total := sum.FindStringSubmatch(s.shown)
	if total != nil {
		parts = append(parts, phrase.Say(s.lang, "demo.total", grouped(total[2]), strings.TrimSpace(total[1])))
	}
	rule := s.rule()
	switch {
	case rule != "":
		parts = append(parts, phrase.Say(s.lang, "demo.says", rule))
	case total != nil:
		parts = append(parts, phrase.Say(s.lang, "demo.no_rule", assumedPrice))
	}
	switch _, ok := guests(s.answered()); {
	case len(parts) == 0:
		parts = append(parts, phrase.Say(s.lang, "demo.nothing"))
	case total != nil && !ok:
		parts = append(parts, phrase.Say(s.lang, "demo.assumed", assumed))
	}
	return strings.Join(append(parts, phrase.Say(s.lang, "demo.outro")), "\n\n")
}

// grouped writes a number with separators of thousands.
func grouped(number string) string {
	whole := integer.FindString(number)
	rest := number[len(whole):]
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + rest
}
