package command

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/bot/privacy"
	"maru/bot/share"
	"maru/config"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/phrase/fit"
)

// memoryActions returns the actions of "/maru memory"; the first is the default.
func memoryActions() []string {
	return []string{"list", "forget", "use", "dont", "share", "on", "off", "export", "channel"}
}

// Memory shows people their long-term memory and lets them change it.
type Memory struct {
	rules     *place.Rules
	notes     Notes
	log       *slog.Logger
	memory    *longterm.Memory // nil: nothing is remembered of people
	forgetter *privacy.Forgetter
	now       func() time.Time
	sharing   share.Sharing
}

// command shows or changes the caller's memory. Only the caller sees the answer.
func (me *Memory) command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	action, what, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	if v := c.Options["action"]; v != "" {
		action, what = v, c.Options["what"]
	}
	action, what = choiceFor(action, memoryActions()), unquote(what)
	if action == "channel" {
		return me.notes.Command(ctx, c, what, lang)
	}
	if me.memory == nil {
		return bot.NewNotice(phrase.Say(lang, "bot.memory.unavailable"), lang), nil
	}
	switch action {
	case "", "list":
		return me.list(ctx, c, lang)
	case "export":
		return me.file(ctx, c, lang)
	case "on", "off":
		return me.switchOn(ctx, c, action == "on", what, lang)
	case "forget", "use", "dont", "share":
		return me.change(ctx, c, action, what, lang)
	}
	return nil, unknownChoice("memory", action, memoryActions(), lang)
}

// shownRecords limits the records in a list; an export has all.
const shownRecords = 20

// list shows the caller's records, with their origin and their last use.
func (me *Memory) list(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	list, err := me.memory.Known(ctx, c.Thread.Person(c.User))
	if err != nil {
		return nil, err
	}
	zone := me.rules.ZoneOf(c.User)
	for i := range list {
		list[i].Last, list[i].Used = list[i].Last.In(zone), list[i].Used.In(zone)
	}
	var s strings.Builder
	s.WriteString(memoryLines(byTask(list, lang)[:min(len(list), shownRecords)], c.Thread, lang))
	if n := len(list) - shownRecords; n > 0 {
		s.WriteString(phrase.Say(lang, "bot.memory.more", n))
	}
	if len(list) == 0 {
		s.WriteString(phrase.Say(lang, "bot.memory.empty") + "\n")
	}
	s.WriteString("\n" + me.state(ctx, c, lang))
	return &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.memory.title"), Text: s.String(), Language: lang, Final: true,
		Footer: phrase.Say(lang, "bot.memory.commands")}, nil
}

// state describes whether memory is on here, and where records are used.
func (me *Memory) state(ctx context.Context, c bot.Invocation, lang string) string {
	o := me.rules.Owner(ctx, c.Thread, c.User)
	switch {
	case o.Off:
		return phrase.Say(lang, "bot.memory.off_here")
	case o.Home == c.Thread.TeamScope():
		return phrase.Say(lang, "bot.memory.used_anywhere")
	}
	return phrase.Say(lang, "bot.memory.used_here")
}

// recordLine formats a record: content, date, origin, scope and use.
func recordLine(r remembered, t bot.Thread, lang string) string {
	var s strings.Builder
	words := plainLine(longterm.Worded(r.words, lang), lang)
	if r.task == "" {
		words = "**" + words + "** — " + privacy.KindName(r.Kind, lang) + ","
	} else {
		words += " —"
	}
	fmt.Fprintf(&s, "%s %s", words, r.Last.Format("2006-01-02"))
	s.WriteString(phrase.Say(lang, "bot.memory.conversations", r.Samples))
	if quote := quoteOf(r.Record); quote != "" {
		s.WriteString(", “" + quote + "”")
	}
	s.WriteString(", " + placeName(r.Scope, t, lang))
	if sure := int(r.Confidence()*100 + 0.5); sure > 0 {
		s.WriteString(phrase.Say(lang, "bot.memory.certainty", sure))
	}
	if r.Uses > 0 {
		s.WriteString(phrase.Say(lang, "bot.memory.uses", r.Uses, r.Used.Format("2006-01-02"), placeName(r.UsedIn, t, lang)))
	}
	if r.Muted {
		s.WriteString(phrase.Say(lang, "bot.memory.not_used"))
	}
	return s.String()
}

