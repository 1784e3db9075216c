package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// placeLevels are the levels of settings by their names in commands.
var placeLevels = map[string]config.Level{
	"workspace": config.Workspace, "channel": config.Channel, "thread": config.InThread, "me": config.Person,
}

func settingsActions() []string { return []string{"show", "edit", "set", "clear"} }

func placeNames() []string { return []string{"workspace", "channel", "thread", "me"} }

// levelName returns the display name of a level.
func levelName(l config.Level, lang string) string {
	switch l {
	case config.Workspace:
		return phrase.Say(lang, "bot.level.workspace")
	case config.Channel:
		return phrase.Say(lang, "bot.level.channel")
	case config.InThread:
		return phrase.Say(lang, "bot.level.thread")
	case config.Person:
		return phrase.Say(lang, "bot.level.me")
	case config.Program:
	}
	return phrase.Say(lang, "bot.level.default")
}

// levelsOf lists the levels at which a key can be set.
func levelsOf(k config.Key, lang string) string {
	var out []string
	for l := config.Workspace; l <= config.Person; l++ {
		if k.Who[l] != config.Nobody {
			out = append(out, levelName(l, lang))
		}
	}
	return strings.Join(out, ", ")
}

// placeOfLevel returns the place under which a level's settings are stored.
func placeOfLevel(l config.Level, t bot.Thread, u bot.User) string {
	return t.Places(u)[l-config.Workspace]
}

// settingsArgs returns the arguments for platforms with typed options.
func settingsArgs() []bot.Arg {
	var keys []string
	for _, k := range config.Keys() {
		keys = append(keys, k.Name)
	}
	return []bot.Arg{
		{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: settingsActions()},
		{Name: "place", Summary: phrase.All("bot.arg.level"), Choices: placeNames()},
		{Name: "key", Summary: phrase.All("bot.arg.setting"), Choices: keys},
		{Name: "value", Summary: phrase.All("bot.arg.value"), Rest: true},
	}
}

// SettingsRecord is the part of the record that [Settings] need.
type SettingsRecord interface {
	SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error)
}

// Settings shows and changes the settings of a place, by commands and forms.
type Settings struct {
	rules     *place.Rules
	log       *slog.Logger
	record    SettingsRecord
	platforms bot.Platforms
	agents    Agents
	toolbox   Toolbox
	library   bot.Library
	models    Models
}

// command shows or changes the settings.
func (st *Settings) command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	s, err := parseSettings(c, lang)
	if err != nil {
		return nil, err
	}
	switch s.action {
	case "show":
		return st.show(ctx, c.Thread, c.User, s.key, lang)
	case "edit":
		return st.open(ctx, c, s, lang)
	case "set", "clear":
		return st.change(ctx, c, s, lang)
	}
	hint := settingsUsage(lang)
	if meant := closest(s.action, settingsActions()); meant != "" {
		hint = phrase.Say(lang, "bot.help.did_you_mean", meant) + " " + hint
	}
	return nil, &bot.Error{Code: bot.CodeBadCommand, Say: hint}
}

func settingsUsage(lang string) string {
	return phrase.Say(lang, "bot.settings.how")
}

// show lists all settings, or one of them, with the value and the level it comes from.
func (st *Settings) show(ctx context.Context, t bot.Thread, u bot.User, only, lang string) (*bot.Card, error) {
	if only != "" {
		key, err := findKey(only, lang)
		if err != nil {
			return nil, err
		}
		only = key.Name
	}
	set, err := st.rules.Settings(ctx, t, u)
	if err != nil {
		return nil, err
	}
	card := bot.Card{
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.settings.here"), Language: lang, Final: true,
		Footer: settingsUsage(lang),
	}
	var text strings.Builder
	for _, g := range config.KeyGroups() {
		keys := slices.DeleteFunc(groupKeys(g.Name), func(k config.Key) bool { return only != "" && k.Name != only })
		if len(keys) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n**%s**\n\n", phrase.Say(lang, "settings."+g.Name))
		for _, k := range keys {
			value, note := settingText(k, set.Value(k.Name), lang), k.Help(lang)
			if k.Kind == "choice" { // its value is shown as typed, with its meaning beside it
				was := value
				if value = valueText(set.Value(k.Name), lang); was != value {
					note += " · " + strings.TrimPrefix(was, value+": ")
				}
			}
			fmt.Fprintf(&text, "- `%s` = **%s** (%s) — %s\n", k.Name, value, levelName(set.From[k.Name], lang), note)
			if only != "" {
				text.WriteString("\n" + st.accepted(k, lang))
				if note := st.idleNote(only, set, lang); note != "" {
					text.WriteString("\n" + note)
				}
			}
		}
	}
	card.Text = strings.TrimSpace(text.String())
	if u, err = st.rules.EffectiveUser(ctx, t, u); err != nil {
		return nil, err
	}
	card.Buttons = st.buttons(t, u, config.Program, lang)
	return &card, nil
}

