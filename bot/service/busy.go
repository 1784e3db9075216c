package service

import (
	"maru/bot/inbox"
)

// threads are those on which this process works, as other rooms see them.
type threads struct {
	*inbox.Workers
	active *activeRuns
}

// BusyBeside implements approval.Threads.
func (t threads) BusyBeside(thread, run string) bool { return t.active.other(thread, run) }

// Busy implements reply.Workers.
func (t threads) Busy(thread string) bool {
	return t.Has(thread) || t.active.other(thread, "")
}
