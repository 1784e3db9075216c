package command

import (
	"context"
	"encoding/json"

	"maru/agent"
	"maru/bot"
)

// fillIn adds the texts of memory records to a run's events, for the person they are about.
// Traces are stored without them, so that deleting a record leaves nothing behind.
func (me *Memory) fillIn(ctx context.Context, r bot.Run, u bot.User, events []agent.Event) {
	if me.memory == nil || u.ID != r.User || len(agent.KnownIn(events)) == 0 {
		return
	}
	t, err := bot.ParseThread(r.Thread)
	if err != nil {
		return
	}
	known, err := me.memory.Known(ctx, t.Person(u))
	if err != nil {
		me.log.WarnContext(ctx, "read memory for a trace", "run", r.ID, "err", err)
		return
	}
	texts := map[string]string{}
	for _, k := range known {
		texts[k.ID] = k.Text
	}
	for i, e := range events {
		if e.Kind != agent.EventMemory {
			continue
		}
		list := agent.KnownIn([]agent.Event{e})
		for j := range list {
			list[j].Text = texts[list[j].ID]
		}
		if raw, err := json.Marshal(list); err == nil {
			events[i].Data = raw
		}
	}
}