// accepted lists the values that a setting accepts, with their meaning.
func (st *Settings) accepted(k config.Key, lang string) string {
	var s strings.Builder
	for _, v := range append(k.Choices(st.offers()), k.Several(st.offers())...) {
		line := "- `" + v + "`"
		if means := k.Label(v, lang); !strings.EqualFold(means, v) {
			line += " — " + means
		}
		s.WriteString(line + "\n")
	}
	if s.Len() > 0 {
		return phrase.Say(lang, "bot.settings.takes") + "\n\n" + s.String()
	}
	return k.Takes(st.offers(), lang) + "\n"
}

// settingText renders a key's value with its meaning, if the value has one.
func settingText(k config.Key, v any, lang string) string {
	text := k.Text(v)
	if k.Kind == "bool" || k.Kind == "list" || text == "" {
		return valueText(v, lang)
	}
	if means := k.Label(text, lang); means != text {
		return means
	}
	return valueText(v, lang)
}

// offers returns the agents, models and tools that settings can name.
func (st *Settings) offers() config.Offers {
	o := config.Offers{Agents: st.agents.Names(), Models: st.models.Choices, Tools: []string{}}
	for _, t := range st.toolbox.Tools(nil) {
		o.Tools = append(o.Tools, t.Name)
	}
	return o
}

// valueText renders a setting's value.
func valueText(v any, lang string) string {
	switch v := v.(type) {
	case nil:
		return "—"
	case time.Duration:
		return phrase.Span(v).In(lang)
	case bool:
		if v {
			return phrase.Say(lang, "bot.value.on")
		}
		return phrase.Say(lang, "bot.value.off")
	case []string:
		if len(v) == 0 {
			return "—"
		}
		return strings.Join(v, ", ")
	}
	if s := fmt.Sprint(v); s != "" {
		return s
	}
	return "—"
}

// levelFor chooses the level at which a person changes a key: want, or with Program the
// first of channel, person, thread and workspace at which they may. If they may at none, it
// returns the first level at which anybody may, and false.
func (st *Settings) levelFor(k config.Key, t bot.Thread, u bot.User, want config.Level) (config.Level, bool) {
	if want != config.Program {
		return want, st.rules.May(t, u, k.Who[want]) && (want != config.InThread || t.ID != "")
	}
	order := []config.Level{config.Channel, config.Person, config.InThread, config.Workspace}
	if t.Direct {
		order = []config.Level{config.Person, config.Channel, config.Workspace}
	}
	for _, l := range order {
		if st.rules.May(t, u, k.Who[l]) && (l != config.InThread || t.ID != "") {
			return l, true
		}
	}
	return order[max(0, slices.IndexFunc(order, func(l config.Level) bool { return k.Who[l] != config.Nobody }))], false
}

// change sets or clears a key and shows its value afterwards.
func (st *Settings) change(ctx context.Context, c bot.Invocation, s settingsRequest, lang string) (*bot.Card, error) {
	if err := st.store(ctx, c.Thread, c.User, &s, lang); err != nil {
		return nil, err
	}
	return st.changed(ctx, c, s, lang)
}

// changed shows the value of a key after a change.
func (st *Settings) changed(ctx context.Context, c bot.Invocation, s settingsRequest, lang string) (*bot.Card, error) {
	set, err := st.rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	card := &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.settings.changed"), Language: lang, Final: true}
	if s.idle {
		card.Title = phrase.Say(lang, "bot.settings.was_not_set", levelName(s.level, lang))
	}
	key, err := findKey(s.key, lang)
	if err != nil {
		return nil, err
	}
	value := set.Value(key.Name)
	text := fmt.Sprintf("`%s` = **%s** (%s)", key.Name, valueText(value, lang), levelName(set.From[key.Name], lang))
	if who := set.Decisions.Approvers; key.Name == keyApprovers && len(who) > 0 {
		text = fmt.Sprintf("`%s` = %s (%s)", key.Name, st.approverNames(ctx, c.Thread, who, lang), levelName(set.From[key.Name], lang))
	} else if means := strings.TrimPrefix(settingText(key, value, lang), valueText(value, lang)+": "); !strings.EqualFold(means, valueText(value, lang)) {
		text += " — " + means
	}
	switch from := set.From[s.key]; {
	case s.action != "set":
	case from > s.level:
		text += "\n" + phrase.Say(lang, "bot.settings.narrower_wins", levelName(s.level, lang))
	case from < s.level: // for example retention: a person's own may only be shorter
		text += "\n" + phrase.Say(lang, "bot.settings.stricter_wins", levelName(s.level, lang), levelName(from, lang))
	}
	if note := st.idleNote(key.Name, set, lang); note != "" && s.action == "set" {
		text += "\n" + note
	}
	card.Text = text
	return card, nil
}

