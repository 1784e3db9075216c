package approval

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"maru/agent"
	"maru/bot"
	"maru/bot/label"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// question is an interrupt prepared for people.
type question struct {
	agent.Ask

	row      string // id of its approval
	kind     string
	lang     string       // of its card
	needs    int          // how many people must agree
	labels   label.Labels // names of the IDs in it, where it is shown
	whole    whole        // where it can be read if its card is too long
	uploaded bool         // just now
	plain    bool         // without its own actions: the run expects {"approved", "comment"}
}

// verbForm is the syntax of an agent's verbs; the bot's own verbs contain dots.
var verbForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,23}$`)

// Verbs of the bot's own controls.
const (
	formSuffix = ".form" // of the form that an action opens, behind the action's verb
	pickPrefix = "pick." // of a suggestion, before its number
)

// questionOf parses an interrupt. One without an Ask is shown as it is and can be approved or
// rejected.
func questionOf(row string, i agent.Interrupt) question {
	q := question{row: row, kind: i.Kind}
	if json.Unmarshal(i.Payload, &q.Ask) != nil || q.Question == "" {
		q.Ask = agent.Ask{Detail: "```json\n" + string(i.Payload) + "\n```"}
	}
	var known []agent.Action
	for _, a := range q.Actions {
		if verbForm.MatchString(a.Verb) {
			known = append(known, a)
		}
	}
	q.Actions = known
	if len(q.Actions) == 0 {
		q.plain = true
		q.Actions = []agent.Action{
			{Verb: agent.VerbAccept, Style: string(bot.ButtonPrimary)}, {Verb: agent.VerbReject, Style: string(bot.ButtonDanger)},
		}
	}
	return q
}

// action returns the action of a verb.
func (q question) action(verb string) (agent.Action, bool) {
	for _, a := range q.Actions {
		if a.Verb == verb {
			return a, true
		}
	}
	return agent.Action{}, false
}

// meant translates a general verb for this question: approving a clarification continues the run,
// rejecting a step skips it.
func (q question) meant(verb string) string {
	if _, ok := q.action(verb); ok {
		return verb
	}
	other := map[string]string{agent.VerbAccept: agent.VerbProceed, agent.VerbReject: agent.VerbSkip}[verb]
	if _, ok := q.action(other); ok {
		return other
	}
	return verb
}

// notOffered lists the possible decisions for a person who tried another.
func (q question) notOffered(lang string) *bot.Error {
	verbs := make([]string, len(q.Actions))
	for i, a := range q.Actions {
		verbs[i] = "`" + a.Verb + "`"
	}
	return &bot.Error{Code: bot.CodeUnknown, Say: phrase.Say(lang, "bot.approval.no_such_choice", strings.Join(verbs, ", "))}
}

// inWords returns the action of a plain reply in the thread.
func (q question) inWords() (agent.Action, bool) {
	for _, a := range q.Actions {
		if a.Words {
			return a, true
		}
	}
	return agent.Action{}, false
}

// buttons returns the question's controls; mark distinguishes several questions.
func (q question) buttons(lang, mark string) []bot.Button {
	var out []bot.Button
	about := q.Question
	add := func(verb, label string, style bot.ButtonStyle) {
		b := bot.Button{ID: q.row, Verb: verb, Label: fit.Visible(label) + mark, Style: style}
		if about != "" {
			b.Spoken = b.Label + ": " + fit.Clip(fit.OneLine(unmarked(fit.Visible(about))), maxSpoken)
		}
		out = append(out, b)
	}
	few := len(q.Suggestions) <= maxPicks
	_, reuses := q.action(agent.VerbReuse)
	if few {
		for n, s := range q.Suggestions {
			label := s.Label
			switch {
			case utf8.RuneCountInString(label) > maxLabel:
				label = strconv.Itoa(n+1) + ")"
			case reuses: // beside likely answers, marks it as an earlier one
				label = phrase.Say(lang, "bot.button.as_before", label)
			}
			add(pickPrefix+strconv.Itoa(n), label, bot.ButtonPlain)
		}
	}
	in := q.offers()
	if len(in.Offers) > 0 {
		about = in.Label
	}
	for n, o := range in.Offers {
		add(pickPrefix+strconv.Itoa(len(q.Suggestions)+n), o.Label, bot.ButtonPlain)
	}
	about = q.Question
	for _, a := range q.Actions {
		if a.Spoken || a.Verb == agent.VerbReuse && len(q.Suggestions) > 0 && few {
			continue // the suggestions are its buttons
		}
		label := a.Label
		if label == "" {
			label = verbLabel(a.Verb, lang)
		}
		add(a.Verb, label, bot.ButtonStyle(a.Style))
	}
	return out
}

// offers returns the input whose likely answers have buttons: the question's only input, if they are few and
// short; otherwise an empty one.
func (q question) offers() agent.Input {
	words, ok := q.inWords()
	if !ok || len(words.Inputs) != 1 {
		return agent.Input{}
	}
	in := words.Inputs[0]
	long := func(o agent.Option) bool {
		return utf8.RuneCountInString(o.Label) > maxLabel || in.Max > 0 && utf8.RuneCountInString(o.Value) > in.Max || fit.Blank(o.Label)
	}
	if len(q.Suggestions)+len(in.Offers) > maxPicks || slices.ContainsFunc(in.Offers, long) {
		return agent.Input{}
	}
	return in
}

// unmarked is text without Markdown's marks, which a screen reader would read out.
func unmarked(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\`, "", "**", "", "`", "").Replace(text)
}

