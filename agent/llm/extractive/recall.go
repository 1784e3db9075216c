package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/phrase/prose"
)

// marks are the bullets and numbers before a line.
const marks = `^\s*(?:(?:[-*•]|\d{1,3}[.)])\s*)*`

var (
	nameKo = expression(`(?:내|제|나의|저의)\s*이름은\s*["'“]?([\p{L}\p{N} ]{1,30}?)["'”]?\s*(?:(이라고|라고)\s*(?:해|합니다|불러|하)|(이야|이에요|이예요|입니다|이다)|(야|예요|에요|다))(?:[\s.!,~]|요|$)`)
	callKo = expression(`(?:^|[\s,.])(?:나는|난|저는|전|날|나를|저를)\s*["'“]?([\p{L}\p{N}]{1,20}?)["'”]?(?:이라고|라고)\s*(?:해|합니다|불러|하)`)
	nameEn = expression(`(?i:\bmy name is|\bmy name's|\bcall me|\bi am called)\s+["“']?([\p{L}][\p{L}\p{N}'-]{0,30}(?:\s+\p{Lu}[\p{L}'-]{0,30})?)`)
	iAmEn  = expression(`(?:^|[.,!]\s+)(?:I'm|I am|i'm|i am)\s+(\p{Lu}[\p{L}'-]{1,30}(?:\s+\p{Lu}[\p{L}'-]{1,30})?)\s*(?:[.,!]|$|and\b|from\b)`)
	said   = expressionOf(func() string {
		return marks + `(?:user|Person|나|Human|` + speakersOf("extractive.user") + `)(?:\s+([^:：\n]{1,60}?))?\s*[:：]\s*(.+)$`
	})
	own = expressionOf(func() string {
		return marks + `(?:` + speakersOf("extractive.maru") + `|봇|bot|assistant|Assistant)\s*[:：]`
	})
	long  = expression(`^- (\d{4}-\d\d-\d\d) ([^:：\n]{0,60}): (.+)$`) // what was said long ago, with the day
	longH = expression(`^What people said long ago`)
	item  = expression(`^\s*(?:[-*•]|\d{1,3}[.)])\s+`)
	sumHd = expression(`(?i)^.{0,60}(?:summar|요약|said earlier|지난 대화).{0,60}$`)
)

// nameIn returns the name a person says they have, "" if none.
func nameIn(s string) string {
	s = fit.OneLine(s)
	if isQuestion(s) && !hasAny(squash(s), "불러줘", "불러주세요") {
		return ""
	}
	if m := nameKo.FindStringSubmatch(s); m != nil {
		n := strings.TrimSpace(m[1])
		if m[3] != "" && strings.HasPrefix(m[3], "이") && !endsClosed(n) {
			n += "이" // "미이야" is 미이 and 야: 이야 follows a closed syllable
		}
		return n
	}
	for _, re := range []*pattern{callKo, nameEn, iAmEn} {
		if m := re.FindStringSubmatch(s); m != nil {
			return strings.TrimSpace(strings.TrimRight(m[1], "'-"))
		}
	}
	return ""
}

