package console

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/agent/llm"
	"maru/bot"
	"maru/bot/exchange"
)

var _ site.Exchanges = (*Desk)(nil)

// maySeeWords denies access to the prompts of a run: operators may read them, except in other people's private
// conversations, and so may the person who asked for the run.
func maySeeWords(by bot.User, from bot.Thread, run bot.RunView) error {
	if theirs(by, from, run) {
		return nil
	}
	if run.Thread.Direct {
		return &bot.Error{Code: bot.CodeNotAllowed}
	}
	return allowed(by)
}

// Exchange implements site.Exchanges.
func (d *Desk) Exchange(ctx context.Context, by bot.User, from bot.Thread, run, call string) (site.Exchange, error) {
	v, err := d.See(ctx, by, from, run)
	if err != nil {
		return site.Exchange{}, err
	}
	if err := maySeeWords(by, from, v); err != nil {
		return site.Exchange{}, err
	}
	words, err := d.words(ctx, run)
	if err != nil {
		return site.Exchange{}, err
	}
	calls := slices.DeleteFunc(slices.Clone(v.Events), func(e bot.RunEvent) bool { _, kept := words[e.Call]; return !kept })
	i := slices.IndexFunc(calls, func(e bot.RunEvent) bool { return e.Call == call })
	if i < 0 {
		return site.Exchange{}, bot.ErrNotFound
	}
	e := calls[i]
	out := site.Exchange{Purpose: e.Name, Model: e.Text, At: e.At, Took: e.Took, Err: e.Err, Words: words[call], N: i + 1, Of: len(calls)}
	if e.Usage != nil {
		out.Usage = *e.Usage
	}
	if i > 0 {
		out.Before = calls[i-1].Call
	}
	if i+1 < len(calls) {
		out.After = calls[i+1].Call
	}
	return out, nil
}

// words returns the exchanges of a run by their calls.
func (d *Desk) words(ctx context.Context, run string) (map[string]agent.Exchange, error) {
	rows, err := d.cfg.Record.Exchanges(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("read prompts: %w", err)
	}
	out := map[string]agent.Exchange{}
	for _, r := range rows {
		said, err := exchange.Unpack(r)
		if err != nil {
			return nil, fmt.Errorf("read prompts: %w", err)
		}
		maps.Copy(out, said)
	}
	return out, nil
}

// readLetters is how much of a passage's beginning is looked for in a prompt.
const readLetters = 80

// passagesRead says which of the passages that a run found were given to its models, by chunk; nil if not all that they
// read is known.
func (d *Desk) passagesRead(ctx context.Context, run bot.RunView) (map[string]string, error) {
	words, err := d.words(ctx, run.ID)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	var all, beside strings.Builder
	for _, e := range run.Events {
		if e.Kind != agent.EventModelCall || e.Name == string(llm.ForRerank) || e.Name == string(llm.ForEmbedding) {
			continue // one that only orders passages is given all of them
		}
		said, kept := words[e.Call]
		beside.WriteString(squeezed(strings.Join(said.Given, "\n")) + "\n")
		for _, m := range said.Prompt {
			kept = kept && !strings.Contains(m.Text, exchange.Cut)
			all.WriteString(squeezed(m.Text) + "\n")
		}
		if !kept {
			return nil, nil //nolint:nilnil // not all that was read is known
		}
	}
	out := map[string]string{}
	for _, e := range run.Events {
		for _, s := range e.Sources {
			quote := []rune(squeezed(s.Quote))
			if len(quote) == 0 {
				continue
			}
			switch begins := string(quote[:min(len(quote), readLetters)]); {
			case strings.Contains(all.String(), begins):
				out[s.Chunk] = "yes"
			case !strings.Contains(beside.String(), begins): // else the built-in model may have read it
				out[s.Chunk] = "no"
			}
		}
	}
	return out, nil
}

// squeezed returns a text with single spaces.
func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }
