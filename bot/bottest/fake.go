// Package bottest has what tests of conversations need: a working fake
// platform ([Platform]) on which people write, replies grow and faults can be
// injected, and the suite that every adapter must pass ([RunAdapter]).
//
// It knows no real platform.
package bottest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/iotest"
	"time"

	"maru/bot"
)

// Platform is a fake chat platform with its adapter. Its zero value is not
// usable; see New.
type Platform struct {
	name  string
	facts bot.Facts

	mu      sync.Mutex
	intake  bot.Intake
	ready   chan struct{}
	next    int
	posts   []*Post
	files   map[string][]byte
	faults  []Fault
	history []bot.Message
	linked  map[string]bot.Quote
	parcels []bot.Parcel
	changed chan struct{}
}

// Post is one reply as people see it.
type Post struct {
	ID      string
	Thread  bot.Thread
	Key     string
	Card    bot.Card
	Edits   int
	Deleted bool
	Seen    []bot.Card // every state it had
}

// Fault makes the next matching call fail.
type Fault struct {
	Op    string // "post", "edit", "find", "upload", "withdraw", "linked", "history" or "fetch"
	Err   error
	After bool // the call takes effect and fails all the same; a fetch breaks off in the middle
}

// New returns a fake platform with this name.
func New(name string) *Platform {
	return &Platform{name: name, ready: make(chan struct{}), files: map[string][]byte{}, changed: make(chan struct{})}
}

var (
	_ bot.Adapter   = (*Platform)(nil)
	_ bot.Editor    = (*Platform)(nil)
	_ bot.Remover   = (*Platform)(nil)
	_ bot.Finder    = (*Platform)(nil)
	_ bot.Fetcher   = (*Platform)(nil)
	_ bot.Uploader  = (*Platform)(nil)
	_ bot.Historian = (*Platform)(nil)
)

// Platform implements bot.Adapter.
func (p *Platform) Platform() string { return p.name }

// Facts implements bot.Adapter.
func (p *Platform) Facts() bot.Facts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.facts
}

// SetFacts changes the facts, which are zero at first.
func (p *Platform) SetFacts(f bot.Facts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.facts = f
}

// Run implements bot.Adapter.
func (p *Platform) Run(ctx context.Context, in bot.Intake) error {
	p.mu.Lock()
	p.intake = in
	close(p.ready)
	p.mu.Unlock()
	<-ctx.Done()
	p.mu.Lock()
	p.ready = make(chan struct{})
	p.mu.Unlock()
	return nil
}

// Intake waits until the bot listens and returns its door.
func (p *Platform) Intake(ctx context.Context) (bot.Intake, error) {
	p.mu.Lock()
	ready := p.ready
	p.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.intake, nil
}

// Thread returns a thread of this platform.
func (p *Platform) Thread(channel, id string) bot.Thread {
	return bot.Thread{Platform: p.name, Team: "T1", Channel: channel, ID: id}
}

// Message returns a message of person user that mentions the bot.
func (p *Platform) Message(user, text string, in bot.Thread) bot.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	id := fmt.Sprintf("m%06d", p.next)
	top := in.ID == "" && !in.Direct
	if top {
		in.ID = id
	}
	return bot.Message{
		ID: id, Thread: in, Top: top, User: bot.User{ID: user, Name: user}, Reach: bot.ReachMention,
		Text: text, At: p.Dated(id),
	}
}

// Dated implements bot.Dater: the platform's clock goes on by a second with every message.
func (p *Platform) Dated(message string) time.Time {
	n, err := strconv.Atoi(strings.TrimPrefix(message, "m"))
	if err != nil {
		return time.Time{}
	}
	return time.Date(2026, 11, 21, 9, 0, n, 0, time.UTC)
}

// Say makes a person write to the bot and returns the message once it is
// accepted.
func (p *Platform) Say(ctx context.Context, user, text string, in bot.Thread) (bot.Message, error) {
	door, err := p.Intake(ctx)
	if err != nil {
		return bot.Message{}, err
	}
	m := p.Message(user, text, in)
	return m, door.Message(ctx, m)
}

// PutFile makes a file that messages can carry.
func (p *Platform) PutFile(name string, content []byte) bot.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := fmt.Sprintf("f%d", len(p.files)+1)
	p.files[id] = content
	return bot.File{ID: id, Name: name, Size: int64(len(content)), Empty: len(content) == 0}
}

// Fail queues faults, each for the next call of its kind.
func (p *Platform) Fail(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, faults...)
}

// Posts returns the replies in a thread that people see, oldest first.
func (p *Platform) Posts(thread bot.Thread) []Post {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Post
	for _, post := range p.posts {
		if post.Thread.Key() == thread.Key() && !post.Deleted {
			out = append(out, *post)
		}
	}
	return out
}