// plainLine formats a text on one line without Markdown.
func plainLine(text, lang string) string {
	if text = fit.OneLine(text); text == "" {
		return phrase.Say(lang, "bot.memory.nameless")
	}
	return fit.Clip(strings.NewReplacer("*", "·", "`", "'").Replace(text), 200)
}

// quoteOf returns the person's own words that support a preference.
func quoteOf(r longterm.Record) string {
	var p longterm.Preference
	if r.Kind != longterm.KindPreference || json.Unmarshal(r.Data, &p) != nil {
		return ""
	}
	return fit.Clip(p.Quote, 100)
}

// placeName returns the display name of a scope.
func placeName(scope string, t bot.Thread, lang string) string {
	switch scope {
	case t.ChannelScope():
		return phrase.Say(lang, "bot.scope.here")
	case t.TeamScope():
		return phrase.Say(lang, "bot.scope.anywhere")
	}
	return phrase.Say(lang, "bot.scope.other")
}

// change deletes, shares, mutes or unmutes records.
func (me *Memory) change(ctx context.Context, c bot.Invocation, action, what, lang string) (*bot.Card, error) {
	person := c.Thread.Person(c.User)
	if action == "share" && what != "off" {
		if err := me.sharing.Check(c.Thread, lang); err != nil {
			return nil, err
		}
	}
	if action == "share" && what == "" {
		return me.share(ctx, c, true, lang)
	}
	if action == "share" && (what == "on" || what == "off") {
		return me.share(ctx, c, what == "on", lang)
	}
	what, yes := confirmed(what)
	all := choiceFor(what, []string{"all"}) == "all"
	ids, err := me.findRecords(ctx, person, what, all)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(what) == "" {
		return nil, &bot.Error{Code: bot.CodeEmpty, Say: phrase.Say(lang, "bot.memory.which", action)}
	}
	if len(ids) == 0 && !all {
		return bot.NewNotice(phrase.Say(lang, "bot.memory.no_such_number"), lang), nil
	}
	if action == "forget" {
		if all {
			ids = nil
			if !yes {
				if card, err := me.askFirst(ctx, c, "me", c.Thread.Direct, lang); card != nil || err != nil {
					return card, err
				}
			}
		}
		return me.forget(ctx, c, ids, c.Thread.Direct, lang)
	}
	var n int
	switch action {
	case "share":
		n, err = me.memory.Move(ctx, person, ids, c.Thread.TeamScope())
	default:
		n, err = me.memory.Mute(ctx, person, ids, action == "dont")
	}
	if err != nil {
		return nil, err
	}
	me.rules.Audit(ctx, c.Thread, c.User, "memory."+action, map[string]any{"records": n})
	text := phrase.Say(lang, "bot.memory.enabled", n)
	switch action {
	case "share":
		text = phrase.Say(lang, "bot.memory.shared", n)
	case "dont":
		text = phrase.Say(lang, "bot.memory.disabled", n)
	}
	return bot.NewNotice(text, lang), nil
}

// findRecords finds records by their number in the list or the beginning of their ID.
func (me *Memory) findRecords(ctx context.Context, person, what string, all bool) ([]string, error) {
	list, err := me.memory.Known(ctx, person)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i, r := range byTask(list, "") {
		if all {
			ids = append(ids, r.ID)
			continue
		}
		for _, name := range strings.FieldsFunc(what, func(r rune) bool { return r == ' ' || r == ',' || r == '`' || r == '#' }) {
			if name == fmt.Sprint(i+1) || len(name) > 5 && strings.HasPrefix(r.ID, name) {
				ids = append(ids, r.ID)
			}
		}
	}
	return ids, nil
}

