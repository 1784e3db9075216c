package command

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// examineWithin is the deadline for all checks together.
const examineWithin = 8 * time.Second

// doctor checks all parts of the program concurrently and shows the results.
func (tl *Tools) doctor(ctx context.Context, _ bot.Invocation, lang string) (*bot.Card, error) {
	ctx, cancel := context.WithTimeout(ctx, examineWithin)
	defer cancel()
	var more []bot.Finding
	var asked sync.WaitGroup
	if tl.examine != nil {
		asked.Go(func() { more = tl.examine(ctx) })
	}
	ready := tl.ready(ctx)
	asked.Wait()
	var list []bot.Finding
	for _, part := range slices.Sorted(maps.Keys(ready)) {
		list = append(list, bot.Finding{Part: part, Err: ready[part]})
	}
	var s strings.Builder
	bad := 0
	for _, f := range append(list, more...) {
		if f.Err != nil {
			bad++
			tl.log.WarnContext(ctx, "doctor finding", "part", f.Part, "err", f.Err)
		}
		s.WriteString("- " + findingLine(f, lang) + "\n")
	}
	title := phrase.Say(lang, "bot.doctor.all_well")
	if bad > 0 {
		title = phrase.Say(lang, "bot.doctor.attention", bad)
	}
	card := &bot.Card{Kind: bot.CardNotice, Title: title, Text: s.String(), Language: lang, Final: true}
	if bad > 0 {
		card.Footer = phrase.Say(lang, "bot.doctor.operators")
	}
	return card, nil
}

// findingLine renders a finding.
func findingLine(f bot.Finding, lang string) string {
	mark, state := "✅", phrase.Say(lang, "bot.health.fine")
	switch {
	case errors.Is(f.Err, bot.ErrLimited):
		mark, state = "⚠️", phrase.Say(lang, "bot.health.partial")
	case errors.Is(f.Err, context.DeadlineExceeded):
		mark, state = "❌", phrase.Say(lang, "bot.health.late")
	case f.Err != nil:
		mark, state = "❌", phrase.Say(lang, "bot.health.failing")
	case f.Pending:
		mark, state = "⏳", phrase.Say(lang, "bot.health.pending")
	case f.Off && f.Part == "model":
		mark, state = "▫️", phrase.Say(lang, "bot.health.built_in")
	case f.Off:
		mark, state = "▫️", phrase.Say(lang, "bot.health.not_set_up")
	}
	line := mark + " **" + fit.Quoted(partName(f.Part, lang), 60) + "** " + state
	if f.Count != "" {
		line += " · " + phrase.Say(lang, f.Count, f.N)
	}
	if f.Detail != "" {
		line += " · " + fit.Quoted(f.Detail, 120)
	}
	var told interface{ Told(language string) string }
	switch {
	case errors.As(f.Err, &told):
		line += " · " + fit.Quoted(told.Told(lang), 300)
	case f.Err != nil:
		line += " · " + fit.Quoted(strings.TrimPrefix(f.Err.Error(), bot.ErrLimited.Error()+": "), 200)
	}
	return line
}

// partName returns the display name of a part.
func partName(part, lang string) string {
	switch part {
	case "record":
		return phrase.Say(lang, "bot.part.database")
	case "model":
		return phrase.Say(lang, "bot.part.model")
	case "fallback":
		return phrase.Say(lang, "bot.part.fallback_model")
	case "embeddings":
		return phrase.Say(lang, "bot.part.embeddings")
	case "vectors":
		return phrase.Say(lang, "bot.part.vectors")
	case "documents":
		return phrase.Say(lang, "bot.part.documents")
	case "pdf":
		return phrase.Say(lang, "bot.part.pdf")
	case "parked":
		return phrase.Say(lang, "parking.title")
	case "workflows":
		return phrase.Say(lang, "bot.part.workflows")
	case "slack":
		return phrase.Say(lang, "bot.part.slack")
	case "discord":
		return phrase.Say(lang, "bot.part.discord")
	case "redis":
		return phrase.Say(lang, "bot.part.redis")
	case "web":
		return phrase.Say(lang, "bot.part.web")
	}
	return part
}
