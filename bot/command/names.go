package command

import (
	"context"
	"time"

	"maru/bot"
	"maru/phrase/fit"
)

// namesWait bounds how long a list waits for names: a command is answered within
// three seconds.
const namesWait = time.Second

// names looks up what people call those whom a list names, once each and for a
// second in all. Who is not known is shown by their id.
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

// find looks names up; ids may have some twice.
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

// short is a name, or the id where nobody knows one.
func (n *names) short(id string) string {
	if name := fit.Quoted(n.known[id], 60); name != "" {
		return name
	}
	return "`" + id + "`"
}

// of is a name with its id, by which commands take it; the id alone where nobody
// knows a name.
func (n *names) of(id string) string {
	if name := n.short(id); name != "`"+id+"`" {
		return name + " (`" + id + "`)"
	}
	return "`" + id + "`"
}
