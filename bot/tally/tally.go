// Package tally reads sums of usage with the ratings of answers, and formats them for people: by person, by day as a chart, and
// as CSV. It knows no command: maru/bot/command and maru/bot/operate show its output.
package tally

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// Group is the usage of one person.
type Group struct {
	Team string // "slack/T1"
	Name string // the person's ID, "" for usage without a person
	bot.Used
}

// Person returns the person of a row.
func Person(u bot.Used) string { return u.User }

// By sums rows up by workspace and key, the most expensive first, then the one with the most tokens.
func By(rows []bot.Used, key func(bot.Used) string) []Group {
	type name struct{ team, key string }
	by := map[name][]bot.Used{}
	for _, r := range rows {
		n := name{r.Team, key(r)}
		by[n] = append(by[n], r)
	}
	var out []Group
	for n, rows := range by {
		out = append(out, Group{n.team, n.key, place.Sum(rows)})
	}
	slices.SortFunc(out, func(x, y Group) int {
		return cmp.Or(cmp.Compare(y.Cost, x.Cost), cmp.Compare(y.Input+y.Output, x.Input+x.Output), cmp.Compare(y.Runs, x.Runs), cmp.Compare(x.Team, y.Team), cmp.Compare(x.Name, y.Name))
	})
	return out
}

// shown limits the people in a list.
const shown = 30

// Names returns the people whose names a list needs.
func Names(groups []Group) []string {
	var out []string
	for _, g := range groups[:min(len(groups), shown)] {
		out = append(out, g.Name)
	}
	return out
}

// People lists people with their usage and, for one day, the share of their limit.
func People(groups []Group, name func(id string) string, limit config.Limits, days int, lang string) string {
	var lines []string
	for _, g := range groups[:min(len(groups), shown)] {
		who := phrase.Say(lang, "bot.usage.nobody")
		if g.Name != "" {
			who = name(g.Name)
		}
		line := phrase.Say(lang, "bot.usage.person", who, g.Runs, g.Calls, Thousands(g.Input+g.Output))
		if g.Cost > 0 {
			line += phrase.Say(lang, "bot.usage.cost_total", g.Cost)
		}
		if share := place.Share(limit, g.Usage); days == 1 && g.Name != "" && share > 0 {
			line = fit.Dots(line, phrase.Say(lang, "bot.usage.of_limit", int(share*100)))
		}
		lines = append(lines, "- "+line)
	}
	if more := len(groups) - shown; more > 0 {
		lines = append(lines, phrase.Say(lang, "bot.usage.more_people", more))
	}
	return strings.Join(lines, "\n")
}

// WriteCSV writes people as CSV with a header.
func WriteCSV(to io.Writer, groups []Group) error {
	w := csv.NewWriter(to)
	_ = w.Write([]string{"team", "user", "runs", "failed", "seconds", "calls", "input_tokens", "output_tokens", "cached_tokens", "cost", "up", "down"}) // Flush reports
	for _, g := range groups {
		_ = w.Write([]string{
			Cell(g.Team), Cell(g.Name), strconv.Itoa(g.Runs), strconv.Itoa(g.Failed), strconv.FormatFloat(g.Took.Seconds(), 'f', 1, 64), strconv.Itoa(g.Calls),
			strconv.Itoa(g.Input), strconv.Itoa(g.Output), strconv.Itoa(g.Cached), strconv.FormatFloat(g.Cost, 'f', 6, 64), strconv.Itoa(g.Up), strconv.Itoa(g.Down),
		})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("write usage: %w", err)
	}
	return nil
}
