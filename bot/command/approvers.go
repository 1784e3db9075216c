package command

import (
	"context"
	"slices"
	"strings"

	"maru/bot"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// approverActions returns the actions of "/maru approvers"; the first is the default.
func approverActions() []string { return []string{"show", "set", "add", "remove", "clear"} }

// keyApprovers is the setting behind "/maru approvers".
const keyApprovers = "approvers"

// approvers shows or changes the people who may decide questions besides the requester.
func (st *Settings) approvers(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	action, who, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	if v := c.Options["action"]; v != "" {
		action, who = v, c.Options["who"]
	}
	set, err := st.rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	names := parseApprovers(who)
	s := settingsRequest{action: "set", key: keyApprovers}
	switch action = choiceFor(action, approverActions()); {
	case action == "" || action == "show":
		return st.showApprovers(ctx, c.Thread, set, lang), nil
	case action == "clear":
		s.action = "clear"
		return st.change(ctx, c, s, lang)
	case !slices.Contains(approverActions(), action):
		return nil, unknownChoice("approvers", action, approverActions(), lang)
	case len(names) == 0:
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: approversUsage(lang)}
	case action == "add":
		return st.amendApprovers(ctx, c, func(was []string) []string { return append(was, names...) }, lang)
	case action == "remove":
		return st.amendApprovers(ctx, c, func(was []string) []string {
			return slices.DeleteFunc(was, func(n string) bool { return slices.Contains(names, n) })
		}, lang)
	}
	s.value = approversValue(names)
	return st.change(ctx, c, s, lang)
}

func approversValue(names []string) string { return strings.Join(fit.Distinct(names), ", ") }

// amendApprovers stores what amend makes of the approvers that hold now.
func (st *Settings) amendApprovers(ctx context.Context, c bot.Invocation, amend func([]string) []string, lang string) (*bot.Card, error) {
	s := settingsRequest{action: "clear", key: keyApprovers}
	row, err := st.row(ctx, c.Thread, c.User, &s, lang) // says where the list stands
	if err != nil {
		return nil, err
	}
	s.action = "set"
	err = st.rules.Amend(ctx, c.Thread, c.User, row.Place, row.Key, func(set config.Resolved) (bot.Setting, error) {
		s.value = approversValue(amend(slices.Clone(set.Decisions.Approvers)))
		return st.row(ctx, c.Thread, c.User, &s, lang)
	})
	if err != nil {
		return nil, err
	}
	return st.changed(ctx, c, s, lang)
}

func approversUsage(lang string) string {
	return phrase.Say(lang, "bot.approvers.how")
}

// showApprovers shows the approvers, the quorum, the expiry and the level of each setting.
func (st *Settings) showApprovers(ctx context.Context, t bot.Thread, set config.Resolved, lang string) *bot.Card {
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.approvers.title"), Language: lang, Final: true, Footer: approversUsage(lang)}
	field := func(key, label, value string) {
		card.Fields = append(card.Fields, bot.Field{Label: phrase.Say(lang, label), Value: value + " (" + levelName(set.From[key], lang) + ")"})
	}
	who := phrase.Say(lang, "bot.people.asker")
	if list := set.Decisions.Approvers; len(list) > 0 {
		who += ", " + st.approverNames(ctx, t, list, lang)
	}
	field(keyApprovers, "bot.approvers.list", who)
	field("two_people", "bot.approvers.two_people", valueText(set.Decisions.TwoPeople, lang))
	field("approval_expires", "bot.approvers.expiry", valueText(set.Decisions.Expires, lang))
	return &card
}

// approverNames renders approvers with their display names; "@admins" is no ID.
func (st *Settings) approverNames(ctx context.Context, t bot.Thread, list []string, lang string) string {
	known := namesOf(st.platforms, t)
	known.find(ctx, list)
	out := make([]string, len(list))
	for i, id := range list {
		if out[i] = known.of(id); id == config.ApproverAdmins {
			out[i] = phrase.Say(lang, "bot.people.all_admins") + " (`@admins`)"
		}
	}
	return strings.Join(out, ", ")
}

// mentionForm matches the mentions of people, roles and groups on the platforms:
// <@U1>, <@U1|name>, <@!1>, <@&1>, <!subteam^S1|@name>.
var mentionForm = pattern.New(`^<(?:@[!&]?|!subteam\^)([A-Za-z0-9]+)(?:\|[^>]*)?>$`)

// parseApprovers parses a list of IDs, written as words or mentions.
func parseApprovers(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' }) {
		if m := mentionForm.FindStringSubmatch(w); m != nil {
			w = m[1]
		}
		out = append(out, strings.Trim(w, "`"))
	}
	return fit.Distinct(out)
}

// isDisplayName reports whether an approver is a display name such as "@min", which
// would match nobody.
func isDisplayName(name string) bool {
	return strings.HasPrefix(name, "@") && name != config.ApproverAdmins
}

// unknownID reports whether an approver is not an ID of the channel's platform. People of another workspace are
// written in full, as slack/T1/U2.
func (st *Settings) unknownID(t bot.Thread, name string) bool {
	p, ok := st.platforms[t.Platform].(bot.Picker)
	return ok && name != config.ApproverAdmins && !strings.Contains(name, "/") && !p.IsID(name)
}
