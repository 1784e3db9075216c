package audience

import (
	"context"
	"errors"
	"slices"
	"strings"

	"maru/bot"
)

// present is implemented by adapters that can check whether a person is in a workspace at present.
type present interface {
	PersonNow(ctx context.Context, t bot.Thread, id string) (bot.User, bool, error)
}

// homeless reports whether direct conversations belong to no workspace, as on Discord.
func (a *Audience) homeless(t bot.Thread) bool {
	p, ok := a.cfg.Adapters[t.Platform]
	return ok && t.Direct && p.Facts().GlobalAccounts
}

// atHome returns what a person may read in a direct conversation outside of workspaces: the content of their
// workspaces, by the addresses that admins assigned there.
func (a *Audience) atHome(ctx context.Context, t bot.Thread, u bot.User, all []restricted) (out []string, faults error) {
	people, ok := a.cfg.Adapters[t.Platform].(present)
	if !ok || u.ID == "" || u.Bot {
		return nil, nil
	}
	byTeam := map[string][]restricted{}
	for _, r := range all {
		team, ok := strings.CutPrefix(r.Outer, "team:"+bot.Esc(t.Platform)+"/")
		if !ok {
			continue
		}
		counts, err := a.held(ctx, r)
		if faults = errors.Join(faults, err); counts {
			byTeam[team] = append(byTeam[team], r)
		}
	}
	for team, some := range byTeam {
		home := bot.Thread{Platform: t.Platform, Team: bot.Unesc(team)}
		mail, err := a.people.Mail(ctx, home, u.ID)
		if faults = errors.Join(faults, err); err != nil || !strings.Contains(mail, "@") {
			continue
		}
		_, in, err := people.PersonNow(ctx, home, u.ID)
		if errors.Is(err, bot.ErrUnavailable) {
			faults = errors.Join(faults, err)
		}
		if err == nil && in {
			more, err := a.readable(ctx, some, []string{strings.ToLower(mail)})
			out, faults = append(out, more...), errors.Join(faults, err)
		}
	}
	slices.Sort(out)
	return out, faults
}
