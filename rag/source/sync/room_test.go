package sync

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestWhoeverWaitsForTheRoomCanStop: one who wants it alone keeps others out only while waiting, and whoever is cancelled
// leaves no seat taken.
func TestWhoeverWaitsForTheRoomCanStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(3)
		reads, err := r.enter(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		for _, alone := range []bool{true, false} {
			go func() {
				_, err := r.enter(ctx, alone)
				ended <- err
			}()
			synctest.Wait() // the second comes when the first waits
		}
		if len(ended) > 0 {
			t.Fatal("somebody has not waited")
		}
		cancel()
		for range 2 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		reads()
		for range 2 {
			leave, err := r.enter(t.Context(), true)
			if err != nil || len(r.seats) != 3 {
				t.Fatal(len(r.seats), err)
			}
			leave()
		}
	})
}
