package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/audit"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/datatest"
)

// errDead is what a process that was killed would not even get to see.
var errDead = errors.New("killed")

// mortal kills a process at its n-th step: a commit of the record or a call of
// the platform. From then on nothing that it does has an effect.
type mortal struct {
	mu    sync.Mutex
	left  int
	after bool // the last step takes effect before it dies
	dead  chan struct{}
}

func newMortal(n int, after bool) *mortal {
	return &mortal{left: n, after: after, dead: make(chan struct{})}
}

// step runs do, unless the process is dead or dies before it.
func (m *mortal) step(do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.dead:
		return errDead
	default:
	}
	m.left--
	if m.left > 0 {
		return do()
	}
	if m.after {
		_ = do()
	}
	close(m.dead)
	return errDead
}

func (m *mortal) died() bool {
	select {
	case <-m.dead:
		return true
	default:
		return false
	}
}

// mortalRecord dies at commits.
type mortalRecord struct {
	bot.Record
	m *mortal
}

func (r *mortalRecord) Put(ctx context.Context, it bot.Item) (fresh bool, err error) {
	err = r.m.step(func() (e error) { fresh, e = r.Record.Put(ctx, it); return e })
	return fresh, err
}

func (r *mortalRecord) Amend(ctx context.Context, thread, id string, c bot.Change, with *bot.Item) (fresh bool, err error) {
	err = r.m.step(func() (e error) { fresh, e = r.Record.Amend(ctx, thread, id, c, with); return e })
	return fresh, err
}

func (r *mortalRecord) Begin(ctx context.Context, it bot.Item, owner string, ttl time.Duration) (fresh bool, l bot.Lease, first bot.Item, err error) {
	err = r.m.step(func() (e error) { fresh, l, first, e = r.Record.Begin(ctx, it, owner, ttl); return e })
	if err != nil {
		return false, bot.Lease{}, bot.Item{}, err
	}
	return fresh, l, first, nil
}

func (r *mortalRecord) Take(ctx context.Context, thread, owner string, ttl time.Duration) (l bot.Lease, it bot.Item, ok bool, err error) {
	err = r.m.step(func() (e error) { l, it, ok, e = r.Record.Take(ctx, thread, owner, ttl); return e })
	return l, it, ok && err == nil, err
}

func (r *mortalRecord) Claim(ctx context.Context, thread, owner string, ttl time.Duration, but ...string) (l bot.Lease, ok bool, err error) {
	if r.m.died() {
		return l, false, errDead
	}
	return r.Record.Claim(ctx, thread, owner, ttl, but...)
}

func (r *mortalRecord) Next(ctx context.Context, l bot.Lease) (it bot.Item, ok bool, err error) {
	err = r.m.step(func() (e error) { it, ok, e = r.Record.Next(ctx, l); return e })
	return it, ok, err
}

func (r *mortalRecord) Renew(ctx context.Context, l bot.Lease, ttl time.Duration) (bot.Lease, error) {
	if r.m.died() {
		return l, errDead
	}
	return r.Record.Renew(ctx, l, ttl)
}

func (r *mortalRecord) Release(ctx context.Context, l bot.Lease) error {
	return r.m.step(func() error { return r.Record.Release(ctx, l) })
}

func (r *mortalRecord) Open(ctx context.Context, l bot.Lease, p bot.Reply) (stored bot.Reply, created bool, err error) {
	err = r.m.step(func() (e error) { stored, created, e = r.Record.Open(ctx, l, p); return e })
	return stored, created, err
}

func (r *mortalRecord) SetRef(ctx context.Context, l bot.Lease, run string, ref bot.Ref) error {
	return r.m.step(func() error { return r.Record.SetRef(ctx, l, run, ref) })
}

func (r *mortalRecord) StopPending(ctx context.Context, s bot.PendingStop) (items []string, err error) {
	err = r.m.step(func() (e error) { items, e = r.Record.StopPending(ctx, s); return e })
	return items, err
}

