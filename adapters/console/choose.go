package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/phrase/fit"
)

// choose presses button n of the last card with buttons. A form that opens is filled in field
// by field.
func (a *Adapter) choose(ctx context.Context, in bot.Intake, n int) error {
	c := a.waiting()
	switch {
	case len(c.buttons) == 0:
		a.say(word(a.lang, "no.choice"))
		return nil
	case n < 1 || n > len(c.buttons):
		a.say(fmt.Sprintf(word(a.lang, "bad.choice"), len(c.buttons)))
		return nil
	}
	b := c.buttons[n-1]
	if b.URL != "" {
		a.say(fit.Clean(b.URL))
		return nil
	}
	return a.act(ctx, in, bot.Action{ID: b.ID, Verb: b.Verb, Thread: c.thread, Message: c.message})
}

// act sends a click to the bot and handles the answer.
func (a *Adapter) act(ctx context.Context, in bot.Intake, act bot.Action) error {
	act.User, act.At = a.cfg.user(), a.cfg.Now()
	a.forget()
	ans, err := in.Action(ctx, act)
	for err == nil && (ans.Form != nil || len(ans.Errors) > 0) {
		if ans.Form != nil {
			act.ID, act.Verb = ans.Form.ID, ans.Form.Verb
		}
		act.Values, err = a.fill(ctx, ans.Form, ans.Errors, act.Values)
		if errors.Is(err, errInterrupt) || errors.Is(err, errLeave) {
			a.say(word(a.lang, "form.left"))
			return nil
		}
		if err != nil {
			return err
		}
		form := ans.Form
		act.At = a.cfg.Now()
		ans, err = in.Action(ctx, act)
		if ans.Form == nil && len(ans.Errors) > 0 {
			ans.Form = form
		}
	}
	if err != nil {
		return a.showError(ctx, err)
	}
	if ans.Card != nil {
		a.notice(*ans.Card)
		return nil
	}
	return a.await(ctx, in)
}

// fill asks for a form's fields, or only for the rejected ones.
func (a *Adapter) fill(ctx context.Context, f *bot.Form, wrong, before map[string]string) (map[string]string, error) {
	values := make(map[string]string, len(f.Inputs))
	if f.Title != "" && len(wrong) == 0 {
		a.say(a.bold(fit.Clean(f.Title)))
	}
	for _, in := range f.Inputs {
		if len(wrong) > 0 && wrong[in.ID] == "" {
			var typed bool
			if values[in.ID], typed = before[in.ID]; !typed {
				values[in.ID] = in.Value
			}
			continue
		}
		if why := wrong[in.ID]; why != "" {
			a.say(fit.Clean(why))
		}
		v, err := a.field(ctx, in)
		if err != nil {
			return nil, err
		}
		values[in.ID] = v
	}
	return values, nil
}

// field reads one value; an empty line accepts the default.
func (a *Adapter) field(ctx context.Context, in bot.Input) (string, error) {
	a.say(a.question(in))
	for {
		v, err := readMessage(ctx, a.input, clip(in.Label, 24)+": ")
		if err != nil {
			return "", err
		}
		v = cmp.Or(v, in.Value)
		if i := slices.IndexFunc(in.Options, func(o bot.Option) bool { return strings.EqualFold(o.Label, v) }); i >= 0 {
			v = in.Options[i].Value
		}
		free := len(in.Options) == 0 || slices.ContainsFunc(in.Options, func(o bot.Option) bool { return o.Value == v })
		if free && (v != "" || !in.Required) {
			return v, nil
		}
		a.say(word(a.lang, "required"))
	}
}

// question returns a field's prompt: hint, default and choices.
func (a *Adapter) question(in bot.Input) string {
	var parts []string
	if in.Hint != "" {
		parts = append(parts, fit.Clean(in.Hint))
	}
	for _, o := range in.Options {
		parts = append(parts, "  · "+fit.Clean(o.Label))
	}
	if in.Value != "" {
		parts = append(parts, "["+fit.Clean(in.Value)+"]")
	}
	return a.quiet(strings.Join(parts, "\n"))
}
