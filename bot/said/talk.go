package said

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/past"
	"maru/phrase/when"
)

// Reader is implemented by adapters that can read a channel of their platform.
type Reader interface {
	// Read returns what people wrote in a channel within a period, oldest first, without threads and without m. The author of m
	// and, unless m is in a direct conversation, every reader of the answer may read it. Errors are those of this package, or the
	// platform's.
	Read(ctx context.Context, m bot.Message, q Span) (Talk, error)
}

// Span selects messages of a channel.
type Span struct {
	Channel  string // the platform's id
	From, To time.Time
	Limit    int // the newest so many
}

// Talk holds what people wrote in a channel.
type Talk struct {
	Channel  string // name: data; "" if unknown
	Messages []Message
	Older    bool      // the limit left out older messages
	Limited  bool      // the rate limit ended the reading: messages before Since are missing
	Since    time.Time // of the oldest message that was looked at
	Threads  int       // that the messages start
	Files    int       // that the messages carry
}

// Why a channel is not read.
var (
	ErrHidden = errors.New("said: the channel does not exist, or the person may not read it")
	ErrAbsent = errors.New("said: the bot is not in the channel, or has no permission to read it")
	ErrForum  = errors.New("said: the channel holds threads alone")
)

// Covered returns nil if all readers of one place are readers of another, whose messages an answer in the first may then show,
// and [ErrAudience] otherwise or if either is unknown.
func Covered(here, there func() ([]string, error)) error {
	ours, err := here()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAudience, err)
	}
	theirs, err := there()
	if err != nil || slices.ContainsFunc(ours, func(id string) bool { return !slices.Contains(theirs, id) }) {
		return errors.Join(ErrAudience, err)
	}
	return nil
}

// Newest returns the newest messages of a list, which is newest first, in chronological order, and whether it left
// some out.
func Newest[T any](read []T, limit int) (kept []T, older bool) {
	kept = read[:min(len(read), limit)]
	slices.Reverse(kept)
	return kept, len(read) > limit
}

// Bounds of one reading. The agent reads its width in [agent.TalkParts] parts.
const (
	mostTalk  = 1000
	mostWords = 2000 // characters of one message
	talkTime  = 150 * time.Second
	weekly    = 7 // days of a request without a period
)

// Asks reports whether a message asks what was said in a channel of a platform whose channels can be read. In a direct
// conversation it names one; in a thread it names one or says "channel", since "here" is the thread. Where scopes switch the search
// of messages off, no channel is read.
func (d *Desk) Asks(m bot.Message, a bot.Adapter, scopes []string) bool {
	if _, reads := a.(Reader); !reads || d.off || len(m.Files) > 0 || slices.Contains(scopes, agent.Without(Tool)) {
		return false
	}
	_, rest, _ := past.Read(m.Text, m.At)
	wish, ok := wished(m, rest)
	top := m.Top || m.Thread.ID == "" || m.Thread.ID == m.ID
	return ok && (len(wish.Channels) > 0 || !m.Thread.Direct && (wish.Room || top))
}

func wished(m bot.Message, text string) (intent.Talk, bool) {
	return intent.OfTalk(text, slices.Collect(maps.Keys(m.Channels)))
}