// endsClosed reports whether s ends in a syllable with a final consonant.
func endsClosed(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r >= 0xAC00 && r <= 0xD7A3 && (r-0xAC00)%28 != 0 || unicode.IsLetter(r) && r < 0xAC00
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
		case own.MatchString(line):
		case inPast && long.MatchString(line):
			m := long.FindStringSubmatch(line)
			say(&out, m[2], m[1], m[3])
		case said.MatchString(line):
			m := said.FindStringSubmatch(line)
			who, day := dated(m[1])
			say(&summed, who, day, m[2])
		case blank:
		case longH.MatchString(line):
			inSummary, inPast = false, true
		case sumHd.MatchString(line) && !inSummary:
			inSummary, inPast = true, false
		case gap && !item.MatchString(line), strings.HasPrefix(line, "#"):
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

// recollect finds what the person said that best covers the question, and how
// much of the question's content it covers; the latest wins a tie. Questions
// are no source.
func (a *ask) recollect() (recollection, float64) {
	var best recollection
	want, kinds := a.recallTerms(), kindsAsked(a.question)
	if len(kinds) > 0 {
		want = slices.DeleteFunc(want, func(w string) bool { return w == "어느" || w == "무슨" || w == "어떤" })
	}
	if len(want) == 0 {
		return best, 0
	}
	top := 0.0
	var before statement // the one that people made before, and no question
	for _, s := range a.statements() {
		if best.correctedBy(s) || best.text != "" && before == best.latest() && s.who == before.who && correction.Opens(s.text) {
			best.corrected = s
		}
		if !isQuestion(s.text) {
			before = s
		}
		if isQuestion(s.text) && !hasAny(s.text, "기억", "remember") {
			continue
		}
		have, n := stems(s.text), 0
		for _, w := range want {
			for _, h := range have {
				if matches(w, h) || kinds[w] != "" && len(h) > len(kinds[w]) && strings.HasSuffix(h, kinds[w]) {
					n++
					break
				}
			}
		}
		if score := float64(n) / float64(len(want)); n > 0 && score >= top && len(have) > n {
			best, top = recollection{statement: s}, score
		}
	}
	return best, top
}

// kindKo is the kind of what a question asks to be named: what was said has it at the end of a
// word, "디자인팀" for "어느 팀".
var kindKo = expression(`(?:^|\s)(?:어느|무슨|어떤)\s*((\p{Hangul}+?)(?:에서|에게|으로|로|에|을|를|이|가|은|는|의|와|과|이랑|랑)?)(?:[\s?.!]|$)`)

// kindsAsked are the kinds in a question for what the person said themselves, by the stems
// of their words.
func kindsAsked(question string) map[string]string {
	if !ownSaying.MatchString(question) {
		return nil
	}
	kinds := map[string]string{}
	for _, m := range kindKo.FindAllStringSubmatch(question, -1) {
		kinds[stem(m[1])] = m[2]
	}
	return kinds
}

// recollection is what somebody said, and how they put it right later.
type recollection struct {
	statement
	corrected statement // no text: it stands as it was said
}

// latest is what was said last of what they said and how they put it right.
func (r recollection) latest() statement {
	if r.corrected.text != "" {
		return r.corrected
	}
	return r.statement
}

// correctedBy reports whether a later statement puts this one right, or what has put it
// right so far.
func (r recollection) correctedBy(s statement) bool {
	was, _, ok := correction.Read(s.text)
	return ok && (s.who == r.who || s.who == "" || r.who == "") && s.text != r.text && (strings.Contains(r.text, was) || strings.Contains(r.corrected.text, was))
}

var recallWords = set(`뭐라고 말했 말했지 말했어 말한 말 했지 했더라 기억 기억나 기억하 기억해 아까 방금 전에 이전 지금 대화 얘기 이야기 질문 메시지 마지막 라고 내용 said say told tell ask asked mention mentioned remember recall last previous message question conversation earlier before just again talk talked discuss`)

// dropRecallWords takes out what a question says of the saying: "물어봤지", and the verb of what was
// reported, "키운다고", which nobody said in that form.
func dropRecallWords(in []string) []string {
	var out []string
	for _, w := range in {
		if !recallWords[w] && !strings.HasPrefix(w, "물어") && !strings.HasPrefix(w, "물었") && !strings.HasSuffix(w, "다고") {
			out = append(out, w)
		}
	}
	return out
}

var (
	aboutName  = []string{"내이름", "제이름", "내가누구", "나는누구", "제가누구", "나누구"}
	aboutAllKo = []string{"대화내용", "무슨얘기", "무슨이야기", "어떤얘기", "대화를요약", "대화요약", "지금까지"}
	aboutAllEn = []string{"conversation", "we talk", "we discuss", "what have i"}
)

// tellRecalled answers a question about the conversation.
func tellRecalled(a *ask) string {
	q, l := squash(a.question), lower(a.question)
	if wantsRecap(a.question) {
		return tellAll(a, true)
	}
	if hasAny(q, aboutName...) || strings.Contains(l, "my name") || strings.Contains(l, "who am i") {
		return tellName(a)
	}
	if firstSaid.MatchString(a.question) {
		return tellFirst(a)
	}
	if s, score := a.recollect(); score >= 0.5 {
		return a.recalled(s)
	}
	if hasAny(q, aboutAllKo...) || hasAny(l, aboutAllEn...) {
		return tellAll(a, false)
	}
	if len(dropRecallWords(content(a.question))) == 0 {
		return tellLast(a)
	}
	return a.say("extractive.not_told")
}

func tellName(a *ask) string {
	all := a.statements()
	for i := len(all) - 1; i >= 0; i-- {
		if n := nameIn(all[i].text); n != "" && a.mine(all[i]) {
			return a.say("extractive.name", n)
		}
	}
	return a.say("extractive.no_name")
}

// recalled quotes what was said, with its day if that is not today: "tomorrow" was said of
// another one. What was put right later is told with it.
func (a *ask) recalled(r recollection) string {
	key, args := "extractive.recalled", []any{fit.Clip(r.text, 300)}
	if !a.mine(r.statement) {
		key, args = "extractive.recalled_of", []any{r.who, fit.Clip(r.text, 300)}
	}
	told := a.say(key, args...)
	if r.day != "" && r.day != a.day {
		told += " (" + r.day + ")"
	}
	if r.corrected.text != "" {
		told += " " + a.say("extractive.corrected", fit.Clip(r.corrected.text, 300))
	}
	return told
}

func tellLast(a *ask) string {
	for i := len(a.before) - 1; i >= 0; i-- {
		if m := a.before[i]; m.Role == llm.User && a.mine(statement{who: m.Author}) {
			return a.say("extractive.last", fit.Clip(fit.OneLine(m.Content), 300))
		}
	}
	return a.say("extractive.first")
}

// firstSaid asks for the beginning of the conversation, not for the first of anything else.
var firstSaid = expression(`(?i)(?:처음|맨\s*처음|제일\s*먼저|가장\s*먼저)(?:에|으로|엔)?\s*(?:내가|제가)?\s*(?:너한테|너에게|마루한테)?\s*(?:물어|물었|질문|말한|말했|한\s*(?:말|질문|얘기|이야기))|(?:내|제)\s*첫\s*(?:질문|말|메시지)|\bmy\s+(?:very\s+)?first\s+(?:question|message)\b|\bdid\s+i\s+(?:first\s+(?:ask|say|tell)|(?:ask|say|tell)(?:\s+you)?\s+(?:at\s+)?first)\b|\bi\s+(?:first\s+asked|asked(?:\s+you)?\s+first)\b`)

// asksAsked is about what was asked; without it, about what was said.
var asksAsked = expression(`(?i)물어|물었|질문|\b(?:question|ask(?:ed)?)\b`)

// tellFirst tells the first thing that the person said or asked. What came before the
// messages of the prompt is known in parts: then it is the first of what is known.
func tellFirst(a *ask) string {
	whole := len(a.older) == 0 && !slices.ContainsFunc(strings.Split(a.system, "\n"), func(l string) bool {
		return longH.MatchString(l) || sumHd.MatchString(l)
	})
	mine := slices.DeleteFunc(a.statements(), func(s statement) bool { return !a.mine(s) })
	i := 0
	if asksAsked.MatchString(a.question) {
		i = max(0, slices.IndexFunc(mine, func(s statement) bool { return isQuestion(s.text) }))
	}
	switch {
	case len(mine) == 0:
		return a.say("extractive.first")
	case whole:
		return a.say("extractive.began", fit.Clip(mine[i].text, 300))
	}
	return a.say("extractive.began_known", fit.Clip(mine[i].text, 300))
}

// tellAll lists what the person said, or everybody, the newest ten, each once. What was said
// long ago and is in a summary as well stands where the summary has it, in the order of the talk.
func tellAll(a *ask, everybody bool) string {
	var all []statement
	for _, s := range a.statements() {
		if everybody || a.mine(s) {
			same := func(o statement) bool { return o.text == s.text }
			all = append(slices.DeleteFunc(all, same), s)
		}
	}
	if len(all) == 0 {
		return tellLast(a)
	}
	all = all[max(0, len(all)-10):]
	others := slices.ContainsFunc(all, func(s statement) bool { return !a.mine(s) })
	var b strings.Builder
	if others {
		b.WriteString(a.say("extractive.all_said"))
	} else {
		b.WriteString(a.say("extractive.you_said"))
	}
	for _, s := range all {
		who := ""
		if others && s.who != "" {
			who = s.who + ": "
		}
		b.WriteString("\n- " + fit.Clip(who+s.text, 160))
	}
	return b.String()
}
