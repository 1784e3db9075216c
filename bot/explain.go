package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"maru/agent"
)

// explain renders a run's trace as a few lines of Markdown.
func (b *Bot) explain(ctx context.Context, r Run, u User, lang string) string {
	var events []agent.Event
	var usage agent.Usage
	_ = json.Unmarshal(r.Trace, &events) // written by us; a trace that cannot be read explains less
	b.personal(ctx, r, u, events)
	_ = json.Unmarshal(r.Usage, &usage)
	var s strings.Builder
	for _, e := range events {
		took := ""
		if e.Took > 0 {
			took = " (" + e.Took.Round(time.Millisecond).String() + ")"
		}
		switch e.Kind {
		case agent.EventNodeEnd:
			fmt.Fprintf(&s, "- %s `%s`%s %s\n", say(lang, "bot.step"), e.Node, took, e.Text)
		case agent.EventToolResult:
			fmt.Fprintf(&s, "- %s `%s`%s\n", say(lang, "bot.tool"), e.Name, took)
		case agent.EventModelCall:
			fmt.Fprintf(&s, "- %s %s%s\n", say(lang, "bot.model_call"), e.Name, took)
		case agent.EventMemory:
			for _, k := range knownTo([]agent.Event{e}) {
				fmt.Fprintf(&s, "- %s %s (%s)\n", say(lang, "bot.memory"), cmp.Or(k.Text, k.Kind), k.Why)
			}
		case agent.EventSources:
			s.WriteString("- " + say(lang, "bot.passages_found", len(e.Sources)))
		}
	}
	s.WriteString(say(lang, "bot.model_calls_tokens",
		usage.Calls, usage.Input+usage.Output, r.Worked.Round(time.Millisecond)))
	return s.String()
}
