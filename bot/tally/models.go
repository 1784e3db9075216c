package tally

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"maru/agent/llm"
	"maru/bot"
	"maru/phrase"
)

// Purpose describes the purpose of model calls. A workflow may define its own purposes.
func Purpose(kind bot.SpentOn, lang string) string {
	if phrase.Has(kind.Key()) {
		return phrase.Say(lang, kind.Key())
	}
	return cmp.Or(string(kind), phrase.Say(lang, "spent.other"))
}

// Model names the model of a row and the host that was asked.
func Model(u bot.Used, lang string) string {
	name := cmp.Or(ModelName(u.Model, lang), phrase.Say(lang, "spent.other"))
	if u.Host == "" {
		return name
	}
	return name + " @ " + u.Host
}

// ModelName returns a model's name, that of the built-in one in words.
func ModelName(model, lang string) string {
	if model == llm.BuiltIn {
		return phrase.Say(lang, "spent.built_in")
	}
	return model
}

// Limits of the models in a list, and of one model's purposes.
const (
	mostModels   = 15
	mostPurposes = 8
)

// Models lists models with their usage and purposes, the most expensive first.
func Models(rows []bot.Used, lang string) string {
	model := func(u bot.Used) string { return Model(u, lang) }
	groups := By(merged(rows), model)
	var lines []string
	for _, g := range groups[:min(len(groups), mostModels)] {
		line := phrase.Say(lang, "bot.usage.model", code(g.Name), g.Calls, Thousands(g.Input), Thousands(g.Output))
		if g.Cost > 0 {
			line += phrase.Say(lang, "bot.usage.cost_total", g.Cost)
		}
		lines = append(lines, "- "+line)
		own := slices.DeleteFunc(merged(rows), func(u bot.Used) bool { return model(u) != g.Name })
		var parts []string
		for _, p := range By(own, func(u bot.Used) string { return string(u.Kind) }) {
			parts = append(parts, phrase.Say(lang, "bot.usage.tokens_of", Purpose(bot.SpentOn(p.Name), lang), Thousands(p.Input+p.Output)))
		}
		lines = append(lines, "  "+strings.Join(parts[:min(len(parts), mostPurposes)], " · "))
	}
	if more := len(groups) - mostModels; more > 0 {
		lines = append(lines, phrase.Say(lang, "bot.usage.more_models", more))
	}
	return strings.Join(lines, "\n")
}

func code(name string) string { return "`" + strings.ReplaceAll(name, "`", "'") + "`" }

// merged adds up rows across workspaces.
func merged(rows []bot.Used) []bot.Used {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Team = ""
	}
	return out
}

// ModelLine formats the most used models in one line, "" for none.
func ModelLine(rows []bot.Used, lang string) string {
	var parts []string
	for _, g := range By(merged(rows), func(u bot.Used) string { return Model(u, lang) }) {
		part := phrase.Say(lang, "bot.usage.tokens_of", code(g.Name), Thousands(g.Input+g.Output))
		if g.Cost > 0 {
			part += phrase.Say(lang, "bot.usage.cost_of", g.Cost)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts[:min(len(parts), 3)], " · ")
}

// WriteModelsCSV writes usage by workspace, model and purpose as CSV with a header.
func WriteModelsCSV(to io.Writer, rows []bot.Used) error {
	w := csv.NewWriter(to)
	_ = w.Write([]string{"team", "model", "host", "purpose", "calls", "input_tokens", "output_tokens", "cached_tokens", "cost"}) // Flush reports
	for _, g := range By(rows, func(u bot.Used) string { return strings.Join([]string{u.Model, u.Host, string(u.Kind)}, "\t") }) {
		name := strings.SplitN(g.Name, "\t", 3)
		_ = w.Write([]string{
			Cell(g.Team), Cell(name[0]), Cell(name[1]), Cell(name[2]), strconv.Itoa(g.Calls), strconv.Itoa(g.Input), strconv.Itoa(g.Output),
			strconv.Itoa(g.Cached), strconv.FormatFloat(g.Cost, 'f', 6, 64),
		})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("write usage: %w", err)
	}
	return nil
}
