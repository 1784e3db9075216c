package reply

import (
	"maru/adapters/lanes/cache"
)

// Threads knows which threads have a reply.
type Threads struct{ known *cache.Cache[string, bool] }

func newThreads() *Threads { return &Threads{known: cache.New[string, bool](8192)} }

// NoteReply records that a thread has a reply.
func (t *Threads) NoteReply(channel, thread string) {
	if thread != "" {
		t.known.Add(channel+" "+thread, true)
	}
}

// replied reports whether a thread is known to have a reply.
func (t *Threads) replied(channel, thread string) bool {
	known, _ := t.known.Get(channel + " " + thread)
	return known
}
