package tryout

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"maru/adapters/web/site"
	"maru/agent/llm"
	"maru/bot"
	"maru/bot/rehearsal"
	"maru/cmd/maru/rehearse"
	"maru/config"
)

// Build builds the agents of a configuration for replays.
type Build func(ctx context.Context, c rehearse.Change) (*rehearsal.Stage, llm.Model, error)

// played is the program on which a rehearsal is played. Close frees it.
type played struct {
	after, base *rehearsal.Stage // base is nil without a baseline
	grade       rehearsal.Grader // nil: nobody grades
	close       func() error
}

// setup is a change in the form in which it is tried.
type setup struct {
	placed    []bot.Setting     // settings that replace others
	agent     string            // answers every question, "" for the one of its place
	workflows map[string][]byte // definitions by ID
	gone      []site.Chosen     // documents that are not there
	shadow    string            // scope of documents that are added, "" for none
	as        string            // to this one
	baseline  bool
}

// open builds, from the current settings, the program on which a change is rehearsed.
func (m *Room) open(ctx context.Context, s setup) (p played, err error) {
	build, free := m.cfg.Stage()
	p.close = free
	defer func() {
		if err != nil {
			err = errors.Join(err, free())
		}
	}()
	cfg := m.cfg.Settings()
	c := rehearse.Change{Config: cfg, Workflows: s.workflows, Shadow: s.shadow, As: s.as}
	if len(s.gone) > 0 {
		c.Gone = func(scope, id string) bool { return slices.Contains(s.gone, site.Chosen{Scope: scope, ID: id}) }
	}
	after, model, err := build(ctx, c)
	if err != nil {
		return p, err
	}
	if after.Placed = s.placed; s.agent != "" {
		name, err := json.Marshal(s.agent)
		if err != nil {
			return p, err
		}
		after.Override = []config.Entry{{Level: config.Channel, Key: "agent", Value: name}}
	}
	p.after = after
	if s.baseline {
		if p.base, _, err = build(ctx, rehearse.Change{Config: cfg}); err != nil {
			return p, err
		}
	}
	if _, own := cfg.ModelOf("", config.RoleGrade); own {
		p.grade = rehearse.Grader(model, cfg.Model.Cost)
	}
	return p, nil
}

// priced reports whether models have prices, so that a cost can be bounded.
func (m *Room) priced() bool { return len(m.cfg.Settings().Model.Prices) > 0 }
