package extractive

import (
	"strconv"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag/answer"
)

// toolSays are the forms of what tools say that this model puts into words.
var toolSays = struct{ failed, person, now, day, until *pattern.Pattern }{
	failed: pattern.New(`(?i)^(?:error|오류)(?:\s*\(([a-z_]+)\))?\s*[:：]\s*(.*)`),
	person: pattern.New(`\n` + llm.ForPerson + `(\S.*)$`), // the line that the tools' words for people are in
	now:    pattern.New(`^Now: (\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2})(?::\d{2})?, (\w+) \(([^)]+)\), (\S+)`),
	day:    pattern.New(`(?m)^.*?(?: = |^)(\d{4})-(\d{2})-(\d{2})(?:,| is) an? (\w+) \(`),
	until:  pattern.New(`(?m)^From (\S+) to (\S+): (-?\d+) days(?:, (\d+) of them from Monday to Friday)?`),
}

// maxResults bounds how many tool results are told.
const maxResults = 4

// tellResults puts what the tools found into words.
func tellResults(a *ask) string {
	var parts []string
	for _, m := range a.results[:min(len(a.results), maxResults)] {
		parts = append(parts, a.tellResult(m.Name, strings.TrimSpace(m.Content)))
	}
	return strings.Join(parts, "\n\n")
}

func (a *ask) tellResult(name, text string) string {
	switch {
	case text == "":
		return a.say("extractive.tool.nothing")
	case toolSays.failed.MatchString(text):
		return a.tellFailure(text)
	case name == "calculator":
		return a.say("extractive.tool.sum", strings.ReplaceAll(fit.Clip(fit.OneLine(text), 300), "`", ""))
	case name == "current_time", name == "get_time":
		return a.tellTime(text)
	case name == "search_messages":
		return a.tellMessages(text)
	default:
		return a.tellFound(text)
	}
}

// tellFailure says in words for people what a tool's error says to models. Where the
// observation has none of its own for them it is English, and who reads another
// language is spared it.
func (a *ask) tellFailure(text string) string {
	if m := toolSays.person.FindStringSubmatch(text); m != nil {
		return fit.Clip(m[1], 400)
	}
	m := toolSays.failed.FindStringSubmatch(text)
	key := map[string]string{"bad_argument": "extractive.tool.unfit", "not_found": "extractive.tool.not_found"}[m[1]]
	if key == "" {
		key = "extractive.tool.failed"
	}
	if ss := prose.Sentences(m[2]); len(ss) > 0 && a.lang == phrase.Fallback {
		return a.say(key) + " (" + fit.Clip(ss[0], 200) + ")"
	}
	return a.say(key)
}

// tellTime puts the clock tool's line into a sentence; any other clock's words
// stay as they are.
func (a *ask) tellTime(text string) string {
	if m := toolSays.until.FindStringSubmatch(text); m != nil {
		said := a.say("extractive.tool.until", m[1], m[2], number(m[3]))
		if m[4] != "" && workingDays.MatchString(a.question) {
			said += " " + a.say("extractive.tool.weekdays", number(m[4]))
		}
		return said
	}
	if m := toolSays.day.FindStringSubmatch(text); m != nil {
		return a.say("extractive.tool.day", number(m[1]), number(m[2]), number(m[3]), weekday(m[4]))
	}
	if m := toolSays.now.FindStringSubmatch(text); m != nil {
		return a.say("extractive.tool.now", number(m[1]), number(m[2]), number(m[3]), weekday(m[6]), m[4]+":"+m[5], m[8])
	}
	return a.say("extractive.tool.clock", fit.Clip(fit.OneLine(strings.TrimPrefix(text, "Now: ")), 300))
}

// pointers are the lines of a result that point at messages. What these say is between them, and is not told.
var pointers = pattern.New(`(?m)^- \[.*\]\(https?://\S+\)$`)

// tellMessages points at messages that people wrote.
func (a *ask) tellMessages(text string) string {
	if found := pointers.FindAllString(text, -1); len(found) > 0 {
		return a.say("extractive.tool.messages") + "\n" + strings.Join(found, "\n")
	}
	return fit.Clip(fit.OneLine(text), 300)
}

// number reads digits of the clock.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0 // more digits than a number has
	}
	return n
}

// weekday returns the day of the week that the clock names in English.
func weekday(english string) phrase.Sentence {
	if key := "time." + strings.ToLower(english); phrase.Has(key) {
		return phrase.Of(key)
	}
	return phrase.Raw(english)
}

// tellFound shows the part of a long text that answers the question best, or
// its beginning.
func (a *ask) tellFound(text string) string {
	var lines []string
	for _, s := range answer.Best(a.question, "", []answer.Passage{{N: 1, Text: text}}) {
		lines = append(lines, "> "+excerpt(s.Text, a.question))
	}
	if ss := prose.Sentences(text); len(lines) == 0 {
		for _, s := range ss[:min(len(ss), answer.MaxSentences)] {
			lines = append(lines, "> "+fit.Clip(s, answer.MaxSentence))
		}
	}
	if len(lines) == 0 {
		lines = []string{"> " + fit.Clip(fit.OneLine(text), answer.MaxSentence)}
	}
	return a.say("extractive.tool.found") + "\n\n" + strings.Join(lines, "\n>\n")
}
