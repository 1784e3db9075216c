package outbound

import (
	"cmp"
	"context"
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
	t := to.Thread
	switch {
	case t.Direct || t.Team == place.TeamDirect:
		return spot{channel: t.Channel}, nil
	case t.ID == "":
		return spot{channel: t.Channel, replyTo: to.ReplyTo}, nil
	case t.ID == t.Channel: // a thread whose parent is unknown
		return spot{channel: t.ID}, nil
	case s.dir.IsDeleted(t.ID): // do not recreate a deleted thread
		return spot{}, rest.UnknownChannel("answer in a deleted thread")
	}
	isThread, err := s.dir.IsThread(ctx, t.ID)
	if err != nil {
		return spot{}, err
	}
	inChannel := spot{channel: t.Channel, replyTo: cmp.Or(to.ReplyTo, t.ID)}
	switch {
	case isThread:
		return spot{channel: t.ID}, nil
	case s.inChannel && t.ID != to.ReplyTo: // from before answers went into the channel
		return inChannel, nil
	case s.takesNoThreads(t.Channel):
		return inChannel, nil
	}
	err = s.makeThread(ctx, t, to.Title)
	if noThread(err) {
		s.log.WarnContext(ctx, "no thread could be made from the question; answering in the channel", "channel", t.Channel, "err", err)
		return inChannel, nil
	}
	return spot{channel: t.ID}, err
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

// makeThread starts the thread, whose ID is the question's. An existing one counts as success
// if it is still there: where the first was deleted, Discord starts no second one and reports
// the same error.
func (s *Sender) makeThread(ctx context.Context, t bot.Thread, title string) error {
	body := map[string]any{"name": threadName(title), "auto_archive_duration": archiveAfter}
	var c wire.Channel
	err := s.api.Do(ctx, rest.Call{
		Method: http.MethodPost, Path: "/channels/" + t.Channel + "/messages/" + t.ID + "/threads",
		Bucket: "threads/" + t.Channel, Body: body, Out: &c, Again: true, Urgent: true, Within: threadWithin,
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