// maxSpoken limits the question's text in the screen-reader label of its buttons.
const maxSpoken = 50

// maxPicks limits the suggestions with a button; more become a list.
const maxPicks = 5

// verbLabel returns the default label of a verb.
func verbLabel(verb, lang string) string {
	switch verb {
	case agent.VerbAccept:
		return phrase.Say(lang, "bot.button.approve")
	case agent.VerbReject:
		return phrase.Say(lang, "bot.button.reject")
	case agent.VerbEdit:
		return phrase.Say(lang, "bot.button.edit")
	case agent.VerbClarify:
		return phrase.Say(lang, "bot.button.answer")
	case agent.VerbProceed:
		return phrase.Say(lang, "bot.button.proceed")
	case agent.VerbReuse:
		return phrase.Say(lang, "bot.button.reuse")
	case agent.VerbSkip:
		return phrase.Say(lang, "bot.button.skip")
	case agent.VerbDone:
		return phrase.Say(lang, "bot.button.was_done")
	case agent.VerbRerun:
		return phrase.Say(lang, "bot.button.run_again")
	case agent.VerbTask:
		return phrase.Say(lang, "bot.button.task")
	case agent.VerbAllow:
		return phrase.Say(lang, "bot.button.allow")
	case agent.VerbConnect:
		return phrase.Say(lang, "bot.button.connect")
	case agent.VerbStop:
		return phrase.Say(lang, "bot.button.stop")
	}
	return verb
}

// text returns the question's text without its steps.
func (q question) text() string {
	return fit.Paragraphs(revealed(q.Question), q.under())
}

// under returns what is below the question itself.
func (q question) under() string {
	var notes []string
	for _, n := range q.Notes {
		notes = append(notes, "> ℹ️ "+strings.ReplaceAll(revealed(n), "\n", "\n> "))
	}
	return fit.Paragraphs(revealed(q.Detail), strings.Join(notes, "\n"))
}

// revealed returns Markdown of an agent or a program in which no word is hidden: people decide about what they read.
func revealed(text string) string { return markdown.Reveal(fit.Visible(text)) }

// steps returns the steps of a plan with their effects.
func (q question) steps(lang string) []bot.Step {
	out := make([]bot.Step, len(q.Steps))
	for i, s := range q.Steps {
		out[i] = bot.StepOf(s)
		out[i].Detail = fit.Dots(effectLabel(s.Effect, lang), out[i].Detail, q.labels.Plain(s.Text+"\n"+s.Detail))
	}
	return out
}

// listSteps writes steps as text, for cards without a section for them.
func listSteps(steps []bot.Step) string {
	var s strings.Builder
	for i, st := range steps {
		fmt.Fprintf(&s, "%d. %s", i+1, fit.Literal(fit.OneLine(st.Text)))
		if st.Detail != "" {
			s.WriteString(" — " + fit.Literal(fit.OneLine(st.Detail)))
		}
		s.WriteString("\n")
	}
	return strings.TrimSpace(s.String())
}

// effectLabel names an effect, including an unknown one.
func effectLabel(e agent.Effect, lang string) string {
	switch e {
	case agent.EffectReads:
		return phrase.Say(lang, "bot.effect.reads")
	case agent.EffectSends:
		return phrase.Say(lang, "bot.effect.sends")
	case agent.EffectWrites:
		return phrase.Say(lang, "bot.effect.writes")
	case agent.EffectExecutes:
		return phrase.Say(lang, "bot.effect.executes")
	}
	return phrase.Say(lang, "bot.effect.unknown")
}

// kindClarification asks about something unclear; answering it has no effect by itself.
const kindClarification = "clarification"

// kindStep is the kind of a question about one step of several.
const kindStep = "step"
