package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/bot"
	"maru/memory/sqlitestore"
	"maru/rag"
)

// price is what a model call costs, by its model and tokens.
func (a *app) price(u agent.Usage) float64 {
	return a.cfg.Model.Cost(u.Model, u.Input, u.Output, u.Cached)
}

// listen lets the model calls that are made with a context outside of a run be
// heard of, with what they cost. Those of a run are the run's.
func (a *app) listen(ctx context.Context, heard func(agent.Usage)) context.Context {
	return llm.WithAccount(ctx, &llm.Account{OnCall: func(c llm.Call) {
		if c.Cached {
			return // nothing was spent
		}
		u := agent.Usage{Model: c.Model, Calls: 1, Input: c.Usage.Input, Output: c.Usage.Output, Cached: c.Usage.Cached}
		u.Cost = a.price(u)
		if a.metrics != nil {
			a.metrics.ModelCall(string(c.Purpose), u, c.Took)
		}
		heard(u)
	}})
}

// embedding is an embedder whose calls outside of runs are counted in the sums of
// the places that they are for.
type embedding struct {
	llm.Embedder
	app *app
	on  bot.SpentOn
}

// Embed implements llm.Embedder.
func (e embedding) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if llm.Accounted(ctx) {
		return e.Embedder.Embed(ctx, texts)
	}
	var mu sync.Mutex
	var used agent.Usage
	out, err := e.Embedder.Embed(e.app.listen(ctx, func(u agent.Usage) {
		mu.Lock()
		defer mu.Unlock()
		used.Add(u)
	}), texts)
	if err == nil || used.Input > 0 {
		e.app.spend(ctx, e.on, used, sharesOf(texts, rag.ScopesOf(ctx)))
	}
	return out, err
}

// share is what part of a call was for a place.
type share struct {
	team, channel string
	letters       int
}

// sharesOf shares a call out among the places of its texts, by their length. Texts
// of no place are the program's own.
func sharesOf(texts, scopes []string) []share {
	var out []share
	for i, text := range texts {
		s := share{letters: max(len(text), 1)}
		if i < len(scopes) {
			s.team, s.channel, _ = bot.ScopePlace(scopes[i]) // of no place: the program's
		}
		known := false
		for j := range out {
			if out[j].team == s.team && out[j].channel == s.channel {
				out[j].letters, known = out[j].letters+s.letters, true
			}
		}
		if !known {
			out = append(out, s)
		}
	}
	return out
}

// spend adds what calls cost to the sums: to each place its share, so that the shares
// add up to the whole. The call is counted once.
func (a *app) spend(ctx context.Context, on bot.SpentOn, used agent.Usage, shares []share) {
	if a.record == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second) // paid is paid
	defer cancel()
	letters, left := 0, used
	for _, s := range shares {
		letters += s.letters
	}
	day := time.Now().In(a.cfg.Place.Location()).Format(time.DateOnly)
	for i, s := range shares {
		part := left
		if i < len(shares)-1 {
			part = agent.Usage{Input: used.Input * s.letters / letters, Output: used.Output * s.letters / letters, Cost: used.Cost * float64(s.letters) / float64(letters)}
			left.Input, left.Output, left.Cost = left.Input-part.Input, left.Output-part.Output, left.Cost-part.Cost
		}
		if err := a.record.Spend(ctx, bot.Used{Day: day, Team: s.team, Channel: s.channel, Kind: on, Usage: part}); err != nil {
			a.log.ErrorContext(ctx, "usage lost", "kind", on, "team", s.team, "err", err)
		}
	}
}

// openSums opens the record for what a command of the operator's costs, where a
// model that costs is asked. A record that another program holds is left alone.
func (a *app) openSums(ctx context.Context) error {
	if !a.cfg.Model.On() {
		return nil
	}
	record, err := a.openRecord(ctx)
	if errors.Is(err, sqlitestore.ErrInUse) {
		a.log.WarnContext(ctx, "what this costs is not in the sums of usage: another program has the record open")
		return nil
	}
	a.record = record
	return err
}

// evaluated counts the calls of an evaluation that no run makes.
func (a *app) evaluated(ctx context.Context) context.Context {
	return a.listen(ctx, func(u agent.Usage) { a.spend(ctx, bot.SpentEvaluation, u, []share{{letters: 1}}) })
}

// evaluating counts those of the runs that answer an evaluation's questions.
func (a *app) evaluating(ctx context.Context, e agent.Event) {
	if e.Kind != agent.EventModelCall || e.Usage == nil || e.Usage.Calls == 0 {
		return
	}
	u := *e.Usage
	u.Cost = a.price(u)
	a.spend(ctx, bot.SpentEvaluation, u, []share{{letters: 1}})
}
