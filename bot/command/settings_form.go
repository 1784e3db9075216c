package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
)

// buttons open the settings forms: one for all keys or, where forms are small, one for each
// group of keys with something that the person may change.
func (st *Settings) buttons(t bot.Thread, u bot.User, level config.Level, lang string) []bot.Button {
	var out []bot.Button
	keys := config.Keys()
	if room := st.platforms.Facts(t.Platform).FormInputs; room == 0 || room >= len(keys) {
		if st.mayChangeSome(t, u, keys) {
			out = append(out, bot.Button{ID: ControlSettings, Verb: editVerb(level, ""), Label: phrase.Say(lang, "bot.button.change"), Style: bot.ButtonPrimary})
		}
		return out
	}
	for _, g := range config.KeyGroups() {
		if st.mayChangeSome(t, u, groupKeys(g.Name)) {
			out = append(out, bot.Button{ID: ControlSettings, Verb: editVerb(level, g.Name), Label: phrase.Say(lang, "settings."+g.Name)})
		}
	}
	return out
}

// editVerb returns the verb that opens the form of a group at a level; the group "" has all
// keys.
func editVerb(level config.Level, group string) string {
	verb := "edit"
	if level != config.Program || group != "" {
		verb += "." + level.String()
	}
	if group != "" {
		verb += "." + group
	}
	return verb
}

// groupKeys returns the keys of a group, or all keys for "".
func groupKeys(group string) []config.Key {
	return slices.DeleteFunc(config.Keys(), func(k config.Key) bool { return group != "" && config.GroupOf(k.Name) != group })
}

// mayChangeSome reports whether a person may change any of the keys.
func (st *Settings) mayChangeSome(t bot.Thread, u bot.User, keys []config.Key) bool {
	return slices.ContainsFunc(keys, func(k config.Key) bool {
		_, ok := st.levelFor(k, t, u, config.Program)
		return ok
	})
}

// ControlSettings is the ID of settings buttons and forms. It grants nothing: rights are
// checked at the click.
const ControlSettings = "settings"

// open opens the settings form, or shows the settings where the platform has no forms.
func (st *Settings) open(ctx context.Context, c bot.Invocation, s settingsRequest, lang string) (*bot.Card, error) {
	f, ok := st.platforms[c.Thread.Platform].(bot.Forms)
	if !ok || c.Trigger == "" {
		card, err := st.show(ctx, c.Thread, c.User, "", lang)
		if err == nil {
			card.Buttons = st.buttons(c.Thread, c.User, s.level, lang)
		}
		return card, err
	}
	form, err := st.form(ctx, c.Thread, c.User, settingsPart{level: s.level}, lang)
	if err != nil {
		return nil, err
	}
	if err := f.OpenForm(ctx, c.Trigger, form); err != nil {
		return nil, fmt.Errorf("open the settings: %w", err)
	}
	return nil, nil //nolint:nilnil // the form is the answer
}

// settingsPart is the content of a settings form: a group of keys at a level; the group ""
// has all keys.
type settingsPart struct {
	level config.Level
	group string
}

// form returns a form with a control for every key that the person may change.
func (st *Settings) form(ctx context.Context, t bot.Thread, u bot.User, of settingsPart, lang string) (bot.Form, error) {
	u, err := st.rules.EffectiveUser(ctx, t, u)
	if err != nil {
		return bot.Form{}, err
	}
	set, err := st.rules.Settings(ctx, t, u)
	if err != nil {
		return bot.Form{}, err
	}
	f := bot.Form{
		ID: ControlSettings, Verb: "save." + of.level.String() + ".", Title: phrase.Say(lang, "bot.settings.here"), Submit: phrase.Say(lang, "bot.button.save"),
	}
	switch {
	case of.group != "":
		f.Title = phrase.Say(lang, "settings."+of.group)
	case of.level == config.Person:
		f.Title = phrase.Say(lang, "bot.settings.mine")
	}
	for _, k := range groupKeys(of.group) {
		at, ok := st.levelFor(k, t, u, of.level)
		if !ok {
			continue
		}
		in := bot.Input{
			ID: k.Name, Label: k.Help(lang), Value: k.Text(set.Value(k.Name)), Max: k.Letters(), Long: k.Kind == "text",
			Hint: phrase.Say(lang, "bot.settings.origin", levelName(set.From[k.Name], lang), levelName(at, lang)),
		}
		for _, v := range k.Choices(st.offers()) {
			in.Options = append(in.Options, bot.Option{Value: v, Label: k.Label(v, lang)})
		}
		if word := k.Label(in.Value, lang); in.Options == nil && word != in.Value {
			in.Hint = in.Value + " = " + word + " · " + in.Hint
		}
		f.Verb += mark(k, in.Value)
		in.Several = st.listOptions(k, st.listValues(ctx, t, u, k), in.Value, lang)
		f.Inputs = append(f.Inputs, st.peopleFields(ctx, t, k, in, lang)...)
	}
	if len(f.Inputs) == 0 {
		return bot.Form{}, &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(config.Admin, lang)}
	}
	return f, nil
}

