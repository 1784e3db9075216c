package reply

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase"
)

// stream is a native stream that this process has open. It shows a task for the whole reply,
// the plan's steps, and the text, which only grows: sent is the confirmed text, and a text
// that does not continue it ends the stream (see [Writer.abandonStream]).
//
// It is used by one goroutine at a time, like the edits of a reply.
type stream struct {
	channel, thread, ts string
	mark                string // ID of the reply's task
	user                string // recipient
	lang                string
	born                time.Time
	sent                string
	tasks               map[string]task // as Slack shows them
	torn                bool            // a call had no clear answer: the visible content is unknown
}

// task is the visible state of a task.
type task struct {
	title  string
	status slack.TaskCardStatus
	detail string // append-only, so it is sent once
}

const (
	maxStreams   = 18 // open at a time, including those stopped within the last minute
	maxTaskTitle = 250
	soonEnds     = 20 * time.Second // before StreamLife: send whole lines only, so that it can end after any of them
	mustEnd      = 40 * time.Second // after StreamLife: it ends anywhere
	lostAfter    = 6 * time.Minute  // Slack has ended it by now
)

// streams tracks the open streams and the quota of new ones. Each open stream reserves a call
// of chat.stopStream, so that ending it never waits.
type streams struct {
	now func() time.Time

	mu      sync.Mutex
	byTS    map[string]*stream
	pending int // admitted, not open yet
	stops   []time.Time
	starts  []time.Time
	off     *cache.Cache[string, time.Time] // where streams are refused: a channel, or "" for the workspace
}

func newStreams(now func() time.Time) *streams {
	return &streams{now: now, byTS: map[string]*stream{}, off: cache.New[string, time.Time](1024)}
}

// admit reserves a stream in a channel; add or giveUp must follow.
func (l *streams) admit(channel string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, place := range []string{"", channel} {
		if until, ok := l.off.Get(place); ok && now.Before(until) {
			return false
		}
	}
	for ts, s := range l.byTS {
		if now.Sub(s.born) > lostAfter {
			delete(l.byTS, ts)
		}
	}
	l.stops, l.starts = web.Recent(l.stops, now), web.Recent(l.starts, now)
	if l.pending+len(l.byTS)+len(l.stops) >= maxStreams || len(l.starts) >= maxStreams {
		return false
	}
	l.starts = append(l.starts, now)
	l.pending++
	return true
}

func (l *streams) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending--
}

func (l *streams) add(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending--
	l.byTS[s.channel+" "+s.ts] = s
}

func (l *streams) get(channel, ts string) *stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byTS[channel+" "+ts]
}

// forget removes a stopped stream.
func (l *streams) forget(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.byTS[s.channel+" "+s.ts]; ok {
		delete(l.byTS, s.channel+" "+s.ts)
		l.stops = append(l.stops, l.now())
	}
}

// in reports whether a stream is open in a thread.
func (l *streams) in(channel, thread string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.byTS {
		if s.channel == channel && s.thread == thread {
			return true
		}
	}
	return false
}

// refuse records that a channel, or the workspace, refuses streams.
func (l *streams) refuse(place string, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.off.Add(place, l.now().Add(d))
}

// errNoStream reports that a reply must be shown without a native stream.
var errNoStream = errors.New("slack: native streams are unavailable here")

// streamMark returns the ID of the task of a reply's message. It makes the message findable,
// although chat.startStream takes no metadata.
func streamMark(key string, part int) string { return "maru:" + strconv.Itoa(part) + ":" + key }

// readMark reverses streamMark.
func readMark(id string) (key string, part int, ok bool) {
	rest, ok := strings.CutPrefix(id, "maru:")
	num, key, found := strings.Cut(rest, ":")
	part, err := strconv.Atoi(num)
	return key, part, ok && found && err == nil && key != ""
}