func (r *mortalRecord) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	return r.m.step(func() error { return r.Record.Finish(ctx, l, item, out) })
}

func (r *mortalRecord) SaveRun(ctx context.Context, run bot.Run) error {
	return r.m.step(func() error { return r.Record.SaveRun(ctx, run) })
}

func (r *mortalRecord) CreateApproval(ctx context.Context, l bot.Lease, a bot.Approval) error {
	return r.m.step(func() error { return r.Record.CreateApproval(ctx, l, a) })
}

func (r *mortalRecord) PostedApproval(ctx context.Context, id string, ref bot.Ref, due time.Time) error {
	return r.m.step(func() error { return r.Record.PostedApproval(ctx, id, ref, due) })
}

func (r *mortalRecord) Decide(ctx context.Context, v bot.Vote) (a bot.Approval, err error) {
	err = r.m.step(func() (e error) { a, e = r.Record.Decide(ctx, v); return e })
	return a, err
}

func (r *mortalRecord) AppendAudit(ctx context.Context, e audit.Entry) (out audit.Entry, err error) {
	err = r.m.step(func() (e2 error) { out, e2 = r.Record.AppendAudit(ctx, e); return e2 })
	return out, err
}

// mortalPlatform dies at what the platform is asked.
type mortalPlatform struct {
	*platform
	m    *mortal
	late time.Duration // before a message that a reply left is closed: what follows overtakes that
}

func (p *mortalPlatform) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (ref bot.Ref, err error) {
	err = p.m.step(func() (e error) { ref, e = p.platform.Post(ctx, to, c, key); return e })
	return ref, err
}

func (p *mortalPlatform) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (out bot.Ref, err error) {
	out = ref
	if c.Kind == bot.CardNotice {
		time.Sleep(p.late)
	}
	err = p.m.step(func() (e error) { out, e = p.platform.Edit(ctx, ref, c); return e })
	return out, err
}

func (p *mortalPlatform) Remove(ctx context.Context, ref bot.Ref) error {
	time.Sleep(p.late)
	return p.m.step(func() error { return p.platform.Remove(ctx, ref) })
}

// TestKilledBetweenAnyTwoCommits has the process of an approval die at every step
// from the message to the final answer, before it or just after, and the next one
// finish: one reply with the final text, one decision, nothing left over. Where nobody is
// notified of edits, question and answer are a message each.
func TestKilledBetweenAnyTwoCommits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		facts bot.Facts
		late  time.Duration
	}{"one message": {}, "new messages": {facts: bot.Facts{SilentEdits: true}}, "closed late": {bot.Facts{SilentEdits: true}, 10 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var places int
			stride, least := 1, 20
			if datatest.Short(t) {
				stride, least = 3, 7
			}
			for _, after := range []bool{false, true} {
				for n := 1; ; n += stride {
					if !killedAt(t, c.facts, c.late, n, after) || t.Failed() {
						break
					}
					places++
				}
			}
			if places < least {
				t.Errorf("the process could be killed in %d places only", places)
			}
			t.Logf("%d boundaries, all finished with one answer", places)
		})
	}
}

