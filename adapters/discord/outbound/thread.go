package outbound

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"maru/adapters/discord/place"
	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

const (
	archiveAfter  = 1440 // minutes of silence after which Discord archives a thread
	maxThreadName = 100
	// threadWithin is how long an answer waits for its channel's limit of threads. Discord lets a channel make only so many
	// in some minutes, and the bot is not told how many.
	threadWithin = 10 * time.Second
)

// spot is a destination: a channel and optionally a message there to reply to.
type spot struct {
	channel string
	replyTo string
}

// target resolves the destination of an answer, starting the thread from the question if
// necessary.
func (s *Sender) target(ctx context.Context, to bot.Target) (spot, error) {
	at, missing, err := s.place(ctx, to)
	if err != nil || !missing {
		return at, err
	}
	err = s.makeThread(ctx, to.Thread, to.Title, true)
	if noThread(err) {
		s.log.WarnContext(ctx, "no thread could be made from the question; answering in the channel", "channel", to.Thread.Channel, "err", err)
		return inChannel(to), nil
	}
	return at, err
}

// place returns the destination of an answer, and whether it is a thread that is still missing.
func (s *Sender) place(ctx context.Context, to bot.Target) (at spot, missing bool, err error) {
	t := to.Thread
	switch {
	case t.Direct || t.Team == place.TeamDirect:
		return spot{channel: t.Channel}, false, nil
	case t.ID == "":
		return spot{channel: t.Channel, replyTo: to.ReplyTo}, false, nil
	case t.ID == t.Channel: // a thread whose parent is unknown
		return spot{channel: t.ID}, false, nil
	case s.dir.IsDeleted(t.ID): // do not recreate a deleted thread
		return spot{}, false, rest.UnknownChannel("answer in a deleted thread")
	}
	isThread, err := s.dir.IsThread(ctx, t.ID)
	switch {
	case err != nil:
		return spot{}, false, err
	case isThread:
		return spot{channel: t.ID}, false, nil
	case s.inChannel && t.ID != to.ReplyTo: // from before answers went into the channel
		return inChannel(to), false, nil
	case s.takesNoThreads(t.Channel):
		return inChannel(to), false, nil
	}
	return spot{channel: t.ID}, true, nil
}

// inChannel returns the destination of an answer to a question that has no thread.
func inChannel(to bot.Target) spot {
	return spot{channel: to.Thread.Channel, replyTo: cmp.Or(to.ReplyTo, to.Thread.ID)}
}

// Prepare starts the thread of an answer while the answer is made. Where that fails or would have to wait, the
// answer starts it.
func (s *Sender) Prepare(ctx context.Context, to bot.Target) {
	_, missing, err := s.place(ctx, to)
	if err == nil && missing {
		err = s.makeThread(ctx, to.Thread, to.Title, false)
	}
	if err != nil {
		s.log.DebugContext(ctx, "discord thread not made ahead of its answer", "channel", to.Thread.Channel, "err", err)
	}
}

// making is the start of a thread that is in progress.
type making struct {
	done chan struct{}
	err  error // set before done is closed
}

// makeThread starts a thread, or waits for a start that is in progress: Discord refuses a second one.
func (s *Sender) makeThread(ctx context.Context, t bot.Thread, title string, urgent bool) error {
	m := &making{done: make(chan struct{})}
	for {
		first, busy := s.making.LoadOrStore(t.ID, m)
		if !busy {
			break
		}
		other, _ := first.(*making)
		select {
		case <-other.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if other.err == nil {
			return nil
		}
	}
	m.err = errors.New("discord: the start of a thread broke off") // of a panic
	defer func() {
		s.making.Delete(t.ID)
		close(m.done)
	}()
	if c, ok := s.dir.Known(t.ID); ok && c.IsThread() { // another start has ended since the caller looked
		m.err = nil
		return nil
	}
	m.err = s.startThread(ctx, t, title, urgent)
	return m.err
}

// noThread reports whether an error concerns only the thread: not the token, not a deleted
// question, and nothing temporary but a long wait for the thread.
func noThread(err error) bool {
	switch rest.CodeOf(err) {
	case rest.CodeUnknownChannel, rest.CodeUnknownMessage, rest.CodeUnknownGuild:
		return false
	}
	status := rest.StatusOf(err)
	return status >= 400 && status < 500 && status != http.StatusUnauthorized
}

// takesNoThreads reports whether a channel is known to support no threads, such as a voice
// channel.
func (s *Sender) takesNoThreads(id string) bool {
	c, ok := s.dir.Known(id)
	return ok && (c.Type == wire.ChannelVoice || c.Type == wire.ChannelStage)
}

// startThread starts the thread, whose ID is the question's. An existing one counts as success
// if it is still there: where the first was deleted, Discord starts no second one and reports
// the same error.
func (s *Sender) startThread(ctx context.Context, t bot.Thread, title string, urgent bool) error {
	body := map[string]any{"name": threadName(title), "auto_archive_duration": archiveAfter}
	var c wire.Channel
	err := s.api.Do(ctx, rest.Call{
		Method: http.MethodPost, Path: "/channels/" + t.Channel + "/messages/" + t.ID + "/threads",
		Bucket: "threads/" + t.Channel, Body: body, Out: &c, Again: urgent, Urgent: urgent, Within: threadWithin,
	})
	if rest.CodeOf(err) == rest.CodeHasThread {
		there := s.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/channels/" + t.ID, Bucket: "channel/" + t.ID, Out: &c, Again: true, Urgent: true})
		if rest.StatusOf(there) == http.StatusNotFound {
			return err
		}
		err = there
	}
	if err != nil {
		return err
	}
	if c.ID != t.ID {
		c = wire.Channel{ID: t.ID, Type: 11, OwnerID: s.me.ID()}
	}
	c.ParentID, c.GuildID = t.Channel, t.Team
	s.dir.NoteThread(c)
	return nil
}

// threadName bounds a title to 100 characters and makes it non-empty.
func threadName(title string) string {
	s := fit.Clip(render.OneLine(strings.ReplaceAll(title, markdown.Breaker, "")), maxThreadName)
	return cmp.Or(s, "Maru")
}

// unarchive reopens an archived thread.
func (s *Sender) unarchive(ctx context.Context, id string) error {
	return s.api.Do(ctx, rest.Call{
		Method: http.MethodPatch, Path: "/channels/" + id, Bucket: "unarchive/" + id,
		Body: map[string]any{"archived": false}, Again: true, Urgent: true,
	})
}