// forget deletes records or, with nil, everything about the caller, and shows a receipt.
// When it returns, no later prompt contains them. everywhere is as in
// [privacy.Forgetter.Person].
func (me *Memory) forget(ctx context.Context, c bot.Invocation, ids []string, everywhere bool, lang string) (*bot.Card, error) {
	text := ""
	if ids == nil {
		gone, err := me.forgetter.Person(ctx, c.Thread, c.User, everywhere)
		if err != nil {
			return nil, err
		}
		text = gone.Receipt(lang)
		if !everywhere {
			others, err := me.forgetter.OtherTeams(ctx, c.Thread, c.User)
			if err != nil {
				return nil, err
			}
			if len(others) > 0 {
				text += phrase.Say(lang, "bot.forget.other_places")
			}
		}
		me.rules.Audit(ctx, c.Thread, c.User, "memory.forget", map[string]any{"all": true, "receipt": gone.Learned()})
	} else {
		receipt, err := me.forgetter.Records(ctx, c, ids)
		if err != nil {
			return nil, err
		}
		text = privacy.MemoryReceipt(receipt, lang)
		me.rules.Audit(ctx, c.Thread, c.User, "memory.forget", map[string]any{"all": false, "receipt": receipt})
	}
	return bot.NewNotice(text, lang), nil
}

// share sets whether new records about the caller may be used in the whole workspace.
// Existing records keep their scope.
func (me *Memory) share(ctx context.Context, c bot.Invocation, on bool, lang string) (*bot.Card, error) {
	if err := me.store(ctx, c, "memory_share", bot.PersonPlace+c.Thread.Person(c.User), on); err != nil {
		return nil, err
	}
	text := phrase.Say(lang, "bot.memory.sharing_off")
	if on {
		text = phrase.Say(lang, "bot.memory.sharing_on")
	}
	return bot.NewNotice(text, lang), nil
}

// switchOn switches memory on or off for the caller, the channel or the workspace.
func (me *Memory) switchOn(ctx context.Context, c bot.Invocation, on bool, what, lang string) (*bot.Card, error) {
	level, name := config.Person, phrase.Say(lang, "bot.memory.for_you")
	switch choiceFor(what, placeNames()) {
	case "", "me":
	case "channel":
		level, name = config.Channel, phrase.Say(lang, "bot.memory.for_channel")
	case "workspace":
		level, name = config.Workspace, phrase.Say(lang, "bot.memory.for_workspace")
	default:
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.memory.switch_how")}
	}
	if !me.maySwitch(level, c) {
		me.rules.Audit(ctx, c.Thread, c.User, "memory.refused", map[string]any{"level": level.String()})
		return nil, &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(config.Admin, lang), Noted: true}
	}
	place := c.Thread.Places(c.User)[level-config.Workspace]
	if err := me.store(ctx, c, "memory", place, on); err != nil {
		return nil, err
	}
	text := phrase.Say(lang, "bot.memory.turned_off", name)
	if on {
		text = phrase.Say(lang, "bot.memory.turned_on", name)
		if me.rules.Owner(ctx, c.Thread, c.User).Off {
			text += " " + phrase.Say(lang, "bot.memory.still_off")
		}
	}
	return bot.NewNotice(text, lang), nil
}

// maySwitch reports whether the caller may switch memory at a level: admins at all levels,
// everybody for themselves and in their own direct messages.
func (me *Memory) maySwitch(level config.Level, c bot.Invocation) bool {
	return level == config.Person || me.rules.May(c.Thread, c.User, config.Admin) || level == config.Channel && c.Thread.Direct
}

// store stores a setting of memory, which takes effect at once.
func (me *Memory) store(ctx context.Context, c bot.Invocation, key, place string, on bool) error {
	raw, err := json.Marshal(on)
	if err != nil {
		return fmt.Errorf("encode setting: %w", err)
	}
	return me.rules.Set(ctx, bot.Setting{Place: place, Key: key, Value: raw, By: c.User.ID, At: me.now()})
}
