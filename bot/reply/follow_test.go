package reply

import (
	"testing"
	"testing/synctest"
	"time"

	"maru/bot"
)

// TestFollowerOfAClosedFeedLooksAtTheRecordNowAndThen takes away what carries live
// events, as when Redis' client is closed: the record is read at its pace, not as fast
// as a loop turns.
func TestFollowerOfAClosedFeedLooksAtTheRecordNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		far := make(chan []byte)
		close(far)
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		n := news{far: far, tick: tick.C}
		for i := range 3 {
			begun := time.Now()
			ended, err := n.await(t.Context(), "run-1", func(bot.Feed) error { return nil })
			if ended || err != nil || time.Since(begun) != followEvery {
				t.Errorf("look %d came after %v: ended %t, %v", i+1, time.Since(begun), ended, err)
			}
		}
	})
}
