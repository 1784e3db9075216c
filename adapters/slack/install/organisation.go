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
// away, and not to who does not listen. So an organisation's installation is asked
// at each start where it is; see adapters/slack/README.md.

const (
	teamsPage  = "1000"
	teamsPages = 100
)

// Organisation is an installation for all workspaces of an organisation, or what may be
// one: it keeps the record's list of those workspaces what Slack says it is.
type Organisation struct {
	web           *web.Client
	installations bot.Installations // nil: nobody lists workspaces
}

// NewOrganisation is that of the client's token.
func NewOrganisation(w *web.Client, installations bot.Installations) *Organisation {
	return &Organisation{web: w, installations: installations}
}

// Census makes what the record says of an organisation's workspaces what Slack says
// of them, and tries until that is done or Slack refuses to say.
func (o *Organisation) Census(ctx context.Context, in bot.Intake) {
	id := o.web.Whoami()
	tenants, ok := in.(bot.Tenants)
	if !ok || id == nil || !id.Org || o.installations == nil {
		return
	}
	for pause := time.Second; ctx.Err() == nil; pause = min(2*pause, time.Minute) {
		err := o.count(ctx, tenants, cmp.Or(id.Enterprise, id.Team))
		var refused *bot.DeliveryError
		switch {
		case err == nil || ctx.Err() != nil:
			return
		case errors.As(err, &refused) && !errors.Is(err, bot.ErrUnavailable):
			if refused.Code != "missing_scope" { // which has its own line
				o.web.Log.InfoContext(ctx, "slack does not say which workspaces of the organisation have the app: what changed while this program was down is noticed at their next event",
					"method", refused.Op, "code", refused.Code)
			}
			return
		}
		o.web.Log.WarnContext(ctx, "slack workspaces of the organisation cannot be compared, trying again", "err", err.Error(), "wait", pause.String())
		if o.web.Wait(ctx, max(pause, web.RetryAfter(err))) != nil {
			return
		}
	}
}

// count compares once.
func (o *Organisation) count(ctx context.Context, tenants bot.Tenants, enterprise string) error {
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
			if err := o.missed(ctx, tenants, row); err != nil {
				return err
			}
		case !has:
		case len(row.Secret) > 0, row.Covered() && row.Enterprise == enterprise:
			delete(granted, row.Team) // it has its own, or is known
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
			continue // since Slack was asked, perhaps since the rows were read
		}
		if _, err := tenants.Join(ctx, bot.Installation{Platform: payload.Platform, Team: team, Enterprise: enterprise, Name: name}); err != nil {
			return err
		}
		o.web.Log.InfoContext(ctx, "slack organisation gave a workspace to the app", "team", team, "name", name, "enterprise", enterprise)
	}
	return nil
}

// granted asks which workspaces the organisation gives to the app: names by id.
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
	return nil, errors.New("slack: the organisation has more workspaces than are read")
}

// missed ends what belongs to a workspace that Slack does not list any more, if
// Slack also refuses to speak of it: runs and data do not hang on a list alone.
func (o *Organisation) missed(ctx context.Context, tenants bot.Tenants, row bot.Installation) error {
	err := o.web.Ask(ctx, web.MethodUsers, row.Team, url.Values{"team_id": {row.Team}, "limit": {"1"}}, &struct{}{})
	switch code := web.Code(err); {
	case code == "team_access_not_granted" || code == "team_not_found":
	case err == nil || code != "" && !errors.Is(web.Delivery(web.MethodUsers, err), bot.ErrUnavailable):
		o.web.Log.InfoContext(ctx, "slack does not list a workspace of the organisation, and does not say that the app has no access to it", "team", row.Team, "code", code)
		return nil
	default:
		return web.Delivery(web.MethodUsers, err)
	}
	d := bot.Departure{Platform: payload.Platform, Team: row.Team, Why: payload.AccessRevoked, Enterprise: row.Enterprise}
	if err := tenants.Leave(ctx, d); err != nil {
		return err
	}
	o.web.Log.WarnContext(ctx, "slack organisation took the app away from a workspace while this program was not listening", "team", row.Team, "enterprise", row.Enterprise)
	return nil
}

// AccessChanged carries out that the organisation gave some of its workspaces to the
// app, or took it away from them, for a token without a row in the record.
func (o *Organisation) AccessChanged(ctx context.Context, in bot.Intake, body payload.Object) error {
	id := o.web.Whoami()
	tenants, ok := in.(bot.Tenants)
	if !ok || id == nil || !id.Org {
		return nil
	}
	ev := payload.AccessEvent(body)
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
