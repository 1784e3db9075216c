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
			fmt.Fprintf(&s, "- %s `%s`%s %s\n", say(lang, "단계", "step"), e.Node, took, e.Text)
		case agent.EventToolResult:
			fmt.Fprintf(&s, "- %s `%s`%s\n", say(lang, "도구", "tool"), e.Name, took)
		case agent.EventModelCall:
			fmt.Fprintf(&s, "- %s %s%s\n", say(lang, "모델 호출:", "model call:"), e.Name, took)
		case agent.EventMemory:
			for _, k := range knownTo([]agent.Event{e}) {
				fmt.Fprintf(&s, "- %s %s (%s)\n", say(lang, "기억:", "memory:"), cmp.Or(k.Text, k.Kind), k.Why)
			}
		case agent.EventSources:
			fmt.Fprintf(&s, "- "+say(lang, "찾은 구절 %d개\n", "%d passages found\n"), len(e.Sources))
		}
	}
	fmt.Fprintf(&s, say(lang, "\n모델 호출 %d번, 토큰 %d개, %s", "\n%d model calls, %d tokens, %s"),
		usage.Calls, usage.Input+usage.Output, r.Ended.Sub(r.Started).Round(time.Millisecond))
	return s.String()
}