// streamable reports whether a stream can show a reply: it must be in a thread, for a person
// of this workspace.
func streamable(to bot.Target, key string) bool {
	return key != "" && len(streamMark(key, 0)) < render.MaxID-8 && to.Thread.ID != "" &&
		!to.User.External && !to.User.Bot && (to.Thread.Direct || to.User.ID != "")
}

// streamer opens, grows and ends native streams, and finds one whose start had no clear
// answer.
type streamer struct {
	web     *web.Client
	trail   *trail
	replied *Threads
	streams *streams
	named   atomic.Bool // streams in direct messages must name the recipient
}

func newStreamer(w *web.Client, l *trail, t *Threads) *streamer {
	return &streamer{web: w, trail: l, replied: t, streams: newStreams(w.Now)}
}

// openStream starts a message of a reply as a native stream. It returns errNoStream when the
// reply must be shown without one; doubtful says that one may still appear.
func (r *streamer) openStream(ctx context.Context, to bot.Target, key string, part int, c bot.Card) (s *stream, doubtful bool, err error) {
	if !streamable(to, key) || !r.streams.admit(to.Thread.Channel) {
		return nil, false, errNoStream
	}
	s = &stream{
		channel: to.Thread.Channel, thread: to.Thread.ID, mark: streamMark(key, part), user: to.User.ID,
		lang: c.Language, born: r.web.Now(), tasks: map[string]task{},
	}
	chunks, tasks := s.taskChunks(c)
	if len(c.Steps) > 0 {
		title := slack.NewPlanUpdateChunk(taskText(cmp.Or(c.Title, phrase.Say(c.Language, "slack.progress"))))
		chunks = append([]slack.StreamChunk{title}, chunks...)
	}
	if doubtful, err = r.begin(ctx, s, to, chunks, len(c.Steps) > 0); err != nil {
		r.streams.giveUp()
		return nil, doubtful, err
	}
	s.tasks = tasks
	r.streams.add(s)
	return s, false, nil
}

// begin starts a stream, or finds the one that an unanswered call has started. doubtful says that the call may still start it.
func (r *streamer) begin(ctx context.Context, s *stream, to bot.Target, chunks []slack.StreamChunk, plan bool) (doubtful bool, err error) {
	err = r.start(ctx, s, to, chunks, plan)
	var busy *bot.DeliveryError
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &busy) && ctx.Err() == nil:
		r.streams.refuse("", busy.After)
		return false, errNoStream
	case ctx.Err() != nil:
		return true, err
	case !web.Ambiguous(err):
		r.noteRefusal(ctx, s.channel, err)
		return false, errNoStream
	}
	found, ferr := r.findStream(ctx, to, s.mark)
	switch {
	case ferr != nil:
		return true, web.Delivery("stream", err) // an unknown result must not cause a duplicate
	case found == "":
		return true, errNoStream
	}
	s.ts = found
	return false, nil
}

// start calls chat.startStream. Channels require the stream's recipient; in direct messages
// some apps must name one and others must not.
func (r *streamer) start(ctx context.Context, s *stream, to bot.Target, chunks []slack.StreamChunk, plan bool) error {
	opts := []slack.MsgOption{slack.MsgOptionTS(s.thread), slack.MsgOptionChunks(chunks...)}
	if plan {
		opts = append(opts, slack.MsgOptionTaskDisplayMode(slack.TaskDisplayModePlan))
	}
	recipient := []slack.MsgOption{slack.MsgOptionRecipientUserID(to.User.ID), slack.MsgOptionRecipientTeamID(to.Thread.Team)}
	send := func(opts []slack.MsgOption) error {
		return r.web.Steady(ctx, web.Job{Method: web.MethodStart, Channel: s.channel}, func(ctx context.Context) (err error) {
			_, s.ts, err = r.web.API().StartStreamContext(ctx, s.channel, opts...)
			if err == nil {
				r.replied.NoteReply(s.channel, s.thread)
			}
			return err
		})
	}
	if !to.Thread.Direct || r.named.Load() {
		return send(append(opts, recipient...))
	}
	err := send(opts)
	if strings.HasPrefix(web.Code(err), "missing_recipient") && to.User.ID != "" {
		r.named.Store(true)
		return send(append(opts, recipient...))
	}
	return err
}

