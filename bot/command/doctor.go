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
			tl.log.WarnContext(ctx, "doctor", "part", f.Part, "err", f.Err)
		}
		s.WriteString("- " + findingLine(f, lang) + "\n")
	}
	title := phrase.Say(lang, "bot.all_is_well")
	if bad > 0 {
		title = phrase.Say(lang, "bot.parts_need_attention", bad)
	}
	card := &bot.Card{Kind: bot.CardNotice, Title: title, Text: s.String(), Language: lang, Final: true}
	if bad > 0 {
		card.Footer = phrase.Say(lang, "bot.operators_see_how_to_fix")
	}
	return card, nil
}

// findingLine renders a finding.
func findingLine(f bot.Finding, lang string) string {
	mark, state := "✅", phrase.Say(lang, "bot.fine")
	switch {
	case errors.Is(f.Err, bot.ErrLimited):
		mark, state = "⚠️", phrase.Say(lang, "bot.works_in_part")
	case errors.Is(f.Err, context.DeadlineExceeded):
		mark, state = "❌", phrase.Say(lang, "bot.does_not_answer_in_time")
	case f.Err != nil:
		mark, state = "❌", phrase.Say(lang, "bot.in_trouble")
	case f.Off:
		mark, state = "▫️", phrase.Say(lang, "bot.not_set_up")
	}
	line := mark + " **" + fit.Quoted(partName(f.Part, lang), 60) + "** " + state
	if f.Count != "" {
		line += " · " + phrase.Say(lang, f.Count, f.N)
	}
	if f.Detail != "" {
		line += " · " + fit.Quoted(f.Detail, 120)
	}
	if f.Err != nil {
		line += " · " + fit.Quoted(strings.TrimPrefix(f.Err.Error(), bot.ErrLimited.Error()+": "), 200)
	}
	return line
}

// partName is the display name of a part.
func partName(part, lang string) string {
	switch part {
	case "record":
		return phrase.Say(lang, "bot.record")
	case "model":
		return phrase.Say(lang, "bot.language_model")
	case "fallback":
		return phrase.Say(lang, "bot.fallback_model")
	case "embeddings":
		return phrase.Say(lang, "bot.embeddings")
	case "documents":
		return phrase.Say(lang, "bot.documents")
	case "pdf":
		return phrase.Say(lang, "bot.pdf_reader")
	case "workflows":
		return phrase.Say(lang, "bot.workflows")
	case "slack":
		return phrase.Say(lang, "bot.slack")
	case "discord":
		return phrase.Say(lang, "bot.discord")
	case "redis":
		return phrase.Say(lang, "bot.fast_copy_redis")
	case "web":
		return phrase.Say(lang, "bot.web_console")
	}
	return part
}
