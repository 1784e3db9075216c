package discordfake

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Fail queues faults.
func (f *Fake) Fail(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range faults {
		x.Times = max(x.Times, 1)
		f.faults = append(f.faults, x)
	}
}

// Heal removes all queued faults.
func (f *Fake) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// Journal returns all requests to the REST API, in order.
func (f *Fake) Journal() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.journal)
}

// Count returns how many requests had this method and this part of a path.
func (f *Fake) Count(method, path string) int {
	n := 0
	for _, c := range f.Journal() {
		if c.Method == method && strings.Contains(c.Path, path) {
			n++
		}
	}
	return n
}

// Violations returns the rules that the bot broke.
func (f *Fake) Violations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.violations)
}

// ForgiveViolations forgets them, for tests that break rules on purpose.
func (f *Fake) ForgiveViolations() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.violations = nil
}

func (f *Fake) violate(format string, args ...any) {
	f.violations = append(f.violations, fmt.Sprintf(format, args...))
}

func (f *Fake) notify() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// Await waits until cond holds, checking it after every change.
func (f *Fake) Await(ctx context.Context, cond func() bool) error {
	for {
		f.mu.Lock()
		changed := f.changed
		f.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// AwaitAnswers waits until the bot has at least n messages in a channel or
// thread (a question's thread has the question's id) and returns them.
func (f *Fake) AwaitAnswers(ctx context.Context, channel string, n int) ([]Message, error) {
	err := f.Await(ctx, func() bool { return len(f.BotMessages(channel)) >= n })
	return f.BotMessages(channel), err
}
