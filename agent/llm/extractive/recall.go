package extractive

import (
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/rag"
)

// recollect finds what the person said that best covers the question, and how
// much of the question's content it covers; the latest wins a tie. Questions
// are no source.
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
		}
		if isQuestion(s.text) && !hasAny(s.text, "기억", "remember") {
			continue
		}
		have, n := rag.HoldingOf(s.text), 0
		for _, w := range want {
			if have.Match(w) >= 0.5 {
				n++
			}
		}
		if score := float64(n) / float64(len(want)); n > 0 && score >= top && len(words(s.text)) > n {
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
func dropRecallWords(in []rag.Word) []rag.Word {
	var out []rag.Word
	for _, w := range in {
		if !recallWords[w.Text] && !recallWords[w.Terms[0]] && !strings.HasPrefix(w.Text, "물어") && !strings.HasPrefix(w.Text, "물었") && !strings.HasSuffix(w.Text, "다고") {
			out = append(out, w)
		}
	}
	return out
}

// Questions about the conversation: for what was said, for all of it, for the person's name.
var (
	askedBack = expression(`(?i)(?:뭐라고?\s*(?:했|그랬)|말했(?:지|었|더라)|라고\s*했(?:지|어)|기억나|기억하|(?:이전|우리)\s*대화|대화\s*내용|(?:무슨|어떤)\s*(?:얘기|이야기)|(?:내|제)\s*이름|(?:내가|나는|제가)\s*누구|(?:아까|방금)\s.*(?:말|얘기|이야기|물어|물었|질문|라고|했지|했더|했어|했나|뭐였|무엇이었)|` +
		`^\s*(?:내가|제가|나는|저는|난|전)\s.*(?:다|라|자)고\s*(?:말)?(?:했|하였)|\bdid\s+i\s+(?:just\s+)?(?:say|tell|ask|mention)\b|\bi\s+(?:said|told\s+you|mentioned|asked)\b|\bdo\s+you\s+(?:remember|recall)\b|\bmy\s+name\b|\bwho\s+am\s+i\b|\b(?:last|previous)\s+(?:message|question)\b|\b(?:our|this)\s+conversation\b|\bwe\s+(?:talk|discuss)|\bhave\s+i\s+(?:told|said)\b)`)
	recap = expression(`(?i)(?:대화|얘기|이야기|논의|스레드)\p{Hangul}{0,6}(?:\s*(?:한|했던|나눈|나눴던)?\s*(?:내용|것|거)\p{Hangul}{0,2})?(?:\s*(?:좀|다시|간단히|짧게|모두|전부|다|쭉|한번|한\s*번))*\s*(?:요약|정리)(?:\s*(?:좀\s*)?(?:해|부탁)|[\s.!~]*$)|` +
		`\b(?:summari[sz]e|recap|sum\s+up|wrap\s+up|(?:summary|recap)\s+of)\b.{0,40}\b(?:conversation|discussion|chat|thread|so\s+far|we(?:'ve)?\s+(?:said|talked|discussed))\b|^\W*(?:please\s+)?recap(?:\s+please)?\W*$`)
	ownName  = expression(`(?i)(?:내|제)\s*이름|(?:내가|나는|제가|난)\s*누구|\bmy\s+name\b|\bwho\s+am\s+i\b`)
	askedAll = expression(`(?i)대화\s*내용|(?:무슨|어떤)\s*(?:얘기|이야기)|지금까지|\bconversation\b|\bwe\s+(?:talk|discuss)|\bwhat\s+have\s+i\b`)
	// backEnd ends or begins a question for what people know they heard: "코드네임이 뭐였지?", "what was the code name again?"
	backEnd = expression(`(?i)(?:였|이었|했|하였|았|었|렀|랐)(?:었)?(?:지|죠|더라|더라고|던가|나)(?:요)?[\s?？.!~]*$|^\W*(?:(?:and|so|but|ok(?:ay)?|hey)[\s,]+)*(?:what|who|where|when|which|how\s+\w+)\s+(?:was|were|did\s+(?:i|we)\s+(?:say|agree|decide|want|plan|call|name|pick|choose))\b|\bagain\s*[?.!]*$`)
	// asksHow asks for a way or a right: what somebody did or wants is no answer.
	asksHow = expression(`(?i)어떻게|방법|절차|해야|하려면|되나|되나요|돼\s*[?.!]*$|돼요|될까|수\s*있|가능|신청|\bhow\s+(?:do|does|can|could|should|would|to)\b|\b(?:can|could|may|should|must)\s+(?:i|we|you|one|somebody|someone)\b|\ballowed\b|\bhave\s+to\b`)
	oneself = expression(`(?i)(?:^|[\s,])(?:나|내|저|제)(?:는|가|의|도|를|한테|에게)?(?:\s|$)|(?:^|[\s,])(?:난|전|내가|제가)(?:\s|$)|\b(?:i|my|me|mine|i'm|i've)\b`)
	// isSo says what something is, and of what: "우리 팀장은 영희야", "my dog is called Bori".
	isSo = expression(`(?i)^\s*(.{1,60}?)(?:은|는|이|가)\s+(?:.+?)(?:이야|야|이에요|예요|에요|입니다|이다|임|(?:으?로|기로)\s*(?:하자|해|했어요?|정했어요?|합시다|할게요?)|라고\s*(?:해요?|합니다|불러요?|부르자))[\s.!~]*$|` +
		`^\W*(?:(?:and|so|by\s+the\s+way|fyi|ok(?:ay)?)[\s,]+)*(.{1,60}?)(?:'s|\s+(?:is|are|was|were|will\s+be))\s+(called\s|named\s)?.+$`)
)

// asksBack reports whether a question is about the conversation.
func asksBack(q string) bool {
	return recap().MatchString(q) || isQuestion(q) && askedBack().MatchString(q)
}

// recalls reports whether a question that documents may answer as well asks for what a statement said: it asks back
// for it, the statement says of the very thing what is asked, or both speak of the speaker.
func (a *ask) recalls(said string) bool {
	q := a.question
	switch {
	case backEnd().MatchString(q):
		return true
	case asksHow().MatchString(q), asksWhy().MatchString(q), asksNumber().MatchString(q) && !saysNumber(said, numbersIn(q)):
		return false
	case oneself().MatchString(q) && oneself().MatchString(said):
		return true
	}
	return a.isAbout(said) && !hasAny(lower(q), "어디", "where")
}

// isAbout reports whether a statement says what the very thing is for which the question asks.
func (a *ask) isAbout(said string) bool {
	m := isSo().FindStringSubmatch(said)
	if m == nil {
		return false
	}
	of := rag.HoldingOf(m[1] + " " + m[2] + " " + m[3])
	return !slices.ContainsFunc(a.recallTerms(), func(w rag.Word) bool { return of.Match(w) < 0.5 })
}

// recallTerms are the words of a question that must stand in what was said.
func (a *ask) recallTerms() []rag.Word { return dropRecallWords(subject(a.question)) }

// tellRecalled answers a question about the conversation.
func tellRecalled(a *ask) string {
	q := a.question
	switch {
	case recap().MatchString(q):
		return tellAll(a, true)
	case ownName().MatchString(q):
		return tellName(a)
	}
	if s, score := a.recollect(); score >= 0.5 {
		return a.recalled(s)
	}
	switch {
	case askedAll().MatchString(q):
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