// findStream finds the message that an unanswered start may have created.
func (r *streamer) findStream(ctx context.Context, to bot.Target, mark string) (string, error) {
	if err := r.web.Wait(ctx, time.Second); err != nil {
		return "", err
	}
	key, part, _ := readMark(mark)
	found, err := r.trail.ownMessages(ctx, to.Thread, to.Thread.Channel, "", func(p label) bool {
		return p.streamed && p.key == key && p.part == part
	})
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].ts, nil
}

// noteRefusal records that a place refuses streams, so that the next reply does not try.
func (r *streamer) noteRefusal(ctx context.Context, channel string, err error) {
	code := web.Code(err)
	place, rest := channel, web.Quiet
	switch code {
	case "":
		rest = time.Second
	case "unknown_method", "not_allowed", "feature_not_enabled", "method_not_supported_for_channel_type",
		"not_allowed_token_type", "missing_scope", "deprecated_endpoint", "method_deprecated", "team_not_supported":
		place = ""
	case "channel_not_found", "is_archived", "not_in_channel", "thread_not_found", "message_not_found",
		"cannot_reply_to_message", "restricted_action_thread_locked", "user_not_found":
		return // specific to this answer; the post reports it too
	}
	r.streams.refuse(place, rest)
	r.web.Log.InfoContext(ctx, "slack refuses native streams, showing the answer by edits", "channel", channel, "code", cmp.Or(code, "network"), "for", rest.String())
}

// push appends to a stream. On an error its visible content is unknown.
func (r *streamer) push(ctx context.Context, s *stream, text string, tasks []slack.StreamChunk, known map[string]task) error {
	chunks := tasks
	if text != "" {
		chunks = append(chunks, slack.NewMarkdownTextChunk(text))
	}
	if len(chunks) == 0 {
		return nil
	}
	tried := false
	err := r.web.Steady(ctx, web.Job{Method: web.MethodAppend, Channel: s.channel}, func(ctx context.Context) error {
		_, _, err := r.web.API().AppendStreamContext(ctx, s.channel, s.ts, slack.MsgOptionChunks(chunks...))
		tried = tried || web.RetryAfter(err) == 0
		return err
	})
	switch {
	case err == nil:
		s.sent += text
		s.tasks = known
		return nil
	case !tried:
		return nil // the next draft includes it
	}
	s.torn = true
	return err
}

// closing is the last content of a stream.
type closing struct {
	text   string
	blocks []slack.Block
	meta   *slack.SlackMetadata
	title  string // of the reply's task
	status slack.TaskCardStatus
}

// stop ends a stream. On an error its visible content is unknown.
func (r *streamer) stop(ctx context.Context, s *stream, end closing) error {
	chunks := s.endTasks(end)
	if end.text != "" {
		chunks = append(chunks, slack.NewMarkdownTextChunk(end.text))
	}
	opts := []slack.MsgOption{slack.MsgOptionChunks(chunks...)}
	if len(end.blocks) > 0 {
		opts = append(opts, slack.MsgOptionBlocks(end.blocks...))
	}
	if end.meta != nil {
		opts = append(opts, slack.MsgOptionMetadata(*end.meta))
	}
	err := r.web.Steady(ctx, web.Job{Method: web.MethodStop, Channel: s.channel, Urgent: true}, func(ctx context.Context) error {
		_, _, err := r.web.API().StopStreamContext(ctx, s.channel, s.ts, opts...)
		return err
	})
	if err == nil {
		r.streams.forget(s)
	}
	return err
}

// hasEnded reports whether a stream has permanently ended.
func hasEnded(err error) bool {
	switch web.Code(err) {
	case "message_not_in_streaming_state", "stopped_by_user", "message_not_found", "message_not_owned_by_app":
		return true
	}
	return false
}