// Talk reads the channel that a message asks about, see [Desk.Asks]. Without talk, note is the answer, else it is below the
// answer: the period, the number of messages, and what was left out. zone is that of the person's days; doing gets a line to
// show while it reads.
func (d *Desk) Talk(ctx context.Context, m bot.Message, a bot.Adapter, lang string, zone *time.Location, doing func(string)) (talk *agent.Talk, note string) {
	reader, ok := a.(Reader)
	if !ok {
		return nil, unread(ErrPlace, lang, "")
	}
	now := m.At.In(zone)
	period, rest, dated := past.Read(m.Text, now)
	wish, _ := wished(m, rest)
	if len(wish.Channels) > 1 {
		return nil, phrase.Say(lang, "said.talk.one")
	}
	q := Span{Channel: m.Thread.Channel, From: period.From, To: period.To, Limit: mostTalk}
	name := phrase.Say(lang, "said.talk.here")
	if len(wish.Channels) == 1 {
		if q.Channel, ok = m.Channels[wish.Channels[0]]; !ok {
			return nil, phrase.Say(lang, "said.talk.unknown", wish.Channels[0])
		}
		name = "#" + wish.Channels[0]
	}
	if !dated {
		q.From, q.To = now.AddDate(0, 0, -weekly), now
	}
	doing(phrase.Say(lang, "said.talk.reading", name))
	ctx, cancel := context.WithTimeout(ctx, talkTime)
	defer cancel()
	got, err := reader.Read(ctx, m, q)
	if got.Channel != "" {
		name = "#" + fit.OneLine(fit.Visible(got.Channel))
	}
	if err != nil {
		d.log.WarnContext(ctx, "read channel", "platform", m.Thread.Platform, "err", err)
		return nil, unread(err, lang, name)
	}
	moment := func(t time.Time) string { return when.Moment(t, lang, zone) }
	end := when.Zoned(q.To, lang, zone) // readers of a channel have other zones
	got.Messages, got.Older = bounded(got.Messages, got.Older)
	since := begin(got, q)
	if len(got.Messages) == 0 && since.Equal(q.To) { // nothing was looked at
		return nil, unread(ErrBusy, lang, name)
	}
	if len(got.Messages) == 0 {
		return nil, join(phrase.Say(lang, "said.talk.none", name, moment(since), end), leftOut(got, lang, moment(since), dated))
	}
	talk = &agent.Talk{Place: name, From: q.From, To: q.To}
	for _, one := range got.Messages {
		talk.Outsiders = talk.Outsiders || one.Stranger
		talk.Posts = append(talk.Posts, agent.Post{Link: one.Link, Author: fit.OneLine(fit.Visible(one.Author)), At: one.At, Text: fit.Clip(strings.TrimSpace(one.Text), mostWords)})
	}
	head := phrase.Say(lang, "said.talk.head", name, moment(q.From), end, len(talk.Posts))
	return talk, "\n\n" + join(head, leftOut(got, lang, moment(since), dated))
}

// begin returns the time since which a reading is complete, the end of its period if it looked at nothing.
func begin(t Talk, q Span) time.Time {
	switch {
	case !t.Older && !t.Limited:
		return q.From
	case len(t.Messages) > 0 && t.Messages[0].At.After(t.Since):
		return t.Messages[0].At
	case t.Since.IsZero():
		return q.To
	}
	return t.Since
}

// bounded returns the newest messages that the agent can read.
func bounded(all []Message, older bool) ([]Message, bool) {
	// Each part but the last may end before a message that no longer fits.
	room := agent.TalkParts*agent.TalkWidth - (agent.TalkParts-1)*(2*mostWords+agent.TalkMargin)
	for i, m := range slices.Backward(all) {
		if room -= min(fit.Width(m.Text), 2*mostWords) + agent.TalkMargin; room < 0 {
			return all[i+1:], true
		}
	}
	return all, older
}

// leftOut lists what an answer does not consider. since is the words for [begin].
func leftOut(t Talk, lang, since string, dated bool) string {
	var out []string
	if !dated {
		out = append(out, phrase.Say(lang, "said.talk.week", weekly))
	}
	switch {
	case t.Older:
		out = append(out, phrase.Say(lang, "said.talk.older", since))
	case t.Limited:
		out = append(out, phrase.Say(lang, "said.talk.limited", since))
	}
	if t.Threads > 0 {
		out = append(out, phrase.Say(lang, "said.talk.threads", t.Threads))
	}
	if t.Files > 0 {
		out = append(out, phrase.Say(lang, "said.talk.files", t.Files))
	}
	return strings.Join(out, " ")
}

func join(head, rest string) string { return strings.TrimSpace(head + " " + rest) }

// unread says why a channel was not read.
func unread(err error, lang, name string) string {
	for is, key := range map[error]string{ErrHidden: "said.talk.hidden", ErrAudience: "said.talk.audience", ErrAbsent: "said.talk.absent", ErrForum: "said.talk.forum", ErrBusy: "said.talk.busy"} {
		if errors.Is(err, is) {
			return phrase.Say(lang, key, name)
		}
	}
	return phrase.Say(lang, "said.talk.failed", name)
}
