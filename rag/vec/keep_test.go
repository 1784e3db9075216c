package vec_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"maru/rag/vec"
)

// TestKeeperComesBack notes when a keeper works whose embedder is away at first.
func TestKeeperComesBack(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for name, c := range map[string]struct {
		poll  time.Duration
		fails int // the first so many times
		wake  []time.Duration
		want  []time.Duration
	}{
		"only_when_woken":                {wake: []time.Duration{7 * s, 9 * s}, want: []time.Duration{0, 7 * s, 9 * s}},
		"every_so_often":                 {poll: 100 * s, want: []time.Duration{0, 100 * s, 200 * s}},
		"less_often_after_failures":      {fails: 4, want: []time.Duration{0, 2 * s, 6 * s, 14 * s, 30 * s}},
		"at_once_after_a_failure_too":    {fails: 1, wake: []time.Duration{s}, want: []time.Duration{0, s}},
		"woken_it_is_no_more_patient":    {fails: 3, wake: []time.Duration{s}, want: []time.Duration{0, s, 3 * s, 7 * s}},
		"a_success_ends_the_patience":    {poll: 100 * s, fails: 2, want: []time.Duration{0, 2 * s, 6 * s, 106 * s, 206 * s}},
		"never_longer_than_five_minutes": {fails: 9, want: []time.Duration{0, 2 * s, 6 * s, 14 * s, 30 * s, 62 * s, 126 * s, 254 * s, 510 * s, 810 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), c.want[len(c.want)-1]+s/2)
				defer stop()
				begun, wake := time.Now(), make(chan struct{}, 1)
				for _, at := range c.wake {
					time.AfterFunc(at, func() { wake <- struct{}{} })
				}
				var worked []time.Duration
				fill := func(context.Context) error {
					if worked = append(worked, time.Since(begun)); len(worked) <= c.fails {
						return errors.New("the model is away")
					}
					return nil
				}
				vec.Keeper{Fill: fill, Wake: wake, Poll: c.poll, Log: slog.New(slog.DiscardHandler)}.Run(ctx)
				if !slices.Equal(worked, c.want) {
					t.Errorf("worked at %v, want %v", worked, c.want)
				}
			})
		})
	}
}
