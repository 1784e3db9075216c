package checkup_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"maru/cmd/maru/checkup"
)

// TestResult: a slow check goes on in the background, is not begun twice, and its result is reported once known.
func TestResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries, bad := 0, errors.New("bad")
		c := checkup.New(time.Second, func(ctx context.Context) error {
			tries++
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Minute):
				return bad
			}
		})
		for range 3 {
			if known, err := c.Result(t.Context()); known || err != nil {
				t.Fatal(known, err)
			}
		}
		time.Sleep(time.Minute)
		if known, err := c.Result(t.Context()); !known || !errors.Is(err, bad) || tries != 1 {
			t.Errorf("known %t, %v after %d tries", known, err, tries)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if known, err := c.Result(gone); known || err != nil {
			t.Error(known, err)
		}
		if err := c.Close(); err != nil || tries != 2 {
			t.Errorf("%v after %d tries", err, tries)
		}
		if known, err := c.Result(t.Context()); !known || !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: known %t, %v", known, err)
		}
	})
}

// TestOldResult: the result of a try whose callers left is reported for a minute, and not hours later.
func TestOldResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		later time.Duration
		want  int
	}{"soon": {30 * time.Second, 1}, "hours later": {8 * time.Hour, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				check := checkup.New(time.Second, func(context.Context) error {
					if tries++; tries > 1 {
						return nil
					}
					time.Sleep(2 * time.Second)
					return errors.New("bad")
				})
				if known, err := check.Result(t.Context()); known || err != nil {
					t.Fatal(known, err)
				}
				time.Sleep(2*time.Second + c.later)
				if known, err := check.Result(t.Context()); !known || tries != c.want || (err != nil) != (c.want == 1) {
					t.Errorf("known %t, %v after %d tries", known, err, tries)
				}
				if err := check.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
