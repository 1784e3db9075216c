package reply

import (
	"maru/adapters/slack/web"
	"maru/adapters/slack/workspace"
)

// Desk writes in one workspace.
type Desk struct {
	Writer  *Writer
	Signs   *Signs
	Asides  *Asides
	Threads *Threads
}

// New returns a desk that writes with the client; spawn runs slow work in the background.
func New(w *web.Client, spawn workspace.Spawn) *Desk {
	replied, l := newThreads(), &trail{web: w}
	r := newStreamer(w, l, replied)
	g := newSigns(w, spawn, r.streams)
	return &Desk{Writer: newWriter(w, r, g, l, replied), Signs: g, Asides: newAsides(w, replied), Threads: replied}
}
