package install

import (
	"cmp"
	"context"
	"errors"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// An organisation's installation serves several workspaces. Each gets its own row at its
// first event, so that it can be listed, posted to without a prior event, and cleaned up
// separately: the organisation may remove the app from one workspace and keep it in the
// others.

// accessChanged handles an organisation's removal of the app from some of its workspaces, or
// its return. Other workspaces are not affected.
func (q *Router) accessChanged(ctx context.Context, in bot.Intake, body payload.Object) error {
	ev, enterprise := payload.AccessEvent(body.Obj("event")), cmp.Or(body.Str("enterprise_id"), body.Obj("event").Str("enterprise_id"))
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

// accessSkew bounds the clock skew between Slack and the record.
const accessSkew = time.Minute

// uncover ends the runs and data of a workspace from which the organisation removed the app.
// It ignores an event older than the app's return.
func (r *Registry) uncover(ctx context.Context, tenants bot.Tenants, team, enterprise string, at time.Time) error {
	row, err := r.cfg.Installations.Installation(ctx, payload.Platform, team)
	if ignoreMissing(err) != nil {
		return err
	}
	if err == nil && row.Covered() && !at.IsZero() && at.Unix() < row.Installed.Unix() {
		r.cfg.Log.InfoContext(ctx, "slack ignores an outdated removal of the app from a workspace", "team", team, "enterprise", enterprise)
		return nil
	}
	d := bot.Departure{Platform: payload.Platform, Team: team, Why: payload.AccessRevoked, Enterprise: enterprise}
	if err := tenants.Leave(ctx, d); err != nil {
		return err
	}
	r.mu.Lock()
	delete(r.covered, team)
	r.mu.Unlock()
	r.cfg.Log.WarnContext(ctx, "slack organisation removed the app from a workspace", "team", team, "enterprise", enterprise)
	return nil
}

// covers reports whether an organisation's installation serves one of its workspaces, which
// has sent a delivery, and stores it. at is the time of the event, zero if Slack sends none.
// Slack delivers nothing from a workspace without the app, so an event after the removal
// proves that the app was returned.
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
	if len(row.Secret) > 0 { // it also has its own installation
		return true, nil
	}
	tenants, ok := in.(bot.Tenants)
	if !ok {
		return true, nil
	}
	return true, r.cover(ctx, tenants, team, enterprise, at)
}

// takenAway reports whether an organisation removed the app from a workspace.
func takenAway(row bot.Installation) bool {
	return (row.State == bot.InstallLeaving || row.State == bot.InstallRemoved) && row.Why == payload.AccessRevoked
}

// cover stores that an organisation's installation serves a workspace, unless the workspace
// has its own installation.
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

// coveredBy returns the organisation whose installation serves a workspace, as far as this
// process knows; "" for none.
func (r *Registry) coveredBy(team string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.covered[team]
}
