// Package modeluse stores usage by model and purpose: in the usage of a run, and as separate daily sums of a
// channel. The sums contain no people and outlive their runs.
//
// It must not know stores, prices or how usage is shown.
package modeluse

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
)

// Cost is the usage of a run as stored in [bot.Run].
type Cost struct {
	agent.Usage
	Parts []agent.Part `json:"parts,omitempty"`
}

// Join adds a run's stored usage from before its last wait or interruption.
func Join(before json.RawMessage, usage agent.Usage, parts []agent.Part) (Cost, error) {
	var sum Cost
	if err := json.Unmarshal(before, &sum); err != nil {
		return Cost{}, err
	}
	sum.Add(usage)
	sum.Parts = agent.AddPart(sum.Parts, parts...)
	return sum, nil
}

// dayMark is the prefix of the days of sums by model: it sorts after lastDay, so that a query by days excludes
// them.
const (
	dayMark = "m"
	lastDay = "9999-12-31"
)

// separator separates purpose, model and host.
const separator = "\t"

// Trial is the purpose of calls outside of runs without a kind: those of a workflow on trial.
const Trial = "trial"

// Day returns the day of sums by model.
func Day(day string) string { return dayMark + day }

// Row returns the sum by model for usage outside of runs; false if the model is unknown.
func Row(u bot.Used) (bot.Used, bool) {
	parts := agent.AddPart(nil, agent.Part{Purpose: cmp.Or(string(u.Kind), Trial), Usage: u.Usage})
	if u.Model == "" || len(parts) == 0 {
		return bot.Used{}, false
	}
	return row(u, parts[0]), true
}

func row(at bot.Used, p agent.Part) bot.Used {
	u := p.Usage
	u.Model, u.Host = "", ""
	return bot.Used{
		Day: Day(at.Day), Team: at.Team, Channel: at.Channel, Agent: p.Purpose + separator + p.Model + separator + p.Host, Usage: u,
	}
}

// CostOf decodes the usage of a run as it is stored. An unreadable one counts as 0.
func CostOf(raw json.RawMessage) (c Cost) {
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &c)
	}
	return c
}

// Rows returns a run's increase of the sums by model: its parts minus those stored before. at has the day, the
// workspace and the channel.
func Rows(at bot.Used, before, after Cost) []bot.Used {
	var out []bot.Used
	for _, p := range after.Parts {
		out = append(out, row(at, p))
	}
	for _, p := range before.Parts {
		p.Calls, p.Input, p.Output, p.Cached, p.Cost = -p.Calls, -p.Input, -p.Output, -p.Cached, -p.Cost
		out = append(out, row(at, p))
	}
	return merged(out)
}

// merged adds up rows with the same key and drops empty ones.
func merged(rows []bot.Used) []bot.Used {
	var out []bot.Used
	at := map[string]int{}
	for _, r := range rows {
		i, ok := at[r.Agent]
		if !ok {
			i = len(out)
			at[r.Agent] = i
			out = append(out, r)
			continue
		}
		out[i].Add(r.Usage)
	}
	return slices.DeleteFunc(out, func(u bot.Used) bool { return u.Usage == (agent.Usage{}) })
}

// Days returns the first and the last day of a query as sums have them; from is "" for all.
func Days(q bot.UsageQuery) (from, to string) {
	to = cmp.Or(q.To, lastDay)
	if q.Models {
		return dayMark + q.From, dayMark + to
	}
	return q.From, to
}

// Read completes a sum that a query for models found.
func Read(u *bot.Used) {
	day, ok := strings.CutPrefix(u.Day, dayMark)
	parts := strings.SplitN(u.Agent, separator, 3)
	if !ok || len(parts) < 3 {
		return
	}
	u.Day, u.Agent, u.Kind, u.Model, u.Host = day, "", bot.SpentOn(parts[0]), parts[1], parts[2]
}
