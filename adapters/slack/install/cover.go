package install

import (
	"cmp"
	"context"
	"errors"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// An organisation's installation serves its workspaces. Each has a row of its own
// from the first that is heard of it, so that it can be listed, posted to without
// an event before, and cleaned up after by itself: the organisation may take the
// app away from one workspace and keep it in the others.

// accessChanged carries out that an organisation took the app away from some of
// its workspaces, or gave it back to them. The others go on.
func (q *Router) accessChanged(ctx context.Context, in bot.Intake, body payload.Object) error {
	ev, enterprise := payload.AccessEvent(body), cmp.Or(body.Str("enterprise_id"), body.Obj("event").Str("enterprise_id"))
	for _, au := range body.List("authorizations") {
		enterprise = cmp.Or(enterprise, au.Str("enterprise_id"))
	}
	org, err := q.reg.serving(ctx, "", enterprise)
	tenants, ok := in.(bot.Tenants)
	if err != nil || org == nil || !ok {
		return err
	}
	for _, team := range ev.Strs("team_ids") {
		if ev.Str("type") == payload.AccessGranted {
			err = q.reg.cover(ctx, tenants, team, enterprise, payload.Happened(body))
		} else {
			err = q.reg.uncover(ctx, tenants, team, enterprise, payload.Happened(body))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// accessSkew is how far Slack's clock and the record's may be apart.
const accessSkew = time.Minute

// uncover ends what belongs to a workspace that the organisation took the app
// away from. An event that is older than the app's return counts no more.
func (r *Registry) uncover(ctx context.Context, tenants bot.Tenants, team, enterprise string, at time.Time) error {
	row, err := r.cfg.Installations.Installation(ctx, payload.Platform, team)
	if ignoreMissing(err) != nil {
		return err
	}
	if err == nil && row.Covered() && !at.IsZero() && at.Unix() < row.Installed.Unix() {
		r.cfg.Log.InfoContext(ctx, "slack tells of the end of an access before this one", "team", team, "enterprise", enterprise)
		return nil
	}
	d := bot.Departure{Platform: payload.Platform, Team: team, Why: payload.AccessRevoked, Enterprise: enterprise}
	if err := tenants.Leave(ctx, d); err != nil {
		return err
	}
	r.mu.Lock()
	delete(r.covered, team)
	r.mu.Unlock()
	r.cfg.Log.WarnContext(ctx, "slack organisation took the app away from a workspace", "team", team, "enterprise", enterprise)
	return nil
}

// covers reports whether an organisation's installation serves a workspace of it,
// which something came from, and stores that it does; at is when it happened, zero
// if Slack does not say. Slack sends nothing from a workspace that the app was taken
// away from: what is younger than that tells that it was given back.
func (r *Registry) covers(ctx context.Context, in bot.Intake, a Site, team string, at time.Time) (bool, error) {
	id := a.Client().Whoami()
	enterprise := cmp.Or(id.Enterprise, id.Team)
	if team == id.Team || team == enterprise || r.coveredBy(team) == enterprise {
		return true, nil
	}
	row, err := r.cfg.Installations.Installation(ctx, payload.Platform, team)
	if ignoreMissing(err) != nil {
		return false, err
	}
	if takenAway(row) && !at.After(row.Updated.Add(accessSkew)) {
		return false, nil
	}
	if len(row.Secret) > 0 { // it has an installation of its own besides
		return true, nil
	}
	tenants, ok := in.(bot.Tenants)
	if !ok {
		return true, nil
	}
	return true, r.cover(ctx, tenants, team, enterprise, at)
}

// takenAway reports whether an organisation took the app away from a workspace.
func takenAway(row bot.Installation) bool {
	return (row.State == bot.InstallLeaving || row.State == bot.InstallRemoved) && row.Why == payload.AccessRevoked
}

// cover stores that an organisation's installation serves a workspace, unless
// that has an installation of its own.
func (r *Registry) cover(ctx context.Context, tenants bot.Tenants, team, enterprise string, at time.Time) error {
	row, err := r.cfg.Installations.Installation(ctx, payload.Platform, team)
	if err != nil && !errors.Is(err, bot.ErrNotFound) || len(row.Secret) > 0 {
		return ignoreMissing(err)
	}
	row, err = tenants.Join(ctx, bot.Installation{Platform: payload.Platform, Team: team, Enterprise: enterprise, Name: row.Name, Installed: at})
	if err != nil {
		return err
	}
	r.unknown.Remove(team)
	r.mu.Lock()
	r.covered[team] = row.Enterprise
	r.mu.Unlock()
	return nil
}

// coveredBy returns the organisation whose installation serves a workspace, as far
// as this process knows; "" if it does not.
func (r *Registry) coveredBy(team string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.covered[team]
}
