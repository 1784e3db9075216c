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

// placeLevels are the levels of settings by the names that commands have for them.
var placeLevels = map[string]config.Level{
	"workspace": config.Workspace, "channel": config.Channel, "thread": config.InThread, "me": config.Person,
}

func settingsActions() []string { return []string{"show", "edit", "set", "clear"} }

func placeNames() []string { return []string{"workspace", "channel", "thread", "me"} }

// levelName names a level for people.
func levelName(l config.Level, lang string) string {
	switch l {
	case config.Workspace:
		return phrase.Say(lang, "bot.workspace")
	case config.Channel:
		return phrase.Say(lang, "bot.channel")
	case config.InThread:
		return phrase.Say(lang, "bot.thread")
	case config.Person:
		return phrase.Say(lang, "bot.me")
	case config.Program:
	}
	return phrase.Say(lang, "bot.default")
}

// levelsOf lists where a key can be set, for people.
func levelsOf(k config.Key, lang string) string {
	var out []string
	for l := config.Workspace; l <= config.Person; l++ {
		if k.Who[l] != config.Nobody {
			out = append(out, levelName(l, lang))
		}
	}
	return strings.Join(out, ", ")
}

// placeAt is the place of a level, as settings are stored under it.
func placeAt(l config.Level, t bot.Thread, u bot.User) string { return t.Places(u)[l-config.Workspace] }

// settingsArgs are the arguments as platforms with typed options offer them.
func settingsArgs() []bot.Arg {
	var keys []string
	for _, k := range config.Keys() {
		keys = append(keys, k.Name)
	}
	return []bot.Arg{
		{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: settingsActions()},
		{Name: "place", Summary: phrase.All("bot.where_it_shall_hold"), Choices: placeNames()},
		{Name: "key", Summary: phrase.All("bot.name_of_the_setting"), Choices: keys},
		{Name: "value", Summary: phrase.All("bot.new_value"), Rest: true},
	}
}

// SettingsRecord is what [Settings] need of the record.
type SettingsRecord interface {
	SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error)
}

// Settings shows what holds in a place, and changes it by words and forms.
type Settings struct {
	rules     *place.Rules
	log       *slog.Logger
	record    SettingsRecord
	platforms bot.Platforms
	agents    Agents
	toolbox   bot.Toolbox
	library   bot.Library
	models    Models
}

// command shows what holds here and where it comes from, and changes it.
func (st *Settings) command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	s, err := parseSettings(c, lang)
	if err != nil {
		return nil, err
	}
	switch s.action {
	case "show":
		return st.showSettings(ctx, c.Thread, c.User, s.key, lang)
	case "edit":
		return st.openSettings(ctx, c, s, lang)
	case "set", "clear":
		return st.changeSetting(ctx, c, s, lang)
	}
	hint := settingsUsage(lang)
	if meant := probably(s.action, settingsActions()); meant != "" {
		hint = phrase.Say(lang, "bot.did_you_mean", meant) + " " + hint
	}
	return nil, &bot.Error{Code: bot.CodeBadCommand, Say: hint}
}

func settingsUsage(lang string) string {
	return phrase.Say(lang, "bot.write_maru_settings_set_workspace")
}

// showSettings lists every setting, or the one that is named, with its value and
// where that comes from.
func (st *Settings) showSettings(ctx context.Context, t bot.Thread, u bot.User, only, lang string) (*bot.Card, error) {
	if only != "" {
		key, err := keyNamed(only, lang)
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
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.settings_here"), Language: lang, Final: true,
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
			value, note := shownSetting(k, set.Value(k.Name), lang), k.Help(lang)
			if k.Kind == "choice" { // it is typed as it is, and its meaning stands beside it
				was := value
				if value = shownValue(set.Value(k.Name), lang); was != value {
					note += " · " + strings.TrimPrefix(was, value+": ")
				}
			}
			fmt.Fprintf(&text, "- `%s` = **%s** (%s) — %s\n", k.Name, value, levelName(set.From[k.Name], lang), note)
			if only != "" {
				text.WriteString("\n" + st.taken(k, lang))
				if note := st.boundsNothing(only, set, lang); note != "" {
					text.WriteString("\n" + note)
				}
			}
		}
	}
	card.Text = strings.TrimSpace(text.String())
	if u, err = st.rules.Treated(ctx, t, u); err != nil {
		return nil, err
	}
	card.Buttons = st.settingsButtons(t, u, config.Program, lang)
	return &card, nil
}

