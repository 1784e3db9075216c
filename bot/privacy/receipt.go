package privacy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/bot"
	"maru/memory/longterm"
	"maru/phrase"
)

// Forgotten counts what was deleted about a person.
type Forgotten struct {
	memory   longterm.Receipt
	threads  int // only theirs, gone whole
	messages int
	answers  int
	runs     int // traces
	other    int // approvals and ratings
	settings int
	notes    int // for channels
	named    int // anonymised rows
	teams    int // in which any of this was
}

// Learned counts the deleted memory records.
func (f *Forgotten) Learned() longterm.Receipt { return f.memory }

// total returns the sum of all counts.
func (f *Forgotten) total() int {
	m := f.memory
	return m.Total() + m.Notes + m.Uses + m.Jobs + f.threads + f.messages + f.answers + f.runs + f.other + f.settings + f.notes + f.named
}

func (f *Forgotten) add(w bot.Withdrawal) {
	f.messages += len(w.Messages)
	f.answers += w.Answers
	f.runs += w.Runs
	f.other += w.Approvals + w.Ratings
}

// Receipt renders the counts for the person.
func (f Forgotten) Receipt(lang string) string {
	own := countLine(lang, []count{
		{"bot.gone.threads", f.threads}, {"bot.gone.messages", f.messages}, {"bot.gone.answers", f.answers}, {"bot.gone.traces", f.runs},
		{"bot.gone.votes", f.other}, {"bot.gone.settings", f.settings}, {"bot.gone.channel_notes", f.notes}, {"bot.gone.sums", f.named},
	})
	if f.total() == 0 {
		return phrase.Say(lang, "bot.forget.nothing")
	}
	text := MemoryReceipt(f.memory, lang) + own
	if f.teams > 1 {
		text += phrase.Say(lang, "bot.forget.places", f.teams)
	}
	return text
}

// MemoryReceipt renders the counts of deleted memory records.
func MemoryReceipt(r longterm.Receipt, lang string) string {
	var s strings.Builder
	s.WriteString(phrase.Say(lang, "bot.forget.memories", r.Total()))
	for _, k := range slices.Sorted(maps.Keys(r.Records)) {
		fmt.Fprintf(&s, "\n- %s: %d", KindName(k, lang), r.Records[k])
	}
	s.WriteString(countLine(lang, []count{{"bot.gone.notes", r.Notes}, {"bot.gone.uses", r.Uses}, {"bot.gone.jobs", r.Jobs}}))
	return s.String()
}

// count is a number of deleted things and the catalogue key that names them.
type count struct {
	key string
	n   int
}

// countLine lists the counts above zero on one line.
func countLine(lang string, list []count) string {
	var parts []string
	for _, g := range list {
		if g.n > 0 {
			parts = append(parts, phrase.Say(lang, g.key, g.n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n- " + strings.Join(parts, ", ")
}

// KindName returns the display name of a kind of memory record.
func KindName(k longterm.Kind, lang string) string {
	switch k {
	case longterm.KindPreference:
		return phrase.Say(lang, "bot.learned.said")
	case longterm.KindClarification:
		return phrase.Say(lang, "bot.learned.answer")
	case longterm.KindPlan:
		return phrase.Say(lang, "bot.learned.plan")
	case longterm.KindBehavior:
		return phrase.Say(lang, "bot.learned.decision")
	case longterm.KindTool:
		return phrase.Say(lang, "bot.learned.tool")
	case longterm.KindWorkflow:
		return phrase.Say(lang, "bot.learned.work")
	}
	return string(k)
}
