package bot

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Finding is how a part of the program is, for `/maru doctor`.
type Finding struct {
	Part   string // "model", "fallback", "embeddings", "redis", "documents", "pdfium", "mcp NAME": data
	Off    bool   // not set up
	Detail string // a name: data, "" for none
	Count  string // phrase of how many there are, "" for none; it takes N
	N      int
	Err    error // nil: it works; [ErrLimited]: in part
}

// examineWithin is how long the parts may take.
const examineWithin = 8 * time.Second

// cmdDoctor says which parts of the program work: it asks every one, all at once.
func (b *Bot) cmdDoctor(ctx context.Context, _ Invocation, lang string) (*Card, error) {
	ctx, cancel := context.WithTimeout(ctx, examineWithin)
	defer cancel()
	var more []Finding
	var asked sync.WaitGroup
	if b.cfg.Examine != nil {
		asked.Go(func() { more = b.cfg.Examine(ctx) })
	}
	ready := b.Ready(ctx)
	asked.Wait()
	var list []Finding
	for _, part := range slices.Sorted(maps.Keys(ready)) {
		list = append(list, Finding{Part: part, Err: ready[part]})
	}
	var s strings.Builder
	bad := 0
	for _, f := range append(list, more...) {
		if f.Err != nil {
			bad++
			b.log.WarnContext(ctx, "doctor", "part", f.Part, "err", f.Err)
		}
		s.WriteString("- " + f.line(lang) + "\n")
	}
	title := say(lang, "bot.all_is_well")
	if bad > 0 {
		title = say(lang, "bot.parts_need_attention", bad)
	}
	card := &Card{Kind: CardNotice, Title: title, Text: s.String(), Language: lang, Final: true}
	if bad > 0 {
		card.Footer = say(lang, "bot.operators_see_how_to_fix")
	}
	return card, nil
}

// line is one finding.
func (f Finding) line(lang string) string {
	mark, state := "✅", say(lang, "bot.fine")
	switch {
	case errors.Is(f.Err, ErrLimited):
		mark, state = "⚠️", say(lang, "bot.works_in_part")
	case errors.Is(f.Err, context.DeadlineExceeded):
		mark, state = "❌", say(lang, "bot.does_not_answer_in_time")
	case f.Err != nil:
		mark, state = "❌", say(lang, "bot.in_trouble")
	case f.Off:
		mark, state = "▫️", say(lang, "bot.not_set_up")
	}
	line := mark + " **" + quoted(partName(f.Part, lang), 60) + "** " + state
	if f.Count != "" {
		line += " · " + say(lang, f.Count, f.N)
	}
	if f.Detail != "" {
		line += " · " + quoted(f.Detail, 120)
	}
	if f.Err != nil {
		line += " · " + quoted(strings.TrimPrefix(f.Err.Error(), ErrLimited.Error()+": "), 200)
	}
	return line
}

// partName names a part for people.
func partName(part, lang string) string {
	switch part {
	case "record":
		return say(lang, "bot.record")
	case "model":
		return say(lang, "bot.language_model")
	case "fallback":
		return say(lang, "bot.fallback_model")
	case "embeddings":
		return say(lang, "bot.embeddings")
	case "documents":
		return say(lang, "bot.documents")
	case "pdfium":
		return say(lang, "bot.pdf_reader")
	case "workflows":
		return say(lang, "bot.workflows")
	case "slack":
		return say(lang, "bot.slack")
	case "discord":
		return say(lang, "bot.discord")
	case "redis":
		return say(lang, "bot.fast_copy_redis")
	case "web":
		return say(lang, "bot.web_console")
	}
	return part
}
