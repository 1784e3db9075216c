package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/config"
)

// MayDecide reports whether a person may decide an approval now: the requester, or an approver in
// the present settings. It fails closed: an error denies.
func (qs *Questions) MayDecide(ctx context.Context, row bot.Approval, t bot.Thread, u bot.User) (bool, error) {
	return qs.rightsOf(t, u).decides(ctx, row)
}

// rights caches what one person may decide at present, as seen from a place. For many approvals it asks the
// platform once per channel and group.
type rights struct {
	b    *Questions
	from bot.Thread
	user bot.User
	told map[belonging]answered
}

// belonging is a query to the platform: whether the person can read a channel, or is in a group of the workspace.
type belonging struct{ channel, group string }

type answered struct {
	in  bool
	err error
}

func (qs *Questions) rightsOf(t bot.Thread, u bot.User) *rights {
	return &rights{b: qs, from: t, user: u, told: map[belonging]answered{}}
}

// decides reports whether the person may decide an approval. It asks the platform last, and only about requesters
// and approvers.
func (r *rights) decides(ctx context.Context, row bot.Approval) (bool, error) {
	asked, err := bot.ParseThread(row.Thread)
	if err != nil || r.user.ID == "" || r.user.Bot || len(row.Allowed) == 0 {
		return false, err
	}
	if row.Kind == KindRequest {
		return r.isNamed(ctx, asked, row)
	}
	here := asked.SharesTeam(r.from)
	may := here && r.user.ID == row.Allowed[0]
	if !may && row.Kind == agent.KindAccount {
		return false, nil
	}
	if !may {
		may, err = r.approves(ctx, asked, row.Allowed[0])
	}
	if err != nil || !may || !here {
		return may, err
	}
	return r.belongs(ctx, asked, "")
}

// approves reports whether the person is an approver of a channel, for another person's request there.
func (r *rights) approves(ctx context.Context, asked bot.Thread, asker string) (bool, error) {
	set, err := r.b.rules.SettingsNow(ctx, asked, bot.User{ID: asker})
	if err != nil {
		return false, err
	}
	for _, who := range set.Decisions.Approvers {
		ok, err := r.is(ctx, asked, who)
		if err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// is reports whether a person matches an entry of the approvers list of the place where the
// question was asked.
func (r *rights) is(ctx context.Context, asked bot.Thread, who string) (bool, error) {
	here, u := asked.SharesTeam(r.from), r.user
	switch {
	case who == config.ApproverAdmins:
		return u.Operator || here && r.b.rules.May(r.from, u, config.Admin), nil
	case strings.Contains(who, "/"):
		return r.from.Person(u) == who, nil
	case !here || u.External:
		return false, nil
	case u.ID == who || slices.Contains(u.Roles, who):
		return true, nil
	}
	if _, ok := r.b.adapters[asked.Platform].(bot.Members); !ok {
		return false, nil
	}
	return r.belongs(ctx, asked, who)
}

// belongs returns a group's membership from the platform, cached.
func (r *rights) belongs(ctx context.Context, t bot.Thread, group string) (bool, error) {
	ask := belonging{group: group}
	if group == "" {
		ask.channel = t.Channel
	}
	said, ok := r.told[ask]
	if !ok {
		said.in, said.err = r.b.member(ctx, t, r.user, group)
		r.told[ask] = said
	}
	return said.in, said.err
}

// member asks the platform. Platforms that cannot tell showed the buttons only to people who may
// see them.
func (qs *Questions) member(ctx context.Context, t bot.Thread, u bot.User, group string) (bool, error) {
	m, ok := qs.adapters[t.Platform].(bot.Members)
	if !ok {
		return group == "", nil
	}
	in, err := m.Member(ctx, t, u.ID, group)
	if err != nil {
		return false, fmt.Errorf("look up members of %s: %w", t.Platform, err)
	}
	return in, nil
}

// mayAllow reports whether a person may allow a tool for a time: an admin of the place where the question was asked.
func (qs *Questions) mayAllow(row bot.Approval, from bot.Thread, u bot.User) bool {
	asked, err := bot.ParseThread(row.Thread)
	if err != nil || u.Bot {
		return false
	}
	if asked.SharesTeam(from) && asked.Channel == from.Channel {
		asked.Direct = from.Direct
	}
	return u.Operator || asked.SharesTeam(from) && qs.rules.May(asked, u, config.ChannelAdmin)
}

// quorum returns the number of people who must agree.
func quorum(q question, set config.Decisions) int {
	n := max(q.Approvers, 1)
	if set.TwoPeople && q.kind != kindClarification && q.kind != agent.KindAccount && q.Effect != agent.EffectReads {
		n = max(n, 2)
	}
	return n
}

// harmless reports whether a decision has no effect.
func harmless(verb string) bool {
	return slices.Contains([]string{agent.VerbReject, agent.VerbSkip, agent.VerbStop, agent.VerbUndo, agent.VerbTask}, verb)
}

// alone reports whether a decision counts without a second person. A change does: it voids earlier votes, and its
// result is asked again, see [agent.Reply].
func alone(verb string) bool {
	return harmless(verb) || verb == agent.VerbEdit || verb == agent.VerbClarify
}
