package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"maru/adapters/web/site"
	"maru/cmd/maru/console/tryout"
	"maru/cmd/maru/rehearse"
	"maru/config"
)

// tryouts gives the console's desk rehearsals.
func (a *app) tryouts() *tryout.Desk {
	return tryout.Over(a.desk(), tryout.Config{
		Record: a.record, Open: a.openTryout, Priced: func() bool { return len(a.live.Now().Model.Prices) > 0 },
		Alone: a.cfg.Store.DatabaseURL.Reveal() == "", Me: uuid.NewString(), Log: a.log,
	})
}

// openTryout builds what a change is rehearsed on, from the settings of now.
func (a *app) openTryout(ctx context.Context, s tryout.Setup) (p tryout.Played, err error) {
	b := a.base
	b.cfg, b.opened = a.live.Now(), &closers{}
	p.Close = b.opened.Close
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	on := stage{b, a.record, a.library, a.tools}
	c := rehearse.Change{Config: b.cfg, Workflows: s.Workflows}
	if len(s.Gone) > 0 {
		c.Gone = func(scope, id string) bool { return slices.Contains(s.Gone, site.Chosen{Scope: scope, ID: id}) }
	}
	after, model, err := on.build(ctx, c)
	if err != nil {
		return p, err
	}
	if after.Placed = s.Placed; s.Agent != "" {
		name, err := json.Marshal(s.Agent)
		if err != nil {
			return p, err
		}
		after.Override = []config.Entry{{Level: config.Channel, Key: "agent", Value: name}}
	}
	p.After = after
	if s.Baseline {
		if p.Base, _, err = on.build(ctx, rehearse.Change{Config: b.cfg}); err != nil {
			return p, err
		}
	}
	if _, own := b.cfg.ModelOf("", config.RoleGrade); own {
		p.Grade = rehearse.Grader(model, b.cfg.Model.Cost)
	}
	return p, nil
}