// taken says what a setting takes: each of its choices with what it means.
func (st *Settings) taken(k config.Key, lang string) string {
	var s strings.Builder
	for _, v := range append(k.Choices(st.offers()), k.Several(st.offers())...) {
		line := "- `" + v + "`"
		if means := k.Label(v, lang); !strings.EqualFold(means, v) {
			line += " — " + means
		}
		s.WriteString(line + "\n")
	}
	if s.Len() > 0 {
		return phrase.Say(lang, "bot.it_takes") + "\n\n" + s.String()
	}
	return k.Takes(st.offers(), lang) + "\n"
}

// shownSetting is what a key is set to in words, where a value has some, and as it
// stands otherwise.
func shownSetting(k config.Key, v any, lang string) string {
	text := k.Text(v)
	if k.Kind == "bool" || k.Kind == "list" || text == "" {
		return shownValue(v, lang)
	}
	if means := k.Label(text, lang); means != text {
		return means
	}
	return shownValue(v, lang)
}

// offers are the values of settings that this program has.
func (st *Settings) offers() config.Offers {
	o := config.Offers{Agents: st.agents.Names(), Models: st.models.Choices, Tools: []string{}}
	for _, t := range st.toolbox.Tools(nil) {
		o.Tools = append(o.Tools, t.Name)
	}
	return o
}