// row validates a change and returns its row. It fills in the chosen level.
func (st *Settings) row(ctx context.Context, t bot.Thread, u bot.User, s *settingsRequest, lang string) (row bot.Setting, err error) {
	key, err := findKey(s.key, lang)
	if err != nil {
		return row, err
	}
	s.key = key.Name
	if u, err = st.rules.EffectiveUser(ctx, t, u); err != nil {
		return row, err
	}
	if s.level == config.InThread && t.ID == "" && st.rules.May(t, u, key.Who[s.level]) {
		return row, &bot.Error{Code: bot.CodeBadSetting, Detail: phrase.Say(lang, "bot.settings.no_thread")}
	}
	level, may := st.levelFor(key, t, u, s.level)
	if !may {
		st.rules.Audit(ctx, t, u, "setting.refused", map[string]any{"key": key.Name, "level": level.String()})
		if key.Who[level] == config.Nobody { // not even an admin may
			return row, &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(lang, "bot.settings.wrong_level", key.Name, levelName(level, lang), levelsOf(key, lang)), Noted: true}
		}
		return row, &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(key.Who[level], lang), Noted: true}
	}
	s.level = level
	row = bot.Setting{Place: placeOfLevel(level, t, u), Key: key.Name, By: u.ID}
	if s.action == "set" {
		value, hint, err := st.parse(t, key, s.value, lang)
		if err != nil {
			return row, &bot.Error{Code: bot.CodeBadSetting, Detail: "`" + key.Name + "`: " + hint, Err: err}
		}
		row.Value = value
	}
	return row, nil
}

// store validates a change and commits it with its audit entry.
func (st *Settings) store(ctx context.Context, t bot.Thread, u bot.User, s *settingsRequest, lang string) error {
	row, err := st.row(ctx, t, u, s, lang)
	if err != nil {
		return err
	}
	if s.action == "clear" {
		there, err := st.record.SettingsOf(ctx, []string{row.Place})
		if err != nil {
			return fmt.Errorf("read settings: %w", err)
		}
		if s.idle = !slices.ContainsFunc(there, func(x bot.Setting) bool { return x.Key == row.Key }); s.idle {
			return nil
		}
	}
	if err := st.rules.Set(ctx, row); err != nil {
		return fmt.Errorf("store setting: %w", err)
	}
	return nil
}

// findKey finds a setting by name; the error suggests the closest one.
func findKey(name, lang string) (config.Key, error) {
	key, near, ok := config.KeyNamed(name)
	switch {
	case ok:
		return key, nil
	case name == "":
		return key, &bot.Error{Code: bot.CodeBadSetting, Detail: settingsUsage(lang)}
	case near != "":
		return key, &bot.Error{Code: bot.CodeBadSetting, Say: phrase.Say(lang, "bot.settings.no_such_name", fit.Quoted(name, 40)) + " " + phrase.Say(lang, "bot.help.did_you_mean", near)}
	}
	return key, &bot.Error{Code: bot.CodeBadSetting, Say: phrase.Say(lang, "bot.settings.no_such_name", fit.Quoted(name, 40)) + " " + phrase.Say(lang, "bot.settings.see_all")}
}

// parse parses and validates a key's value. With an error, the hint lists accepted values.
func (st *Settings) parse(t bot.Thread, k config.Key, text, lang string) (value json.RawMessage, hint string, err error) {
	if k.Name == keyApprovers {
		names := parseApprovers(text)
		if slices.ContainsFunc(names, isDisplayName) {
			return nil, phrase.Say(lang, "bot.people.name_is_no_id") + " " + approversUsage(lang), errors.New("a name is not an id")
		}
		if i := slices.IndexFunc(names, func(n string) bool { return st.unknownID(t, n) }); i >= 0 {
			return nil, phrase.Say(lang, "bot.people.unknown_id", fit.Quoted(names[i], 40)), errors.New("an approver's id is unknown")
		}
		text = strings.Join(names, ", ")
	}
	value, err = k.Check(text, st.offers())
	hint = k.Takes(st.offers(), lang)
	if meant := k.Meant(text, st.offers()); err != nil && meant != "" {
		hint = phrase.Say(lang, "bot.help.did_you_mean", meant) + " " + hint
	}
	return value, hint, err
}
