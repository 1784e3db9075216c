package console

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"maru/bot"
)

var (
	_ bot.Adapter  = (*Door)(nil)
	_ bot.Editor   = (*Door)(nil)
	_ bot.Uploader = (*Door)(nil)
)

// Door lets other processes of the owner ask a running program, and hold conversations in it. Each question has an [Asker] of its own,
// each conversation an [Adapter]. An answer whose caller has left is kept in the transcript only.
type Door struct {
	nobody *Asker
	open   chan struct{} // closed once the bot runs
	in     bot.Intake

	mu     sync.Mutex
	askers map[string]*visit // by conversation
	chats  []*Adapter
}

// visit is a question that waits for its answer.
type visit struct {
	asker *Asker
	ended chan struct{}
}

// NewDoor returns a door of a program that nobody asks yet. files is the folder for files of questions whose callers left.
func NewDoor(files string) *Door {
	return &Door{nobody: NewAsker(Config{Out: io.Discard, Files: files}, false), open: make(chan struct{}), askers: map[string]*visit{}}
}

// Platform implements bot.Adapter.
func (*Door) Platform() string { return platform }

// Facts implements bot.Adapter.
func (d *Door) Facts() bot.Facts { return d.nobody.Facts() }

// Run implements bot.Adapter; Ask does the work.
func (d *Door) Run(ctx context.Context, in bot.Intake) error {
	d.in = in
	close(d.open)
	<-ctx.Done()
	return nil
}

// Ask asks a question as [Asker.Ask] does. Questions in one conversation are asked one after another.
func (d *Door) Ask(ctx context.Context, cfg Config, asJSON bool, question string) int {
	cfg.setDefaults()
	if cfg.Thread == "" {
		cfg.Thread = "ask-" + cfg.NewID()
	}
	v := &visit{NewAsker(cfg, asJSON), make(chan struct{})}
	key := thread(cfg.Thread).Key()
	if !d.enter(ctx, key, v) {
		return v.asker.end(ExitFailed, bot.Card{}, word(v.asker.lang, "ask.stopped"))
	}
	defer func() {
		d.mu.Lock()
		delete(d.askers, key)
		d.mu.Unlock()
		v.asker.close()
		close(v.ended)
	}()
	return v.asker.Ask(ctx, d.in, question)
}

// Chat holds a conversation as [Adapter.Run] does, until the person leaves or ctx ends.
func (d *Door) Chat(ctx context.Context, cfg Config) error {
	select {
	case <-d.open:
	case <-ctx.Done():
		return ctx.Err()
	}
	a := New(cfg)
	d.mu.Lock()
	d.chats = append(d.chats, a)
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.chats = slices.DeleteFunc(d.chats, func(c *Adapter) bool { return c == a })
		d.mu.Unlock()
		a.close()
	}()
	return a.Run(ctx, d.in)
}

// enter waits until the bot runs and nobody else waits in the conversation; false: ctx ended first.
func (d *Door) enter(ctx context.Context, key string, v *visit) bool {
	before := (<-chan struct{})(d.open)
	for {
		select {
		case <-before:
		case <-ctx.Done():
			return false
		}
		d.mu.Lock()
		other := d.askers[key]
		if other == nil {
			d.askers[key] = v
		}
		d.mu.Unlock()
		if other == nil {
			return true
		}
		before = other.ended
	}
}

// at returns all who wait in a conversation or have it open; they may be several, and each may wait for the answer.
func (d *Door) at(t bot.Thread) []*screen {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*screen
	if v := d.askers[t.Key()]; v != nil {
		all = append(all, v.asker.screen)
	}
	for _, c := range d.chats {
		if c.has(t) {
			all = append(all, c.screen)
		}
	}
	if len(all) == 0 {
		all = append(all, d.nobody.screen)
	}
	return all
}

// Away reports whether nobody has a conversation open. Who asks a question in it leaves with the answer.
func (d *Door) Away(t bot.Thread) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !slices.ContainsFunc(d.chats, func(c *Adapter) bool { return c.has(t) })
}

// Post implements bot.Adapter. All screens give a post the same reference.
func (d *Door) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (ref bot.Ref, err error) {
	for _, s := range d.at(to.Thread) {
		var failed error
		ref, failed = s.Post(ctx, to, c, key)
		err = errors.Join(err, failed)
	}
	return ref, err
}

// Edit implements bot.Editor.
func (d *Door) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	var err error
	for _, s := range d.at(ref.Thread) {
		_, failed := s.Edit(ctx, ref, c)
		err = errors.Join(err, failed)
	}
	return ref, err
}

// EditEvery implements bot.Editor.
func (d *Door) EditEvery() time.Duration { return d.nobody.EditEvery() }

// Upload implements bot.Uploader.
func (d *Door) Upload(ctx context.Context, p bot.Parcel) error {
	var err error
	for _, s := range d.at(p.To.Thread) {
		err = errors.Join(err, s.Upload(ctx, p))
	}
	return err
}
