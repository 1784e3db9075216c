package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/memory/longterm"
)

// Reflect asks a model what a person said about themselves: proposals, each with
// the words that bear it out. They are checked by whoever asked.
type Reflect func(ctx context.Context, words string) ([]longterm.PreferenceLesson, error)

// learning is the body of a job: what a delivered answer taught, and what was
// used for it.
type learning struct {
	Thread  bot.Thread        `json:"thread"`
	User    bot.User          `json:"user"`
	Owner   longterm.Owner    `json:"owner"`
	Session string            `json:"session"`
	At      time.Time         `json:"at"`
	Lessons []longterm.Lesson `json:"lessons,omitempty"`
	Used    []string          `json:"used,omitempty"` // ids of records
}

// lessonsOf are the jobs that follow from an answer: committed with it, done
// after it.
func (b *Bot) lessonsOf(ctx context.Context, c conclusion) []bot.Job {
	if c.err != nil || b.cfg.Memory == nil {
		return nil
	}
	o := b.rules.Owner(ctx, c.m.Thread, c.m.User)
	// Off counts when the message came and now: switched on after it was
	// answered, memory does not reach back.
	o.Off = o.Off || !c.set.Memory
	o.Message = c.m.Key()
	l := learning{Thread: c.m.Thread, User: bot.User{ID: c.m.User.ID}, Owner: o, Session: c.p.Run, At: saidAt(c.m)}
	for _, k := range agent.KnownIn(c.trace.Events) {
		l.Used = append(l.Used, k.ID)
	}
	for _, lesson := range c.res.Lessons {
		l.Lessons = append(l.Lessons, longterm.Lesson(lesson))
	}
	if words, ok := b.wordsOf(ctx, c); ok {
		l.Lessons = append(l.Lessons, words)
	}
	if o.Off || len(l.Lessons) == 0 && len(l.Used) == 0 {
		return nil
	}
	j, err := bot.NewJob(bot.JobLearn, c.p.Run, l)
	if err != nil {
		b.log.WarnContext(ctx, "encode lessons", "run", c.p.Run, "err", err)
		return nil
	}
	j.Person = o.Person
	return []bot.Job{j}
}

// wordsOf are the person's words, if they speak of themselves: whichever agent
// answers, what they told becomes memory, and never what documents or tools said.
// An agent that has read out of them what is to be known is not gone over again,
// and words that a question is open about are learned from with their answer.
func (b *Bot) wordsOf(ctx context.Context, c conclusion) (longterm.Lesson, bool) {
	read := func(l agent.Lesson) bool { return l.Kind == string(longterm.KindPreference) }
	if len(c.res.Interrupts) > 0 || slices.ContainsFunc(c.res.Lessons, read) {
		return longterm.Lesson{}, false
	}
	l, ok, err := longterm.WordsLesson(c.m.Text)
	if err != nil {
		b.log.WarnContext(ctx, "words were not kept", "run", c.p.Run, "err", err)
	}
	return l, ok && err == nil
}

// saidAt is when somebody said what a message says now: of an edited one when it
// was read so, which is after the change that unlearns what it said before.
func saidAt(m bot.Message) time.Time {
	if m.Worded.After(m.At) {
		return m.Worded
	}
	return m.At
}

// takeIn takes the lessons of one job in. It may be done again after any failure:
// what is stored carries the session's name and is stored once.
func (b *Bot) takeIn(ctx context.Context, j bot.Job) error {
	var l learning
	if err := json.Unmarshal(j.Body, &l); err != nil || b.cfg.Memory == nil {
		b.log.ErrorContext(ctx, "job dropped", "job", j.ID, "kind", j.Kind, "err", err)
		return nil
	}
	if b.rules.Owner(ctx, l.Thread, l.User).Off { // switched off meanwhile
		return nil
	}
	if err := b.noteUses(ctx, l); err != nil {
		return err
	}
	ctx = b.counted(ctx, l.Thread, l.User, bot.SpentMemory)
	lessons, err := b.reflected(ctx, l)
	if err != nil {
		return err
	}
	added, err := b.cfg.Memory.Take(ctx, l.Owner, l.Session, l.At, lessons)
	if err != nil && !errors.Is(err, longterm.ErrLesson) {
		return err
	}
	if err != nil { // it will not become valid: the rest was taken
		b.log.InfoContext(ctx, "a lesson was refused", "run", l.Session, "err", err)
	}
	if added > 0 {
		b.audit(ctx, l.Thread, l.User, "memory.write", map[string]any{"run": l.Session, "records": added})
	}
	return nil
}

// noteUses stores which records an answer used, and where.
func (b *Bot) noteUses(ctx context.Context, l learning) error {
	if len(l.Used) == 0 {
		return nil
	}
	uses := make([]longterm.Use, len(l.Used))
	for i, id := range l.Used {
		uses[i] = longterm.Use{Record: id, Run: l.Session, Scope: l.Thread.ChannelScope(), At: l.At}
	}
	return b.cfg.Memory.Use(ctx, l.Owner.Person, uses)
}

// reflected turns people's own words among the lessons into preferences: those
// told in so many words, those that they put right, and those that a model proposes
// and the words bear out. A model that fails is asked again with the job.
func (b *Bot) reflected(ctx context.Context, taught learning) ([]longterm.Lesson, error) {
	var out []longterm.Lesson
	for _, l := range taught.Lessons {
		if l.Kind != longterm.KindWords {
			out = append(out, l)
			continue
		}
		var w longterm.Words
		if json.Unmarshal(l.Data, &w) != nil || w.Text == "" {
			continue
		}
		found := longterm.Explicit(w.Text)
		right, err := b.cfg.Memory.Preferences.Corrected(ctx, taught.Owner, w.Text, found, taught.At)
		if err != nil {
			return nil, err
		}
		found = append(found, right...)
		if rest := longterm.Rest(w.Text, found); b.cfg.Reflect != nil && rest != "" {
			proposals, err := b.cfg.Reflect(ctx, rest)
			if err != nil {
				return nil, fmt.Errorf("ask what was said of oneself: %w", err)
			}
			found = append(found, longterm.Vouched(proposals, rest)...)
		}
		for _, p := range found {
			lesson, err := b.cfg.Memory.Preferences.Lesson(p)
			if err != nil {
				return nil, err
			}
			out = append(out, lesson)
		}
	}
	return out, nil
}