// Await waits until the thread shows n final replies and returns them.
func (p *Platform) Await(ctx context.Context, thread bot.Thread, n int) ([]Post, error) {
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		posts := p.Posts(thread)
		final := 0
		for _, post := range posts {
			if post.Card.Final {
				final++
			}
		}
		if final >= n {
			return posts, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return posts, fmt.Errorf("want %d final replies, have %d: %w", n, final, ctx.Err())
		}
	}
}

// AwaitPost waits until the thread shows a reply that fits and returns it.
func (p *Platform) AwaitPost(ctx context.Context, thread bot.Thread, fits func(Post) bool) (Post, error) {
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		posts := p.Posts(thread)
		for _, post := range posts {
			if fits(post) {
				return post, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Post{}, fmt.Errorf("no reply fits, there are %+v: %w", posts, ctx.Err())
		}
	}
}

func (p *Platform) fault(op string) (Fault, bool) {
	for i, f := range p.faults {
		if f.Op == op {
			p.faults = append(p.faults[:i:i], p.faults[i+1:]...)
			return f, true
		}
	}
	return Fault{}, false
}

func (p *Platform) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// Post implements bot.Adapter.
func (p *Platform) Post(_ context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, failing := p.fault("post")
	if failing && !f.After {
		return bot.Ref{}, f.Err
	}
	p.next++
	post := &Post{ID: fmt.Sprintf("m%06d", p.next), Thread: to.Thread, Key: key, Card: c, Seen: []bot.Card{c}}
	p.posts = append(p.posts, post)
	p.notify()
	if failing {
		return bot.Ref{}, f.Err
	}
	return bot.Ref{Thread: to.Thread, Messages: []string{post.ID}}, nil
}

// Edit implements bot.Editor.
func (p *Platform) Edit(_ context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, failing := p.fault("edit")
	if failing && !f.After {
		return ref, f.Err
	}
	for _, post := range p.posts {
		if len(ref.Messages) == 1 && post.ID == ref.Messages[0] && !post.Deleted {
			post.Card = c
			post.Edits++
			post.Seen = append(post.Seen, c)
			p.notify()
			if failing {
				return ref, f.Err
			}
			return ref, nil
		}
	}
	return ref, &bot.DeliveryError{Op: "edit", Code: "message_not_found", Err: bot.ErrGone}
}

// EditEvery implements bot.Editor.
func (p *Platform) EditEvery() time.Duration { return time.Millisecond }

// Remove implements bot.Remover.
func (p *Platform) Remove(_ context.Context, ref bot.Ref) error {
	for _, id := range ref.Messages {
		p.Delete(id)
	}
	return nil
}

// Find implements bot.Finder.
func (p *Platform) Find(_ context.Context, to bot.Target, key string) (bot.Ref, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, failing := p.fault("find"); failing {
		return bot.Ref{}, false, f.Err
	}
	for _, post := range p.posts {
		if post.Key == key && post.Thread.Key() == to.Thread.Key() && !post.Deleted {
			return bot.Ref{Thread: to.Thread, Messages: []string{post.ID}}, true, nil
		}
	}
	return bot.Ref{}, false, nil
}

// Twins returns the posts with one of the keys, without the known ones.
func (p *Platform) Twins(_ context.Context, to bot.Target, keys, known []string) (out []bot.Ref, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, post := range p.posts {
		if slices.Contains(keys, post.Key) && post.Thread.Key() == to.Thread.Key() && !post.Deleted && !slices.Contains(known, post.ID) {
			out = append(out, bot.Ref{Thread: to.Thread, Messages: []string{post.ID}})
		}
	}
	return out, nil
}

// Doubt does nothing: every edit changes a post.
func (p *Platform) Doubt(bot.Ref) {}

// Delete removes a reply, as a moderator would.
func (p *Platform) Delete(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, post := range p.posts {
		if post.ID == id {
			post.Deleted = true
		}
	}
}

// Fetch implements bot.Fetcher.
func (p *Platform) Fetch(ctx context.Context, f bot.File, most int64) (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.ID == dripping {
		return io.NopCloser(endless{ctx.Done()}), nil
	}
	content, ok := p.files[f.ID]
	if !ok {
		return nil, errors.New("no such file")
	}
	if int64(len(content)) > most {
		return nil, bot.ErrTooLarge
	}
	if fault, ok := p.fault("fetch"); ok && fault.After {
		return io.NopCloser(io.MultiReader(strings.NewReader(string(content[:len(content)/2])), iotest.ErrReader(fault.Err))), nil
	} else if ok {
		return nil, fault.Err
	}
	return io.NopCloser(strings.NewReader(string(content))), nil
}
