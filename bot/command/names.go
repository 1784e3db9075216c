package command

import (
	"context"
	"time"

	"maru/bot"
	"maru/phrase/fit"
)

// namesWait is the deadline for all names of a list: platforms want an answer to a command
// within three seconds.
const namesWait = time.Second

// names looks up display names for a list, once each. IDs without a name are shown as they
// are.
type names struct {
	namer bot.Namer
	at    bot.Thread
	known map[string]string
}

// namesOf returns the names of a thread's place.
func namesOf(p bot.Platforms, t bot.Thread) *names {
	n := &names{at: t, known: map[string]string{}}
	n.namer, _ = p[t.Platform].(bot.Namer)
	return n
}

// find looks up names; ids may contain duplicates.
func (n *names) find(ctx context.Context, ids []string) {
	if n.namer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, namesWait)
	defer cancel()
	for _, id := range ids {
		if _, asked := n.known[id]; asked || id == "" || ctx.Err() != nil {
			continue
		}
		n.known[id] = n.namer.NameOf(ctx, n.at, id)
	}
}

// short returns the name, or the ID if there is none.
func (n *names) short(id string) string {
	if name := fit.Quoted(n.known[id], 60); name != "" {
		return name
	}
	return "`" + id + "`"
}

// of returns the name with its ID, which commands accept, or the ID alone.
func (n *names) of(id string) string {
	if name := n.short(id); name != "`"+id+"`" {
		return name + " (`" + id + "`)"
	}
	return "`" + id + "`"
}
