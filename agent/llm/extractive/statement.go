package extractive

import (
	"strings"
	"sync"

	"maru/agent/llm"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/phrase/prose"
)

// marks are the bullets and numbers before a line.
const marks = `^\s*(?:(?:[-*•]|\d{1,3}[.)])\s*)*`

// names are how people say what they are called.
var names = []*pattern.Pattern{
	pattern.New(`[내제]\s*이름은\s*["'“]?([\p{L}\p{N} ]{1,30}?)["'”]?\s*(?:이?라고\s*(?:해|합니다|불러|하)|이야|이에요|입니다|이다|야|예요|에요|다)(?:[\s.!,~]|요|$)`),
	pattern.New(`(?:^|[\s,.])(?:나는|난|저는|전|날|나를|저를)\s*["'“]?([\p{L}\p{N}]{1,20}?)["'”]?(?:이라고|라고)\s*(?:해|합니다|불러|하)`),
	pattern.New(`(?i:\bmy name is|\bmy name's|\bcall me|\bi am called)\s+["“']?([\p{L}][\p{L}\p{N}'-]{0,30}(?:\s+\p{Lu}[\p{L}'-]{0,30})?)`),
	pattern.New(`(?:^|[.,!]\s+)(?:I'm|I am|i'm|i am)\s+(\p{Lu}[\p{L}'-]{1,30}(?:\s+\p{Lu}[\p{L}'-]{1,30})?)\s*(?:[.,!]|$|and\b|from\b)`),
}

// memoLine are the lines of a prompt that tell what was said before the messages.
var memoLine = struct {
	said, own                     func() *pattern.Pattern // with words of the catalogue, which is read on first use
	past, pastHead, item, summary *pattern.Pattern
}{
	said: sync.OnceValue(func() *pattern.Pattern {
		return pattern.New(marks + `(?:user|Person|나|Human|` + speakersOf("extractive.user") + `)(?:\s+([^:：\n]{1,60}?))?\s*[:：]\s*(.+)$`)
	}),
	own: sync.OnceValue(func() *pattern.Pattern {
		return pattern.New(marks + `(?:` + speakersOf("extractive.maru") + `|봇|bot|assistant|Assistant)\s*[:：]`)
	}),
	past:     pattern.New(`^- (\d{4}-\d\d-\d\d) ([^:：\n]{0,60}): (.+)$`), // what was said long ago, with the day
	pastHead: pattern.New(`^What people said long ago`),
	item:     pattern.New(`^\s*(?:[-*•]|\d{1,3}[.)])\s+`),
	summary:  pattern.New(`(?i)^.{0,60}(?:summar|요약|said earlier|지난 대화).{0,60}$`),
}

// nameIn returns the name a person says they have, "" if none.
func nameIn(s string) string {
	s = fit.OneLine(s)
	if isQuestion(s) && !strings.Contains(s, "불러") {
		return ""
	}
	for _, re := range names {
		if m := re.FindStringSubmatch(s); m != nil {
			return strings.TrimSpace(strings.TrimRight(m[1], "'-"))
		}
	}
	return ""
}

// statement is a sentence that somebody said.
type statement struct {
	who  string // "" if only the one who asks can have said it
	day  string // on which it was said, "" if that is unknown
	text string
}

// mine reports whether the one who asks said it.
func (a *ask) mine(s statement) bool { return s.who == "" || a.who == "" || s.who == a.who }

// statements returns what people said before, oldest first: what was said long ago, then
// the summaries, both from the system prompt, then what leaves the window, then the
// messages.
func (a *ask) statements() []statement {
	var out, summed []statement
	say := func(to *[]statement, who, day, text string) {
		for _, s := range prose.Sentences(text) {
			*to = append(*to, statement{who, day, s})
		}
	}
	inSummary, inPast, gap := false, false, false
	for _, line := range strings.Split(a.system, "\n") {
		blank := strings.TrimSpace(line) == ""
		switch {
		case memoLine.own().MatchString(line):
		case inPast && memoLine.past.MatchString(line):
			m := memoLine.past.FindStringSubmatch(line)
			say(&out, m[2], m[1], m[3])
		case memoLine.said().MatchString(line):
			m := memoLine.said().FindStringSubmatch(line)
			who, day := dated(m[1])
			say(&summed, who, day, m[2])
		case blank:
		case memoLine.pastHead.MatchString(line):
			inSummary, inPast = false, true
		case memoLine.summary.MatchString(line) && !inSummary:
			inSummary, inPast = true, false
		case gap && !memoLine.item.MatchString(line), strings.HasPrefix(line, "#"):
			inSummary, inPast = false, false // another paragraph of the prompt
		case inSummary:
			say(&summed, "", "", line)
		}
		gap = blank
	}
	out = append(out, summed...)
	for _, t := range a.older {
		if !t.own {
			say(&out, t.who, t.day, t.text)
		}
	}
	for _, m := range a.before {
		if m.Role == llm.User {
			say(&out, m.Author, m.Day, m.Content)
		}
	}
	return out
}
