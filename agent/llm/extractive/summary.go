package extractive

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/fit"
)

const maxSummary = 1200 // runes

// turn is one thing that was said.
type turn struct {
	own  bool   // by the bot or a tool
	who  string // the person's name, "" if it does not matter
	text string
}

// speakers are those of a summary, in every language that one is written in.
func speakers() string { return speakersOf("extractive.user") + "|" + speakersOf("extractive.maru") }

func speakersOf(key string) string {
	all := phrase.Of(key).Everywhere()
	for i := range all {
		all[i] = regexp.QuoteMeta(all[i])
	}
	return strings.Join(all, "|")
}

var (
	// spoke is a line that begins with its speaker's name. Quotes, lists and
	// table rows are parts of what somebody said.
	spoke  = expression(`^([^\s>|#*\-\d:：][^:：\n*|>]{0,39}?)\s*[:：]\s+(.+)$`)
	listed = expressionOf(func() string {
		return marks + `(` + speakers() + `)(?:\s+([^:：\n]{1,40}?))?\s*[:：]\s*(.+)$`
	})
	calling  = expression(`\s*\[calls [^\n]*\]$`)
	ownNames = set(`assistant bot maru ai 봇 마루 어시스턴트 답변 도우미 tool 도구`)
	anyone   = set(`user person human 사용자 나 사람`)
)

// summarise keeps what a later question may ask for: what the person told and
// decided, names and numbers; from the bot's answers their first sentence, as
// room is left. Lines begin with who spoke, so that recall can read them.
func summarise(a *ask) string {
	turns := a.turns()
	var lines []string
	room := maxSummary
	add := func(t turn, s string) {
		who := a.say("extractive.user")
		if t.own {
			who = a.say("extractive.maru")
		} else if t.who != "" {
			who += " " + t.who
		}
		line := "- " + who + ": " + s
		if n := utf8.RuneCountInString(line) + 1; n <= room {
			lines, room = append(lines, line), room-n
		}
	}
	for _, t := range turns {
		if t.own {
			continue
		}
		for _, s := range sentences(t.text) {
			if room < 30 {
				break
			}
			if worth(s) {
				add(t, fit.Clip(s, 200))
			}
		}
	}
	for _, t := range turns {
		if !t.own {
			continue
		}
		for _, s := range sentences(t.text) {
			if strings.IndexFunc(s, unicode.IsDigit) >= 0 && room > 200 {
				add(t, fit.Clip(s, 160))
				break
			}
		}
	}
	if len(lines) == 0 {
		if n := len(turns); n > 0 {
			add(turns[n-1], fit.Clip(fit.OneLine(turns[n-1].text), 200))
		} else {
			return a.say("extractive.nothing_to_remember")
		}
	}
	return strings.Join(lines, "\n")
}

// turns reads the conversation: a transcript within the last message, one line
// a turn, or else the messages themselves.
func (a *ask) turns() []turn {
	if ts := transcript(a.question); len(ts) > 0 {
		return ts
	}
	var out []turn
	for _, m := range a.before {
		out = append(out, turn{own: m.Role == llm.Assistant, text: m.Content})
	}
	if len(out) == 0 && a.question != "" {
		out = append(out, turn{text: a.question})
	}
	return out
}

func transcript(s string) []turn {
	var out []turn
	for _, line := range strings.Split(s, "\n") {
		line = calling.ReplaceAllString(line, "")
		if m := listed.FindStringSubmatch(line); m != nil {
			out = append(out, speaker(m[1], m[2], m[3]))
		} else if m := spoke.FindStringSubmatch(line); m != nil && len(strings.Fields(m[1])) <= 4 {
			out = append(out, speaker(m[1], m[1], m[2]))
		} else if n := len(out); n > 0 && strings.TrimSpace(line) != "" {
			out[n-1].text += "\n" + line
		}
	}
	return out
}

// speaker tells the bot and its tools from people.
func speaker(role, name, text string) turn {
	role = strings.ToLower(strings.TrimSpace(role))
	if ownNames[role] || strings.HasPrefix(role, "result of ") {
		return turn{own: true, text: text}
	}
	if name = strings.TrimSpace(name); anyone[strings.ToLower(name)] {
		name = ""
	}
	return turn{who: name, text: text}
}

// worth reports whether a sentence says something: not a greeting, not filler.
func worth(s string) bool {
	switch wishOf(s).kind {
	case wantsGreeting, wantsThanks, wantsBye, wantsAbout, wantsNothing, wantsRecall, wantsClock:
		return false
	default:
		return !onlyFiller(words(s)) && len(words(s)) > 0
	}
}

// title is the question in a few words.
func title(a *ask) string {
	q := a.question
	if q == "" && len(a.before) > 0 {
		q = a.before[0].Content
	}
	if ts := transcript(q); len(ts) > 0 {
		q = ts[0].text
	}
	if q = fit.Clip(fit.OneLine(plain(q)), 60); q != "" {
		return q
	}
	return a.say("extractive.new_talk")
}