// listValues returns the values that a list setting offers; for document tags, those of the documents that the
// person may read here.
func (st *Settings) listValues(ctx context.Context, t bot.Thread, u bot.User, k config.Key) []string {
	if k.Name != "doc_tags" {
		return k.Several(st.offers())
	}
	scopes, err := st.rules.ScopesNow(ctx, t, u)
	if err == nil {
		var docs []rag.Document
		if docs, err = st.library.Documents(ctx, scopes); err == nil {
			return tagsOf(docs)
		}
	}
	st.log.WarnContext(ctx, "list tags", "err", err) // the person types them
	return nil
}

// tagsOf returns the distinct tags of documents.
func tagsOf(docs []rag.Document) []string {
	var out []string
	for _, d := range docs {
		out = append(out, d.Tags...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// listOptions returns the options of a list field. Values that are set but no longer offered are included, because
// saving the form would remove them otherwise.
func (st *Settings) listOptions(k config.Key, offered []string, set, lang string) []bot.Option {
	if len(offered) == 0 {
		return nil
	}
	var out []bot.Option
	for _, v := range append(slices.Clone(offered), split(set)...) {
		if !slices.ContainsFunc(out, func(o bot.Option) bool { return o.Value == v }) {
			out = append(out, bot.Option{Value: v, Label: k.Label(v, lang)})
		}
	}
	return out
}

// otherApprovers is the form field for approvers that a menu of people cannot show.
const otherApprovers = keyApprovers + "_other"

// mostPicked is how many people a menu can select, by Discord's limit, the smaller one.
const mostPicked = 25

// peopleFields turns the approvers field into a menu of people where the platform has one,
// with a list beside it for entries that the menu cannot show, such as all admins.
func (st *Settings) peopleFields(ctx context.Context, t bot.Thread, k config.Key, in bot.Input, lang string) []bot.Input {
	p, ok := st.platforms[t.Platform].(bot.Picker)
	if !ok || k.Name != keyApprovers {
		return []bot.Input{in}
	}
	var people, rest []string
	for _, id := range in.Values() {
		if p.Picks(t, id) {
			people = append(people, id)
		} else {
			rest = append(rest, id)
		}
	}
	if len(people) > mostPicked {
		return []bot.Input{in}
	}
	other := bot.Input{ID: otherApprovers, Label: phrase.Say(lang, "bot.approvers.ids"), Hint: phrase.Say(lang, "bot.approvers.ids_hint"), Value: strings.Join(rest, ", "), Max: k.Letters()}
	other.Several = append([]bot.Option{{Value: config.ApproverAdmins, Label: phrase.Say(lang, "bot.people.all_admins")}}, p.Groups(ctx, t)...)
	for _, id := range rest {
		if !slices.ContainsFunc(other.Several, func(o bot.Option) bool { return o.Value == id }) {
			other.Several = append(other.Several, bot.Option{Value: id, Label: id})
		}
	}
	in.Pick, in.Value = true, strings.Join(people, ", ")
	in.Label = phrase.Say(lang, "bot.approvers.people")
	return []bot.Input{in, other}
}

// joinPeopleFields returns the values with the fields of peopleFields joined.
func joinPeopleFields(values map[string]string) map[string]string {
	people, one := values[keyApprovers]
	other, two := values[otherApprovers]
	if one && two {
		values = maps.Clone(values)
		values[keyApprovers] = strings.Join(append(split(people), split(other)...), ", ")
	}
	return values
}

// split splits the text of a list.
func split(text string) []string { return bot.Input{Value: text}.Values() }

// Action opens the settings form or saves it. Only fields that the person changed are stored. One invalid field
// keeps all from being saved, and so does one that somebody else changed since the form was opened.
func (st *Settings) Action(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	verb, rest, _ := strings.Cut(a.Verb, ".")
	level, group, _ := strings.Cut(rest, ".")
	switch verb {
	case "edit":
		if len(groupKeys(group)) == 0 {
			return refusal(&bot.Error{Code: bot.CodeUnknown}, lang)
		}
		form, err := st.form(ctx, a.Thread, a.User, settingsPart{levelNamed(level), group}, lang)
		if err != nil {
			return refusal(err, lang)
		}
		return bot.Answer{Form: &form}, nil
	case "save":
		return st.save(ctx, a, levelNamed(level), lang)
	}
	return refusal(&bot.Error{Code: bot.CodeUnknown}, lang)
}

func levelNamed(name string) config.Level {
	for l := config.Workspace; l <= config.Person; l++ {
		if l.String() == name {
			return l
		}
	}
	return config.Program
}

func (st *Settings) save(ctx context.Context, a bot.Action, level config.Level, lang string) (bot.Answer, error) {
	fields := maps.Clone(a.Values)
	for { // each further attempt is another change's success
		found, err := st.record.SettingsOf(ctx, a.Thread.Places(a.User)) // read first: a change in between fails the exchange
		if err != nil {
			return bot.Answer{}, fmt.Errorf("read settings: %w", err)
		}
		rows, bad, err := st.Proposed(ctx, a, level.String(), lang)
		if err != nil {
			return refusal(err, lang)
		}
		if len(bad) > 0 {
			form, err := st.refill(ctx, a, fields, level, lang)
			if err != nil {
				return refusal(err, lang)
			}
			return bot.Answer{Form: form, Errors: bad}, nil
		}
		if done, err := st.rules.SetIf(ctx, rows, found); err != nil {
			return bot.Answer{}, fmt.Errorf("store settings: %w", err)
		} else if !done {
			continue
		}
		text, err := st.savedText(ctx, a, rows, lang)
		if err != nil {
			return bot.Answer{}, err
		}
		return bot.Answer{Card: bot.NewNotice(text, lang)}, nil
	}
}

// savedText lists the changed settings, with a note for those without effect.
func (st *Settings) savedText(ctx context.Context, a bot.Action, saved []bot.Setting, lang string) (string, error) {
	if len(saved) == 0 {
		return phrase.Say(lang, "bot.settings.unchanged"), nil
	}
	set, err := st.rules.Settings(ctx, a.Thread, a.User)
	if err != nil {
		return "", err
	}
	var keys, notes []string
	for _, row := range saved {
		keys, notes = append(keys, row.Key), append(notes, st.idleNote(row.Key, set, lang))
	}
	text := phrase.Say(lang, "bot.settings.saved") + "`" + strings.Join(keys, "`, `") + "`"
	return strings.Join(append([]string{text}, fit.Distinct(notes)...), "\n"), nil
}

// refill returns a form of the submitted fields with the values that the person changed, and the present values of the others.
func (st *Settings) refill(ctx context.Context, a bot.Action, fields map[string]string, level config.Level, lang string) (*bot.Form, error) {
	group := ""
	for key := range fields {
		if g := config.GroupOf(key); group == "" || g == group {
			group = g
		} else { // of more than one group: it was the form of all keys
			group = ""
			break
		}
	}
	form, err := st.form(ctx, a.Thread, a.User, settingsPart{level, group}, lang)
	if err != nil {
		return nil, err
	}
	form.Inputs = slices.DeleteFunc(form.Inputs, func(in bot.Input) bool { _, there := fields[in.ID]; return !there })
	return form.Typed(a.Values), nil
}

// refusal turns a [bot.Error] into an answer; other errors are returned, so that the platform
// reports a failure.
func refusal(err error, lang string) (bot.Answer, error) {
	var e *bot.Error
	if !errors.As(err, &e) {
		return bot.Answer{}, err
	}
	n := e.Notice(lang)
	return bot.Answer{Card: &n}, nil
}

// idleNote explains why a value that was set has not the effect one expects, "" if it has: a budget
// without prices, an agent without a language model.
func (st *Settings) idleNote(key string, set config.Resolved, lang string) string {
	switch {
	case key == "agent" && slices.Contains(st.models.Weak, set.Agent):
		return phrase.Say(lang, "bot.agents.no_model", set.Agent)
	}
	of, unit, ok := strings.Cut(key, "_")
	if !ok || !slices.Contains([]string{"daily", "person", "run"}, of) || fmt.Sprint(set.Value(key)) == "0" {
		return ""
	}
	switch {
	case unit == string(place.Calls): // those of the built-in model count, too
		return ""
	case !st.models.Counted:
		return phrase.Say(lang, "bot.budget.no_model")
	case unit == string(place.Money) && !st.models.Priced:
		return phrase.Say(lang, "bot.budget.no_prices", of+"_"+string(place.Tokens))
	}
	return ""
}
