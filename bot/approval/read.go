package approval

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/agent"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// read interprets a reply in words, on every surface; number is the question's number on its card.
// It matches, in this order, a button's label, words suggested by the card, a plain verdict, and a
// no with its reason; other words go to the agent, if the question accepts words. ok is false for
// words that decide nothing; the person is told what is possible, see unread. A message approves
// only if it says nothing else.
func (q question) read(text string, number int) (r agent.Reply, ok bool) {
	text = strings.TrimSpace(text)
	if r, found := q.byLabel(text, number); found {
		return r, r.Action != ""
	}
	if _, unsure := q.action(agent.VerbDone); unsure {
		switch {
		case intent.Happened(text):
			return agent.Reply{Action: agent.VerbDone}, true
		case intent.Anew(text):
			return agent.Reply{Action: agent.VerbRerun}, true
		}
	}
	said := intent.Read(text)
	if said.Number != 0 && said.Number != number { // "skip 2" is about the second step
		said = intent.Reply{}
	}
	words, takes := q.inWords()
	takes = takes && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) // 🤔 asks for nothing
	part := said.Wish || said.Object && q.kind != kindStep && len(q.Steps) > 1                                          // a change, or one step of several
	verb := q.offered(said.Verdict)
	if verb == "" && said.Halt {
		verb = q.offered(intent.Stop)
	}
	if verb != "" && !(part && takes) {
		return agent.Reply{Action: verb, Text: said.Rest}, true
	}
	if verb := q.offered(intent.Yes); verb != "" && (q.affirmed(text) || intent.Agrees(text)) {
		return agent.Reply{Action: verb}, true
	}
	if yes, comment, cut := strings.Cut(text, ":"); cut && q.plain {
		if v, _ := intent.Decide(yes); v == intent.Yes {
			return agent.Reply{Action: agent.VerbAccept, Text: strings.TrimSpace(comment)}, true
		}
	}
	return agent.Reply{Action: words.Verb, Text: text}, takes
}

// affirmed reports whether a text is a yes that only repeats the question: "yes, send it" about a mail. Another
// action, or a word that the question lacks, needs a confirmation.
func (q question) affirmed(text string) bool {
	act, objects, ok := intent.Affirmed(text)
	if !ok || len(objects) > 0 && q.kind != kindStep && len(q.Steps) > 1 { // one step of several
		return false
	}
	asked := strings.ToLower(q.Question + " " + q.Detail)
	for _, s := range q.Steps {
		asked += " " + strings.ToLower(s.Text+" "+s.Detail)
	}
	words := strings.FieldsFunc(asked, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	named := func(object string) bool {
		begins := func(word string) bool { return utf8.RuneCountInString(object) > 1 && strings.HasPrefix(word, object) } // particles follow in Korean
		return act.Names(object) && act.Names(asked) || slices.ContainsFunc(words, begins)
	}
	return (act == intent.Runs || act.Names(asked)) && !slices.ContainsFunc(objects, func(o string) bool { return !named(o) })
}

// byLabel finds the control with this label, in any language for the bot's own labels, or with
// these suggested words. The label of a form opens it: the reply then has no action.
func (q question) byLabel(text string, number int) (r agent.Reply, found bool) {
	is := func(label string) bool {
		return label != "" && (intent.Same(text, label) || intent.Same(text, label+" "+strconv.Itoa(number)))
	}
	for _, b := range q.buttons(q.lang, "") {
		if n, pick := strings.CutPrefix(b.Verb, pickPrefix); pick && is(b.Label) {
			return q.picked(n)
		}
	}
	for _, a := range q.Actions {
		labels := append([]string{a.Label}, a.Says...)
		if a.Label == "" {
			for _, lang := range phrase.Languages() {
				labels = append(labels, verbLabel(a.Verb, lang))
			}
		}
		for _, label := range labels {
			switch {
			case !is(label):
			case q.form(a, q.lang) != nil, a.Verb == agent.VerbConnect:
				return agent.Reply{}, true
			default:
				return agent.Reply{Action: a.Verb}, true
			}
		}
	}
	return agent.Reply{}, false
}

// offered returns the question's verb for a verdict, "" if it has none. If a call may have taken effect already, a
// plain no would be ambiguous.
func (q question) offered(v intent.Verdict) string {
	verbs := map[intent.Verdict][]string{
		intent.Yes: {agent.VerbAccept, agent.VerbProceed}, intent.Skip: {agent.VerbSkip}, intent.Undo: {agent.VerbUndo},
		intent.No: {agent.VerbReject, agent.VerbSkip}, intent.Stop: {agent.VerbStop, agent.VerbReject, agent.VerbSkip},
	}[v]
	if _, unsure := q.action(agent.VerbDone); unsure && v == intent.No {
		return ""
	}
	for _, verb := range verbs {
		if _, ok := q.action(verb); ok {
			return verb
		}
	}
	return ""
}

// worded decides by a verb with words. An action that accepts words interprets them as a reply;
// with a no they are its reason. ok is false if the decision accepts no words.
func (q question) worded(act agent.Action, text string) (agent.Reply, bool) {
	switch text = strings.TrimSpace(text); {
	case act.Words && text != "":
		return q.read(text, 1)
	case text == "", q.plain, harmless(act.Verb):
		return agent.Reply{Action: act.Verb, Text: text}, true
	}
	return agent.Reply{}, false
}

// unread lists the possible answers for a person whose message decides nothing.
func (q question) unread(lang string) string {
	var labels []string
	for _, b := range q.buttons(lang, "") {
		labels = append(labels, "“"+fit.Visible(b.Label)+"”")
	}
	return phrase.Say(lang, "bot.approval.say", strings.Join(labels, ", "))
}

// OnlyDecides reports whether a message contains only yes, no, skip, undo or stop.
func OnlyDecides(text string) bool {
	v, _ := intent.Decide(text)
	return v != intent.None
}
