package slack

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/slack/cache"
)

// threads knows which threads have a reply.
type threads struct{ known *lru.Cache[string, bool] }

func newThreads() *threads { return &threads{known: cache.New[string, bool](8192)} }

// noteReply remembers that a thread has a reply.
func (t *threads) noteReply(channel, thread string) {
	if thread != "" {
		t.known.Add(channel+" "+thread, true)
	}
}

// replied reports whether a thread is known to have a reply.
func (t *threads) replied(channel, thread string) bool {
	known, _ := t.known.Get(channel + " " + thread)
	return known
}
