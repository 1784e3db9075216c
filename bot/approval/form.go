package approval

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Fields of forms that the bot makes itself.
const (
	fieldText       = "text"       // words of a person
	fieldSuggestion = "suggestion" // which suggestion
)

// maxWords limits a person's text in a form, in characters.
const maxWords = 3000

// form returns the form that an action opens before it decides, nil if the click suffices.
func (q question) form(a agent.Action, lang string) *bot.Form {
	f := bot.Form{ID: q.row, Verb: a.Verb + formSuffix, Title: a.Label, Submit: phrase.Say(lang, "bot.button.send"), Some: a.Some}
	if f.Title == "" {
		f.Title = verbLabel(a.Verb, lang)
	}
	switch {
	case len(a.Inputs) > 0:
		for _, in := range a.Inputs {
			f.Inputs = append(f.Inputs, inputOf(in))
		}
	case a.Verb == agent.VerbReuse && len(q.Suggestions) > 0:
		f.Inputs = []bot.Input{{ID: fieldSuggestion, Label: phrase.Say(lang, "bot.form.which"), Required: true, Options: optionsOf(q.Suggestions)}}
	case a.Words && a.Verb != agent.VerbSkip: // to skip needs no reason
		f.Inputs = []bot.Input{{ID: fieldText, Label: phrase.Say(lang, "bot.form.own_words"), Long: true, Required: true, Max: maxWords}}
	default:
		return nil
	}
	return &f
}

func inputOf(in agent.Input) bot.Input {
	return bot.Input{
		ID: in.ID, Label: fit.Visible(in.Label), Hint: fit.Visible(in.Hint), Value: in.Value, Long: in.Long,
		Options: optionsOf(in.Options), Required: in.Required, Max: in.Max, Lines: in.Lines,
	}
}

func optionsOf(list []agent.Option) []bot.Option {
	var out []bot.Option
	for _, o := range list {
		out = append(out, bot.Option{Value: o.Value, Label: fit.Visible(o.Label)})
	}
	return out
}

// fillForm validates entered values against the form that was shown. Unknown fields are dropped; a
// field that the surface had no room for keeps its proposed value.
func fillForm(f *bot.Form, entered map[string]string, lang string) (values, wrong map[string]string) {
	values, wrong = map[string]string{}, map[string]string{}
	for _, in := range f.Inputs {
		v, ok := entered[in.ID]
		if !ok {
			v = in.Value
		}
		v = strings.TrimSpace(strings.ReplaceAll(v, "\r\n", "\n"))
		switch {
		case v == "" && in.Required:
			wrong[in.ID] = phrase.Say(lang, "bot.form.required")
		case v != "" && len(in.Options) > 0 && !slices.ContainsFunc(in.Options, func(o bot.Option) bool { return o.Value == v }):
			wrong[in.ID] = phrase.Say(lang, "bot.form.choose")
		case in.Max > 0 && utf8.RuneCountInString(v) > in.Max:
			wrong[in.ID] = phrase.Say(lang, "bot.form.too_long", in.Max)
		case in.Lines > 0 && filledLines(v) > in.Lines:
			wrong[in.ID] = phrase.Say(lang, "bot.form.too_many_lines", in.Lines)
		}
		values[in.ID] = v
	}
	if f.Some && len(wrong) == 0 && !slices.ContainsFunc(f.Inputs, func(in bot.Input) bool { return values[in.ID] != "" }) {
		wrong[f.Inputs[0].ID] = phrase.Say(lang, "bot.form.all_empty")
	}
	return values, wrong
}

// listMark matches the marker of a list line.
var listMark = regexp.MustCompile(`^\s*(?:\d{1,3}[.)]|[-*•])\s`)

// filledLines counts the non-empty lines of a text. In a list it counts items, which may take
// several lines.
func filledLines(text string) int {
	filled, begun := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			filled++
		}
		if listMark.MatchString(line) {
			begun++
		}
	}
	return cmp.Or(begun, filled)
}