// killedAt lives through the flow with a process that dies at step n; false if
// the flow has no such step.
func killedAt(t *testing.T, facts bot.Facts, late time.Duration, n int, after bool) bool {
	t.Helper()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "half of it"})
		time.Sleep(3 * late) // a draft is posted, which the question leaves
		return asking(ctx, req, sink)
	})
	w.stop()
	w.platform.SetFacts(facts)
	life := newMortal(n, after)
	w.change = func(c *service.Config) {
		c.Record, c.Adapters = &mortalRecord{c.Record, life}, []bot.Adapter{&mortalPlatform{w.platform, life, late}}
	}
	w.start()
	again := func() { // the next process
		w.stop()
		w.change = nil
		w.start()
	}
	// The platform delivers again what was not taken.
	m := w.platform.Message("U1", "send a mail", w.platform.Thread("C1", ""))
	defer func() {
		if t.Failed() {
			rows, err := w.store.PendingApprovals(w.ctx, m.Thread.Key(), 10)
			jobs, oldest, _ := w.store.PendingJobs(w.ctx) // zero says as much
			t.Logf("step %d, after %v, died %v: posts %+v; pending %+v, %v; %d jobs since %v", n, after, life.died(), w.platform.Posts(m.Thread), rows, err, jobs, oldest)
		}
	}()
	if err := w.bot.Message(w.ctx, m); err != nil {
		again()
		w.deliver(m)
	}
	card, ok := cardOrDeath(w, m, life)
	if !ok {
		again()
		card, _ = cardOrDeath(w, m, newMortal(1<<30, false))
	}
	// The person clicks until something happens.
	a := click(m, card.Buttons[0], "U1")
	if ans, err := w.bot.Action(w.ctx, a); err != nil {
		again()
		if ans, err = w.bot.Action(w.ctx, a); err != nil || ans.Card != nil && !strings.Contains(ans.Card.Text, "approved") {
			t.Errorf("step %d: the click after the restart: %+v, %v", n, ans, err)
		}
	}
	closed := func() bool { // what the reply left: by a job, if the process died first
		posts := w.platform.Posts(m.Thread)
		return !facts.SilentEdits || len(posts) == 2 && posts[0].Card.Final
	}
	w.until("it dies or the reply is final", func() bool { return life.died() || finals(w, m) && closed() })
	if life.died() && w.change != nil {
		again()
	}
	if _, err := w.platform.Await(w.ctx, m.Thread, 1); err != nil {
		t.Fatalf("step %d: %v", n, err)
	}
	w.settled()
	w.until("what the reply left is closed", closed)
	posts := w.platform.Posts(m.Thread)
	last := posts[len(posts)-1].Card
	if last.Text != "sent, says fake/T1/U1" || len(last.Buttons) != 0 {
		t.Errorf("step %d, after %v: %+v", n, after, posts)
	}
	switch {
	case !facts.SilentEdits && len(posts) != 1:
		t.Errorf("step %d, after %v: %d messages: %+v", n, after, len(posts), posts)
	case facts.SilentEdits && (len(posts) != 2 || len(posts[0].Card.Buttons) > 0 || len(posts[0].Card.Fields) != 1 || !posts[0].Card.Final):
		t.Errorf("step %d, after %v: want the question with its decision, then the answer: %+v", n, after, posts)
	}
	rows, err := w.store.RunApprovals(w.ctx, m.Thread.Key(), card.Run, 10)
	if err != nil || len(rows) != 1 || rows[0].State != bot.ApprovalDecided {
		t.Errorf("step %d: approvals %+v, %v", n, rows, err)
	}
	if entries, err := w.store.Transcript(w.ctx, m.Thread.Key(), 10); err != nil || len(entries) != 2 {
		t.Errorf("step %d: transcript %+v, %v", n, entries, err)
	}
	for _, req := range w.agent.asked() {
		if len(req.Decisions) > 0 && (req.Decisions[0].By != "fake/T1/U1" || !json.Valid(req.Decisions[0].Value)) {
			t.Errorf("step %d: told %+v", n, req.Decisions)
		}
	}
	w.stop()
	return life.died()
}

func finals(w *world, m bot.Message) bool {
	for _, p := range w.platform.Posts(m.Thread) {
		if p.Card.Final {
			if n, _, err := w.store.Pending(w.ctx, ""); err == nil && n == 0 {
				return true
			}
		}
	}
	return false
}

// cardOrDeath waits for the card that asks; false if the process died before.
func cardOrDeath(w *world, m bot.Message, life *mortal) (bot.Card, bool) {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	go func() {
		select {
		case <-life.dead:
			cancel()
		case <-ctx.Done():
		}
	}()
	p, err := w.platform.AwaitPost(ctx, m.Thread, func(p bottest.Post) bool { return len(p.Card.Buttons) > 0 })
	return p.Card, err == nil
}
