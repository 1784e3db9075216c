package llm

import (
	"fmt"
	"sync"
	"time"
)

// Budget bounds what one run may spend on models. A zero field is no bound.
type Budget struct {
	Calls  int     // calls that reach a model, retries and repairs included
	Tokens int     // input and output together
	Cost   float64 // of what [Account.Pay] was told
}

// Within returns the tighter of two budgets, bound by bound.
func (b Budget) Within(o Budget) Budget {
	return Budget{Calls: tighter(b.Calls, o.Calls), Tokens: tighter(b.Tokens, o.Tokens), Cost: tighter(b.Cost, o.Cost)}
}

func tighter[N int | float64](x, y N) N {
	if x <= 0 || y > 0 && y < x {
		return y
	}
	return x
}

// Call tells about one call that a model answered or failed.
type Call struct {
	Purpose Purpose
	Model   string // the model that answered, or was asked

	Endpoint string // host of the service, "" of the built-in model
	Usage    Usage
	Took     time.Duration
	First    time.Duration // until the first piece of text, 0 if none came
	Cached   bool          // answered from the cache: nothing was spent
	Cut      bool          // the limit of one reply ended it in the middle
	Err      error

	Request  *Request  // of a model; nil: of an embedder. A listener must not change it
	Response *Response // to it, without words if the call failed
}

// Account is what one run may spend on models and what happens when a call is
// made again. It is in the [Request]: see [Run]. [Metered] charges it, [Retry]
// and [Fallback] tell it what they do. All methods are safe for concurrent use,
// and so must the functions be; they return at once.
type Account struct {
	Budget Budget

	// OnReset says that the text given to onDelta so far is void, because the
	// call is made again: the next piece begins the reply again. Without it, a
	// call that has given text is never repeated; see [Retry].
	OnReset func(cause error)

	// OnWait says that a call is going to be repeated after wait.
	OnWait func(wait time.Duration, cause error)

	// OnQueue says that a call waits for its turn at a busy endpoint and how many questions are
	// before it; 0: it is sent now.
	OnQueue func(before int)

	Who   string    // asked the question; "" if it does not matter
	Began time.Time // when it was asked: at a busy endpoint older questions go first

	mu    sync.Mutex
	calls int
	used  Usage
	paid  float64
}

// account returns the request's account, or an empty one that nobody reads.
func (r Request) account() *Account {
	if r.Account == nil {
		return &Account{}
	}
	return r.Account
}

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

// Pay adds the cost of a call, which a budget in money counts.
func (a *Account) Pay(cost float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.paid += cost
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
	if b := a.Budget.Cost; b > 0 && a.paid >= b {
		return &Error{Class: OverBudget, Detail: "the money of this run is used"}
	}
	a.calls++
	return nil
}

func (a *Account) reset(cause error) {
	if a.OnReset != nil {
		a.OnReset(cause)
	}
}

// Void announces that the text which a call has given so far is void, see OnReset; false if nobody
// can be told.
func (a *Account) Void(cause error) bool {
	if a == nil || a.OnReset == nil {
		return false
	}
	a.OnReset(cause)
	return true
}

func (a *Account) wait(d time.Duration, cause error) {
	if a.OnWait != nil {
		a.OnWait(d, cause)
	}
}

// Queued tells the account, which may be nil, that a call waits; see OnQueue.
func (a *Account) Queued(before int) {
	if a != nil && a.OnQueue != nil {
		a.OnQueue(before)
	}
}

// Add adds the tokens of v to u.
func (u *Usage) Add(v Usage) {
	u.Input += v.Input
	u.Output += v.Output
	u.Cached += v.Cached
	u.Estimated = u.Estimated || v.Estimated
}
