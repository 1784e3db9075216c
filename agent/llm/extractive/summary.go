package extractive

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag/answer"
)

const maxSummary = 1200 // runes

// turn is one thing that was said.
type turn struct {
	own  bool   // by the bot or a tool
	who  string // the person's name, "" if it does not matter
	day  string // on which a person said it, "" if that is unknown
	text string
}

// speakersOf returns the name of a summary's speaker in every language that one is written in.
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
	spoke  = pattern.New(`^([^\s>|#*\-\d:：][^:：\n*|>]{0,59}?)\s*[:：]\s+(.+)$`)
	listed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(marks + `(` + speakersOf("extractive.user") + "|" + speakersOf("extractive.maru") + `)(?:\s+([^:：\n]{1,60}?))?\s*[:：]\s*(.+)$`)
	})
	saidOn   = pattern.New(`\s*\((\d{4}-\d\d-\d\d)\)$`) // the day after a name
	calling  = pattern.New(`\s*\[calls [^\n]*\]$`)
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
		if t.day != "" {
			who += " (" + t.day + ")"
		}
		line := "- " + who + ": " + fit.Clip(s, 200)
		if n := utf8.RuneCountInString(line) + 1; n <= room {
			lines, room = append(lines, line), room-n
		}
	}
	for _, own := range []bool{false, true} {
		for _, t := range turns {
			for _, s := range prose.Sentences(t.text) {
				if t.own != own || own && (room < 200 || strings.IndexFunc(s, unicode.IsDigit) < 0) || !own && !worth(s) {
					continue
				}
				if add(t, s); own {
					break
				}
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
	if ts := transcript(a.words); len(ts) > 0 {
		return ts
	}
	var out []turn
	for _, m := range a.before {
		out = append(out, turn{own: m.Role == llm.Assistant, who: m.Author, day: m.Day, text: m.Content})
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
		if n := len(out); n > 0 && strings.HasPrefix(line, "  ") && !memoLine.item.MatchString(line) { // whoever it names, it is the message's
			out[n-1].text += "\n" + strings.TrimSpace(line)
		} else if m := listed().FindStringSubmatch(line); m != nil {
			name, day := dated(m[2])
			out = append(out, speaker(m[1], name, day, m[3]))
		} else if m := spoke.FindStringSubmatch(line); m != nil && len(strings.Fields(m[1])) <= 5 {
			name, day := dated(m[1])
			out = append(out, speaker(name, name, day, m[2]))
		} else if n := len(out); n > 0 && strings.TrimSpace(line) != "" {
			out[n-1].text += "\n" + line
		}
	}
	for i := range out {
		out[i].text = llm.Unquoted(out[i].text)
	}
	return out
}

// dated takes the day off a name.
func dated(name string) (bare, day string) {
	if m := saidOn.FindStringSubmatch(name); m != nil {
		return strings.TrimSuffix(name, m[0]), m[1]
	}
	return name, ""
}

// speaker tells the bot and its tools from people.
func speaker(role, name, day, text string) turn {
	role = strings.ToLower(strings.TrimSpace(role))
	if ownNames[role] || strings.HasPrefix(role, "result of ") {
		return turn{own: true, text: text}
	}
	if name = strings.TrimSpace(name); anyone[strings.ToLower(name)] {
		name = ""
	}
	return turn{who: name, day: day, text: text}
}

// worth reports whether a sentence says something: not a greeting, not filler.
func worth(s string) bool {
	switch wishOf(s).kind {
	case wantsGreeting, wantsThanks, wantsBye, wantsAbout, wantsNothing, wantsRecall, wantsClock:
		return false
	default:
		return !intent.Courtesy(s) && len(answer.Words(s)) > 0
	}
}

// title returns the question in a few words.
func title(a *ask) string {
	if q := fit.Clip(fit.OneLine(prose.Plain(a.question)), 60); q != "" {
		return q
	}
	return a.say("extractive.new_talk")
}