// shownValue is a setting's value for people.
func shownValue(v any, lang string) string {
	switch v := v.(type) {
	case nil:
		return "—"
	case time.Duration:
		return phrase.Span(v).In(lang)
	case bool:
		if v {
			return phrase.Say(lang, "bot.on")
		}
		return phrase.Say(lang, "bot.off")
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

// levelFor chooses the level at which a person changes a key: the wanted one,
// or with Program the widest of channel, person and thread that they may, and the
// workspace for what is set nowhere else. Who may at none is told of the first at
// which somebody may.
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

// changeSetting sets or clears one key and says what holds now.
func (st *Settings) changeSetting(ctx context.Context, c bot.Invocation, s settingsCall, lang string) (*bot.Card, error) {
	if err := st.put(ctx, c.Thread, c.User, &s, lang); err != nil {
		return nil, err
	}
	set, err := st.rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	card := &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.setting_changed"), Language: lang, Final: true}
	if s.idle {
		card.Title = phrase.Say(lang, "bot.nothing_was_set_there", levelName(s.level, lang))
	}
	key, err := keyNamed(s.key, lang)
	if err != nil {
		return nil, err
	}
	value := set.Value(key.Name)
	text := fmt.Sprintf("`%s` = **%s** (%s)", key.Name, shownValue(value, lang), levelName(set.From[key.Name], lang))
	if who := set.Decisions.Approvers; key.Name == keyApprovers && len(who) > 0 {
		text = fmt.Sprintf("`%s` = %s (%s)", key.Name, st.approverNames(ctx, c.Thread, who, lang), levelName(set.From[key.Name], lang))
	} else if means := strings.TrimPrefix(shownSetting(key, value, lang), shownValue(value, lang)+": "); !strings.EqualFold(means, shownValue(value, lang)) {
		text += " — " + means
	}
	switch from := set.From[s.key]; {
	case s.action != "set":
	case from > s.level:
		text += "\n" + phrase.Say(lang, "bot.stored_for_the_but_a", levelName(s.level, lang))
	case from < s.level: // such as how long things are kept: a person's own may only be sooner
		text += "\n" + phrase.Say(lang, "bot.stored_but_stricter", levelName(s.level, lang), levelName(from, lang))
	}
	if note := st.boundsNothing(key.Name, set, lang); note != "" && s.action == "set" {
		text += "\n" + note
	}
	card.Text = text
	return card, nil
}

// put checks a change and commits it with its audit entry. It fills in the
// level that was chosen.
func (st *Settings) put(ctx context.Context, t bot.Thread, u bot.User, s *settingsCall, lang string) error {
	key, err := keyNamed(s.key, lang)
	if err != nil {
		return err
	}
	s.key = key.Name
	if u, err = st.rules.Treated(ctx, t, u); err != nil {
		return err
	}
	if s.level == config.InThread && t.ID == "" && st.rules.May(t, u, key.Who[s.level]) {
		return &bot.Error{Code: bot.CodeBadSetting, Detail: phrase.Say(lang, "bot.this_is_no_thread_choose")}
	}
	level, may := st.levelFor(key, t, u, s.level)
	if !may {
		st.rules.Audit(ctx, t, u, "setting.refused", map[string]any{"key": key.Name, "level": level.String()})
		if key.Who[level] == config.Nobody { // not even an admin may
			return &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(lang, "bot.not_set_at_this_level", key.Name, levelName(level, lang), levelsOf(key, lang)), Noted: true}
		}
		return &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(key.Who[level], lang), Noted: true}
	}
	s.level = level
	row := bot.Setting{Place: placeAt(level, t, u), Key: key.Name, By: u.ID}
	if s.action == "set" {
		value, hint, err := st.checked(t, key, s.value, lang)
		if err != nil {
			return &bot.Error{Code: bot.CodeBadSetting, Detail: "`" + key.Name + "`: " + hint, Err: err}
		}
		row.Value = value
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

// keyNamed is the setting of that name; the error says which was probably meant.
func keyNamed(name, lang string) (config.Key, error) {
	key, near, ok := config.KeyNamed(name)
	switch {
	case ok:
		return key, nil
	case name == "":
		return key, &bot.Error{Code: bot.CodeBadSetting, Detail: settingsUsage(lang)}
	case near != "":
		return key, &bot.Error{Code: bot.CodeBadSetting, Say: phrase.Say(lang, "bot.no_setting_of_that_name", fit.Quoted(name, 40)) + " " + phrase.Say(lang, "bot.did_you_mean", near)}
	}
	return key, &bot.Error{Code: bot.CodeBadSetting, Say: phrase.Say(lang, "bot.no_setting_of_that_name", fit.Quoted(name, 40)) + " " + phrase.Say(lang, "bot.settings_shows_all")}
}

// checked turns what a person wrote in a place into a key's value. On an error the hint
// tells them what the key takes.
func (st *Settings) checked(t bot.Thread, k config.Key, text, lang string) (value json.RawMessage, hint string, err error) {
	if k.Name == keyApprovers {
		names := approversNamed(text)
		if slices.ContainsFunc(names, isNobody) {
			return nil, phrase.Say(lang, "bot.a_name_is_no_id") + " " + approversUsage(lang), errors.New("a name is nobody's id")
		}
		if i := slices.IndexFunc(names, func(n string) bool { return st.isNobodyAt(t, n) }); i >= 0 {
			return nil, phrase.Say(lang, "bot.no_id_of_anybody", fit.Quoted(names[i], 40)), errors.New("an approver is nobody's id")
		}
		text = strings.Join(names, ", ")
	}
	value, err = k.Check(text, st.offers())
	hint = k.Takes(st.offers(), lang)
	if meant := k.Meant(text, st.offers()); err != nil && meant != "" {
		hint = phrase.Say(lang, "bot.did_you_mean", meant) + " " + hint
	}
	return value, hint, err
}
