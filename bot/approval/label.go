package approval

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/bot"
	"maru/bot/label"
	"maru/phrase/fit"
)

// Labelled adds the platform's names of the IDs that the questions of a run show, and where the questions can be read that
// are too long for a card.
func (qs *Questions) Labelled(ctx context.Context, list []Asked) []Asked {
	if len(list) == 0 {
		return list
	}
	out := slices.Clone(list)
	if tooMuch(draw(list, nil, time.UTC).Text) {
		at, err := wholeOf(ctx, qs, list)
		if err != nil {
			qs.log.WarnContext(ctx, "read where a question is whole", "approval", list[0].Row.ID, "err", err)
		}
		for i := range out {
			out[i].whole = at
		}
	}
	m, lang := list[0].About.Message, list[0].About.Lang
	sources := label.SourcesOf(m, qs.adapters)
	if len(sources) == 0 {
		return out
	}
	var texts []string
	for _, a := range list {
		texts = append(texts, a.values())
	}
	found := label.Find(ctx, m, lang, sources, texts...)
	for i := range out {
		out[i].labels = found
	}
	return out
}

// values returns all texts of a question's card in which an ID may stand.
func (q question) values() string {
	texts := []string{q.text(), q.choices()}
	for _, s := range q.Steps {
		texts = append(texts, s.Text, s.Detail)
	}
	return strings.Join(texts, "\n")
}

// choices returns the labels of the question's suggestions and offers.
func (q question) choices() string {
	var texts []string
	for _, o := range slices.Concat(q.Suggestions, q.offers().Offers) {
		texts = append(texts, o.Label)
	}
	return strings.Join(texts, "\n")
}

// named adds labels to a form: those of a value come before the hint, which a platform may shorten.
func named(ctx context.Context, sources []label.Source, m bot.Message, lang string, f bot.Form) *bot.Form {
	var texts []string
	for _, in := range f.Inputs {
		texts = append(texts, in.Value)
		for _, o := range in.Options {
			texts = append(texts, o.Label)
		}
	}
	l := label.Find(ctx, m, lang, sources, texts...)
	f.Inputs = slices.Clone(f.Inputs)
	for i, in := range f.Inputs {
		f.Inputs[i].Hint = fit.Dots(l.Plain(in.Value), in.Hint)
		f.Inputs[i].Options = slices.Clone(in.Options)
		for n, o := range in.Options {
			f.Inputs[i].Options[n].Label = fit.Dots(o.Label, l.Plain(o.Label))
		}
	}
	return &f
}

// Plainly returns a question, what its card shows below it, and its steps with what each does, for a page that shows plain
// text.
func (a Asked) Plainly() (question, text string, steps []string) {
	text = fit.Paragraphs(plainly(a.under()), a.labels.Plain(a.text()+"\n"+a.choices()))
	if a.Effect != "" {
		text = fit.Paragraphs(text, effectLabel(a.Effect, a.About.Lang))
	}
	for _, s := range a.steps(a.About.Lang) {
		steps = append(steps, s.Text+after(" — ", s.Detail))
	}
	return plainly(revealed(a.Question)), text, steps
}

// after returns a text behind a mark, "" for none.
func after(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + text
}

// tooMuch reports whether a card's text exceeds what surfaces show.
func tooMuch(text string) bool { return utf8.RuneCountInString(text) > maxShown }
