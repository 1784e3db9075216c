package bottest

import (
	"context"

	"maru/bot"
)

// Drip makes a file that sends bytes until its reader stops.
func (p *Platform) Drip(name string) bot.File {
	return bot.File{ID: dripping, Name: name}
}

// dripping is the ID of a file without an end.
const dripping = "dripping"

// endless is a body that waits for its context.
type endless struct{ done <-chan struct{} }

func (e endless) Read([]byte) (int, error) {
	<-e.done
	return 0, context.DeadlineExceeded
}
