package install

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// Slack tells once that an organisation gives a workspace to the app or takes one
// away, and not to a client that does not listen. So an organisation's installation is asked
// at each start where it is; see adapters/slack/README.md.

const (
	teamsPage  = "1000"
	teamsPages = 100
)

// Organisation is an organisation-wide installation, or a token that may be one. It keeps the
// record's list of workspaces equal to Slack's.
type Organisation struct {
	web           *web.Client
	installations bot.Installations // nil: the list is not kept
}

// NewOrganisation returns the organisation of the client's token.
func NewOrganisation(w *web.Client, installations bot.Installations) *Organisation {
	return &Organisation{web: w, installations: installations}
}

// Census synchronises the record's list of an organisation's workspaces with Slack's,
// retrying until it succeeds or Slack refuses.
func (o *Organisation) Census(ctx context.Context, in bot.Intake) {
	id := o.web.Whoami()
	tenants, ok := in.(bot.Tenants)
	if !ok || id == nil || !id.Org || o.installations == nil {
		return
	}
	for pause := time.Second; ctx.Err() == nil; pause = min(2*pause, time.Minute) {
		err := o.compare(ctx, tenants, cmp.Or(id.Enterprise, id.Team))
		var refused *bot.DeliveryError
		switch {
		case err == nil || ctx.Err() != nil:
			return
		case errors.As(err, &refused) && !errors.Is(err, bot.ErrUnavailable):
			if refused.Code != "missing_scope" { // which is logged separately
				o.web.Log.InfoContext(ctx, "slack does not list the organisation's workspaces: changes made while this program was down take effect at their next event",
					"method", refused.Op, "code", refused.Code)
			}
			return
		}
		o.web.Log.WarnContext(ctx, "slack workspaces of the organisation could not be synchronised, retrying", "err", err.Error(), "wait", pause.String())
		if o.web.Wait(ctx, max(pause, web.RetryAfter(err))) != nil {
			return
		}
	}
}

// compare compares the lists once.
func (o *Organisation) compare(ctx context.Context, tenants bot.Tenants, enterprise string) error {
	asked := o.web.Now()
	granted, err := o.granted(ctx)
	if err != nil {
		return err
	}
	rows, err := o.installations.Installations(ctx, payload.Platform)
	if err != nil {
		return err
	}
	delete(granted, enterprise)
	for _, row := range rows {
		name, has := granted[row.Team]
		switch {
		case !has && row.Covered() && row.Enterprise == enterprise:
			if err := o.confirmRemoved(ctx, tenants, row); err != nil {
				return err
			}
		case !has:
		case len(row.Secret) > 0, row.Covered() && row.Enterprise == enterprise:
			delete(granted, row.Team) // it has its own installation, or is known
		default:
			granted[row.Team] = cmp.Or(name, row.Name)
		}
	}
	for team, name := range granted {
		row, err := o.installations.Installation(ctx, payload.Platform, team)
		if err != nil && !errors.Is(err, bot.ErrNotFound) {
			return err
		}
		if takenAway(row) && !asked.After(row.Updated.Add(accessSkew)) {
			continue // granted since Slack answered, perhaps since the rows were read
		}
		if _, err := tenants.Join(ctx, bot.Installation{Platform: payload.Platform, Team: team, Enterprise: enterprise, Name: name}); err != nil {
			return err
		}
		o.web.Log.InfoContext(ctx, "slack organisation added the app to a workspace", "team", team, "name", name, "enterprise", enterprise)
	}
	return nil
}

// granted lists the workspaces in which the organisation has the app: names by ID.
func (o *Organisation) granted(ctx context.Context) (map[string]string, error) {
	out, args := map[string]string{}, url.Values{"limit": {teamsPage}}
	for range teamsPages {
		var page struct {
			Teams []struct {
				ID   string `json:"id"`
				Name string `json:"name"`
			} `json:"teams"`
			Meta struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := o.web.Ask(ctx, web.MethodTeams, "", args, &page); err != nil {
			return nil, web.Delivery(web.MethodTeams, err)
		}
		for _, t := range page.Teams {
			if t.ID != "" {
				out[t.ID] = t.Name
			}
		}
		if page.Meta.Next == "" {
			return out, nil
		}
		args.Set("cursor", page.Meta.Next)
	}
	return nil, errors.New("slack: the organisation exceeds the limit of listed workspaces")
}

// confirmRemoved ends the runs and data of a workspace that Slack no longer lists, if Slack also
// denies access to it: a list alone is not enough evidence.
func (o *Organisation) confirmRemoved(ctx context.Context, tenants bot.Tenants, row bot.Installation) error {
	err := o.web.Ask(ctx, web.MethodUsers, row.Team, url.Values{"team_id": {row.Team}, "limit": {"1"}}, &struct{}{})
	switch code := web.Code(err); {
	case code == "team_access_not_granted" || code == "team_not_found":
	case err == nil || code != "" && !errors.Is(web.Delivery(web.MethodUsers, err), bot.ErrUnavailable):
		o.web.Log.InfoContext(ctx, "slack does not list a workspace of the organisation, but has not confirmed that the app has no access to it", "team", row.Team, "code", code)
		return nil
	default:
		return web.Delivery(web.MethodUsers, err)
	}
	d := bot.Departure{Platform: payload.Platform, Team: row.Team, Why: payload.AccessRevoked, Enterprise: row.Enterprise}
	if err := tenants.Leave(ctx, d); err != nil {
		return err
	}
	o.web.Log.WarnContext(ctx, "slack organisation removed the app from a workspace while this program was down", "team", row.Team, "enterprise", row.Enterprise)
	return nil
}

// AccessChanged handles an organisation's change of the app's workspaces, for a token without
// a row in the record.
func (o *Organisation) AccessChanged(ctx context.Context, in bot.Intake, body payload.Object) error {
	id := o.web.Whoami()
	tenants, ok := in.(bot.Tenants)
	if !ok || id == nil || !id.Org {
		return nil
	}
	ev := payload.AccessEvent(body.Obj("event"))
	for _, team := range ev.Strs("team_ids") {
		err := error(nil)
		if ev.Str("type") == payload.AccessGranted {
			_, err = tenants.Join(ctx, bot.Installation{Platform: payload.Platform, Team: team, Enterprise: id.Enterprise, Installed: payload.Happened(body)})
		} else {
			err = tenants.Leave(ctx, bot.Departure{Platform: payload.Platform, Team: team, Why: payload.AccessRevoked, Enterprise: id.Enterprise})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
