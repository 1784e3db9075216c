package llm

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Budget bounds what one run may spend on models. A zero field is no bound.
type Budget struct {
	Calls  int // calls that reach a model, retries and repairs included
	Tokens int // input and output together
}

// Call tells about one call that a model answered or failed.
type Call struct {
	Purpose Purpose
	Model   string // the model that answered, or was asked
	Usage   Usage
	Took    time.Duration
	First   time.Duration // until the first piece of text, 0 if none came
	Cached  bool          // answered from the cache: nothing was spent
	Cut     bool          // the limit of one reply ended it in the middle
	Err     error
}

// Account is what one run spends on models and who hears of it. It travels in
// the context, as httptrace does, because the models are shared by all runs
// while budget and listeners belong to one. [Metered] charges it; [Retry] and
// [Fallback] report through it. All methods are safe for concurrent use, and so
// must the functions be; they return at once.
type Account struct {
	Budget Budget

	// OnCall hears of every call, in the order in which they ended.
	OnCall func(Call)

	// OnReset says that the text given to onDelta so far is void, because the
	// call is made again: the next piece begins the reply anew. Without it, a
	// call that has given text is never repeated; see [Retry].
	OnReset func(cause error)

	// OnWait says that a call is going to be repeated after wait.
	OnWait func(wait time.Duration, cause error)

	mu    sync.Mutex
	calls int
	used  Usage
}

type accountKey struct{}

// WithAccount returns a context whose model calls are charged to a.
func WithAccount(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// accountOf returns the context's account, or an empty one that nobody reads.
func accountOf(ctx context.Context) *Account {
	if a, ok := ctx.Value(accountKey{}).(*Account); ok && a != nil {
		return a
	}
	return &Account{}
}

// Bounded returns a context whose model calls have a budget of their own and are
// told to the context's account all the same.
func Bounded(ctx context.Context, b Budget) context.Context {
	return WithAccount(ctx, &Account{Budget: b, OnCall: accountOf(ctx).report})
}

// Accounted reports whether anybody hears of the calls that are made with the
// context.
func Accounted(ctx context.Context) bool {
	a, ok := ctx.Value(accountKey{}).(*Account)
	return ok && a != nil
}

// Report tells the context's account of a call that no [Metered] model made, such
// as an embedder's.
func Report(ctx context.Context, c Call) { accountOf(ctx).report(c) }

// Spent returns the calls and tokens charged so far.
func (a *Account) Spent() (calls int, used Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls, a.used
}

// Charge adds calls that were made elsewhere, such as those of the same run
// before a restart.
func (a *Account) Charge(calls int, used Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls += calls
	a.used.Add(used)
}

// reserve takes one call from the budget before it is made, so that calls side
// by side cannot exceed it together. Tokens are known only afterwards: calls
// that run side by side may pass the bound once.
func (a *Account) reserve() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if b := a.Budget.Calls; b > 0 && a.calls >= b {
		return &Error{Class: OverBudget, Detail: fmt.Sprintf("all %d model calls of this run are used", b)}
	}
	if b := a.Budget.Tokens; b > 0 && a.used.Input+a.used.Output >= b {
		return &Error{Class: OverBudget, Detail: fmt.Sprintf("all %d tokens of this run are used", b)}
	}
	a.calls++
	return nil
}

func (a *Account) report(c Call) {
	if !c.Cached {
		a.mu.Lock()
		a.used.Add(c.Usage)
		a.mu.Unlock()
	}
	if a.OnCall != nil {
		a.OnCall(c)
	}
}

func (a *Account) reset(cause error) {
	if a.OnReset != nil {
		a.OnReset(cause)
	}
}

func (a *Account) wait(d time.Duration, cause error) {
	if a.OnWait != nil {
		a.OnWait(d, cause)
	}
}

// Add adds the tokens of v to u.
func (u *Usage) Add(v Usage) {
	u.Input += v.Input
	u.Output += v.Output
	u.Cached += v.Cached
	u.Estimated = u.Estimated || v.Estimated
}
