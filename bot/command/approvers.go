package command

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"maru/bot"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// approverActions are what "/maru approvers" can do; the first is the default.
func approverActions() []string { return []string{"show", "set", "add", "remove", "clear"} }

// keyApprovers is the setting that the command shows and changes.
const keyApprovers = "approvers"

// approvers shows who may decide here besides who asked, and changes it.
func (st *Settings) approvers(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	action, who, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	if v := c.Options["action"]; v != "" {
		action, who = v, c.Options["who"]
	}
	set, err := st.rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	names := approversNamed(who)
	s := settingsCall{action: "set", key: keyApprovers}
	switch action = heardAs(action, approverActions()); {
	case action == "" || action == "show":
		return st.showApprovers(ctx, c.Thread, set, lang), nil
	case action == "clear":
		s.action = "clear"
		return st.changeSetting(ctx, c, s, lang)
	case !slices.Contains(approverActions(), action):
		return nil, badAction("approvers", action, approverActions(), lang)
	case len(names) == 0:
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: approversUsage(lang)}
	case action == "set":
	case action == "add":
		names = append(slices.Clone(set.Decisions.Approvers), names...)
	case action == "remove":
		gone := names
		names = slices.DeleteFunc(slices.Clone(set.Decisions.Approvers), func(n string) bool { return slices.Contains(gone, n) })
	}
	s.value = strings.Join(fit.Distinct(names), ", ")
	return st.changeSetting(ctx, c, s, lang)
}

func approversUsage(lang string) string {
	return phrase.Say(lang, "bot.write_maru_approvers_set_add")
}

// showApprovers says who decides here, how many must, and where that comes from.
func (st *Settings) showApprovers(ctx context.Context, t bot.Thread, set config.Resolved, lang string) *bot.Card {
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.who_decides_here"), Language: lang, Final: true, Footer: approversUsage(lang)}
	field := func(key, label, value string) {
		card.Fields = append(card.Fields, bot.Field{Label: phrase.Say(lang, label), Value: value + " (" + levelName(set.From[key], lang) + ")"})
	}
	who := phrase.Say(lang, "bot.whoever_asked")
	if list := set.Decisions.Approvers; len(list) > 0 {
		who += ", " + st.approverNames(ctx, t, list, lang)
	}
	field(keyApprovers, "bot.may_decide", who)
	field("two_people", "bot.two_people", shownValue(set.Decisions.TwoPeople, lang))
	field("approval_expires", "bot.a_question_waits", shownValue(set.Decisions.Expires, lang))
	return &card
}

// approverNames are approvers for people; "@admins" is nobody's id.
func (st *Settings) approverNames(ctx context.Context, t bot.Thread, list []string, lang string) string {
	known := namesOf(st.platforms, t)
	known.find(ctx, list)
	out := make([]string, len(list))
	for i, id := range list {
		if out[i] = known.of(id); id == config.ApproverAdmins {
			out[i] = phrase.Say(lang, "bot.all_admins") + " (`@admins`)"
		}
	}
	return strings.Join(out, ", ")
}

// mentionForm is how platforms write people, roles and groups in a text:
// <@U1>, <@U1|name>, <@!1>, <@&1>, <!subteam^S1|@name>.
var mentionForm = regexp.MustCompile(`^<(?:@[!&]?|!subteam\^)([A-Za-z0-9]+)(?:\|[^>]*)?>$`)

// approversNamed reads a list of ids, as words or mentions.
func approversNamed(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' }) {
		if m := mentionForm.FindStringSubmatch(w); m != nil {
			w = m[1]
		}
		out = append(out, strings.Trim(w, "`"))
	}
	return fit.Distinct(out)
}

// isNobody reports whether an approver is a name as people read it, "@min": it
// matches nobody, so that whoever set it would wait for a decision in vain.
func isNobody(name string) bool { return strings.HasPrefix(name, "@") && name != config.ApproverAdmins }

// isNobodyAt reports whether an approver is no id of the place's platform, such as
// "bob". Somebody of another place is named with it, as slack/T1/U2.
func (st *Settings) isNobodyAt(t bot.Thread, name string) bool {
	p, ok := st.platforms[t.Platform].(bot.Picker)
	return ok && name != config.ApproverAdmins && !strings.Contains(name, "/") && !p.IsID(name)
}
