package memtest

import (
	"encoding/json"
	"slices"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/modeluse"
)

// modelCases are the cases of usage by model and purpose.
var modelCases = map[string]func(t *testing.T, r bot.Record){
	"usage_by_model_counts_once_and_outlives_its_runs": func(t *testing.T, r bot.Record) {
		ctx, day := t.Context(), "2026-11-21"
		part := func(purpose, model, host string, tokens int) agent.Part {
			return agent.Part{Purpose: purpose, Usage: agent.Usage{Model: model, Host: host, Calls: 1, Input: tokens, Cost: 0.25}}
		}
		save := func(id, day string, parts ...agent.Part) {
			var c modeluse.Cost
			for _, p := range parts {
				c.Parts = agent.AddPart(c.Parts, p)
				c.Add(p.Usage)
			}
			raw, err := json.Marshal(c)
			noErr(t, "encode", err)
			noErr(t, "save", r.SaveRun(ctx, bot.Run{ID: id, Thread: threadA.Key(), Agent: "chat", User: "U1", Status: "done", Day: day, Usage: raw}))
		}
		save("r1", day, part("route", "small", "a.example", 5)) // waits for a person
		save("r1", day, part("route", "small", "a.example", 5), part("answer", "large", "b.example", 100), part("answer", "large", "b.example", 10))
		save("r1", day, part("route", "small", "a.example", 5), part("answer", "large", "b.example", 100), part("answer", "large", "b.example", 10))
		save("r2", day, part("answer", "large", "c.example", 7))
		save("r3", "2026-11-22", part("answer", "large", "b.example", 1000))
		save("r4", day) // no model was asked
		learned := bot.Used{Day: day, Team: threadA.TeamKey(), Channel: threadA.Channel, User: "U1", Kind: bot.SpentMemory,
			Usage: agent.Usage{Model: "small", Host: "a.example", Calls: 1, Input: 3}}
		noErr(t, "spend", r.Spend(ctx, learned))
		noErr(t, "spend again", r.Spend(ctx, learned))
		noErr(t, "forget", r.Forget(ctx, threadA.Key()))
		sum := func(purpose, model, host string, calls, tokens int, cost float64) bot.Used {
			return bot.Used{Day: day, Team: threadA.TeamKey(), Channel: threadA.Channel, Kind: bot.SpentOn(purpose),
				Usage: agent.Usage{Model: model, Host: host, Calls: calls, Input: tokens, Cost: cost}}
		}
		want := []bot.Used{
			sum("answer", "large", "b.example", 2, 110, 0.5), sum("answer", "large", "c.example", 1, 7, 0.25),
			sum("memory", "small", "a.example", 2, 6, 0), sum("route", "small", "a.example", 1, 5, 0.25),
		}
		got, err := r.Usage(ctx, bot.UsageQuery{Team: threadA.TeamKey(), From: day, To: day, Models: true})
		noErr(t, "usage by model", err)
		if !slices.Equal(got, want) {
			t.Errorf("usage by model\n%+v, want\n%+v", got, want)
		}
		for name, c := range map[string]struct {
			q    bot.UsageQuery
			rows int
		}{
			"all models": {bot.UsageQuery{Models: true}, 5}, "later": {bot.UsageQuery{Models: true, From: "2026-11-22"}, 1},
			"another team": {bot.UsageQuery{Models: true, Team: "slack/T0"}, 0},
			"all sums":     {bot.UsageQuery{}, 3}, "sums of today": {bot.UsageQuery{From: day, To: day}, 2}, "sums from a day": {bot.UsageQuery{From: day}, 3},
		} {
			got, err := r.Usage(ctx, c.q)
			noErr(t, name, err)
			equal(t, name, len(got), c.rows)
		}
	},
}
