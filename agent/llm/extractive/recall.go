package extractive

import (
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/answer"
)

// whollySaid is how much of a question somebody's words must hold to be what it asks for.
const whollySaid = 0.99

// recollect finds what people said that best covers the question, and how much of its content
// it covers; the latest wins a tie. Questions are no source.
func (a *ask) recollect() (recollection, float64) {
	var best recollection
	want := a.recallTerms()
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
		} else if !strings.Contains(s.text, "기억") && !strings.Contains(s.text, "remember") {
			continue
		}
		have, n := rag.HoldingOf(s.text), 0
		for _, w := range want {
			if have.Match(w) >= 0.5 {
				n++
			}
		}
		if score := float64(n) / float64(len(want)); n > 0 && score >= top && len(answer.Words(s.text)) > n {
			best, top = recollection{statement: s}, score
		}
	}
	return best, top
}

// recollection is what somebody said, and how they put it right later.
type recollection struct {
	statement
	corrected statement // no text: it stands as it was said
}

// latest returns what was said last of what they said and how they put it right.
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

var recallWords = set(`뭐라고 말했 말 했지 했더라 기억 아까 방금 전에 이전 지난번 지난번에 지금 대화 얘기 이야기 질문 라고 내용 said say told tell ask asked mention remember recall last previous message question conversation before just again talk discuss`)

// ofSaying matches verbs of asking and saying, and verbs in reported speech: who asks about "키운다고" has written "키워요".
var ofSaying = pattern.New(`^(?:물어|물었|뭐라|했)|다고$`)

// dropRecallWords removes the words of a question that ask for what was said; what remains must be in it.
func dropRecallWords(in []rag.Word) []rag.Word {
	var out []rag.Word
	for _, w := range in {
		if !recallWords[w.Text] && !recallWords[w.Terms[0]] && !ofSaying.MatchString(w.Text) {
			out = append(out, w)
		}
	}
	return out
}

// Questions about the conversation: for the person's name, for all of it, for what was said.
var (
	ownName  = pattern.New(`(?i)[내제]\s*이름|\bmy\s+name\b|\bwho\s+am\s+i\b`)
	askedAll = pattern.New(`(?i)대화\s*내용|(?:무슨|어떤)\s*(?:얘기|이야기)|지금까지|\bconversation\b|\bwe\s+(?:talk|discuss)`)
	// backEnd ends or begins a question for what people know they heard: "코드네임이 뭐였지?", "what was the code name again?"
	backEnd = pattern.New(`(?i)[였었했았렀랐](?:지|죠|더라|던가)요?[\s?？.!~]*$|^\W*(?:\w+[\s,]+)?(?:what|who|where|when|which|how\s+\w+)\s+(?:was|were|did\s+(?:i|we))\b|\bagain\s*[?.!]*$`)
	// isSo says what something is, and of what: "우리 팀장은 영희야", "my dog is called Bori".
	isSo = pattern.New(`(?i)^\s*(.{1,60}?)(?:은|는|이|가)\s+.+(?:야|요|다|자|게)[\s.!~]*$|^\W*(.{1,60}?)(?:'s|\s+(?:is|are|was|were|will\s+be))\s+(called\s|named\s)?.+$`)
)

// recalls reports whether a question that documents may answer as well asks for what a statement said: it asks back
// for it, or the statement says of the very thing what is asked.
func (a *ask) recalls(said string) bool {
	if backEnd.MatchString(a.question) {
		return true
	}
	m := isSo.FindStringSubmatch(said)
	if m == nil || answer.AsksNumber(a.question) && !answer.AddsNumber(a.question, said) {
		return false
	}
	of := rag.HoldingOf(m[1] + " " + m[2] + " " + m[3])
	return !slices.ContainsFunc(a.recallTerms(), func(w rag.Word) bool { return of.Match(w) < 0.5 })
}

// recallTerms returns the words of a question that must be in what was said.
func (a *ask) recallTerms() []rag.Word { return dropRecallWords(answer.Subject(a.question)) }

// tellRecalled answers a question about the conversation.
func tellRecalled(a *ask) string {
	q := a.question
	switch {
	case intent.Recap(q):
		return tellAll(a, true)
	case ownName.MatchString(q):
		return tellName(a)
	}
	if s, score := a.recollect(); score >= 0.5 {
		return a.recalled(s)
	}
	switch {
	case askedAll.MatchString(q):
		return tellAll(a, false)
	case len(a.recallTerms()) == 0:
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

// tellAll lists what the person said, or everybody, the newest ten, each once. What was said long ago and is in a summary
// as well stands where the summary has it, in the order of the talk.
func tellAll(a *ask, everybody bool) string {
	var all []statement
	for _, s := range a.statements() {
		if (everybody || a.mine(s)) && !intent.Recap(s.text) {
			all = append(slices.DeleteFunc(all, func(o statement) bool { return o.text == s.text }), s)
		}
	}
	if len(all) == 0 {
		return tellLast(a)
	}
	all = all[max(0, len(all)-10):]
	others := slices.ContainsFunc(all, func(s statement) bool { return !a.mine(s) })
	told := a.say("extractive.you_said")
	if others {
		told = a.say("extractive.all_said")
	}
	for _, s := range all {
		if others && s.who != "" {
			s.text = s.who + ": " + s.text
		}
		told += "\n- " + fit.Clip(s.text, 160)
	}
	return told
}
