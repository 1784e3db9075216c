package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/config"
)

// Members is implemented by adapters that know who belongs to what, as the
// platform says at this moment.
type Members interface {
	// Member reports whether a person is in a group or role of the thread's
	// workspace, or, with group "", still reads the thread's channel.
	Member(ctx context.Context, t Thread, user, group string) (bool, error)
}

// approverAdmins in a list of approvers stands for the admins of the workspace
// and for whoever runs this program.
const approverAdmins = "@admins"

// mayDecide says who may decide an approval, at the moment they try: whoever
// asked, and the place's approvers as they are set now. It fails closed: what
// cannot be found out is an error, and nothing happens.
func (b *Bot) mayDecide(ctx context.Context, row Approval, t Thread, u User) (bool, error) {
	asked, err := ParseThread(row.Thread)
	if err != nil || u.ID == "" || u.Bot || len(row.Allowed) == 0 {
		return false, err
	}
	if sameWorkspace(asked, t) {
		if still, err := b.member(ctx, asked, u, ""); err != nil || !still {
			return false, err
		}
		if u.ID == row.Allowed[0] {
			return true, nil
		}
	}
	set, err := b.settingsNow(ctx, asked, User{ID: row.Allowed[0]})
	if err != nil {
		return false, err
	}
	for _, who := range set.Decisions.Approvers {
		ok, err := b.is(ctx, asked, t, u, who)
		if err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// is reports whether a person is one of those that an entry of a list of
// approvers stands for: of the place where the question was asked, spoken to from t.
func (b *Bot) is(ctx context.Context, asked, t Thread, u User, who string) (bool, error) {
	here := sameWorkspace(asked, t)
	switch {
	case who == approverAdmins:
		return u.Operator || here && b.may(t, u, config.Admin), nil
	case strings.Contains(who, "/"):
		return userKey(t, u) == who, nil
	case !here || u.External:
		return false, nil
	case u.ID == who || slices.Contains(u.Roles, who):
		return true, nil
	}
	if _, ok := b.adapters[asked.Platform].(Members); !ok {
		return false, nil
	}
	return b.member(ctx, asked, u, who)
}

// sameWorkspace reports whether two places are in one workspace of one platform.
func sameWorkspace(a, b Thread) bool { return a.Platform == b.Platform && a.Team == b.Team }

// member asks the platform. One that cannot tell has shown the buttons only to
// those who may see them.
func (b *Bot) member(ctx context.Context, t Thread, u User, group string) (bool, error) {
	m, ok := b.adapters[t.Platform].(Members)
	if !ok {
		return group == "", nil
	}
	in, err := m.Member(ctx, t, u.ID, group)
	if err != nil {
		return false, fmt.Errorf("ask who belongs to %s: %w", t.Platform, err)
	}
	return in, nil
}

// quorum is how many people must agree to what is asked.
func quorum(q question, set config.Decisions) int {
	n := max(q.Approvers, 1)
	if set.TwoPeople && q.kind != kindClarification && q.Effect != agent.EffectReads {
		n = max(n, 2)
	}
	return n
}

// alone reports whether a decision counts without anybody else, because it lets
// nothing happen.
func alone(verb string) bool { return verb == agent.VerbReject || verb == agent.VerbSkip }
