// Package learning extracts long-term memory about a person from delivered answers, and removes memory learned
// from edited or deleted messages.
//
// An answer's lessons are a job that is committed with the answer ([Learner.Jobs]) and done after it
// ([Learner.Take]), so that nobody waits for memory.
//
// Invariants:
//
//   - Only a person's own words become preferences, never what documents or tools said.
//   - Nothing is stored while memory is off, by the settings when the message came and by
//     those when the job is done.
//   - A job may be done again after any failure: records carry the run's name and are
//     stored once.
//
// It must not know how an answer is found or shown.
package learning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/place"
	"maru/memory/longterm"
	"maru/phrase/intent"
)

// Reflect asks a model what a person said about themselves. It returns proposals, each with a supporting quote,
// which the caller verifies. model is the channel's setting, "" for none.
type Reflect func(ctx context.Context, model, words string) ([]longterm.PreferenceLesson, error)

// Learner fills the long-term memory. It is safe for concurrent use.
type Learner struct {
	rules   *place.Rules
	memory  *longterm.Memory
	reflect Reflect
	log     *slog.Logger
}

// New returns a Learner. With memory nil nothing is remembered; with reflect nil only
// explicit statements become preferences.
func New(rules *place.Rules, memory *longterm.Memory, reflect Reflect, log *slog.Logger) *Learner {
	return &Learner{rules: rules, memory: memory, reflect: reflect, log: log}
}

// Answer is the input of learning.
type Answer struct {
	Message bot.Message
	Run     string
	Memory  bool          // memory was on when the message came
	Events  []agent.Event // of the run
	Result  agent.Result
}

// job is the body of a [bot.JobLearn]: an answer's lessons, and the records it used.
type job struct {
	Thread  bot.Thread        `json:"thread"`
	User    bot.User          `json:"user"`
	Owner   longterm.Owner    `json:"owner"`
	Session string            `json:"session"`
	At      time.Time         `json:"at"`
	Lessons []longterm.Lesson `json:"lessons,omitempty"`
	Used    []string          `json:"used,omitempty"` // ids of records
}

// Jobs returns the jobs to be committed with an answer.
func (le *Learner) Jobs(ctx context.Context, a Answer) []bot.Job {
	if le.memory == nil {
		return nil
	}
	m := a.Message
	o := le.rules.Owner(ctx, m.Thread, m.User)
	// Switching memory on does not apply to earlier messages.
	o.Off = o.Off || !a.Memory
	o.Message = m.Key()
	l := job{Thread: m.Thread, User: bot.User{ID: m.User.ID}, Owner: o, Session: a.Run, At: saidAt(m)}
	for _, k := range agent.KnownIn(a.Events) {
		l.Used = append(l.Used, k.ID)
	}
	for _, lesson := range a.Result.Lessons {
		l.Lessons = append(l.Lessons, longterm.Lesson(lesson))
	}
	if words, ok := le.wordsOf(ctx, a); ok {
		l.Lessons = append(l.Lessons, words)
	}
	if o.Off || len(l.Lessons) == 0 && len(l.Used) == 0 {
		return nil
	}
	j, err := bot.NewJob(bot.JobLearn, a.Run, l)
	if err != nil {
		le.log.WarnContext(ctx, "encode lessons", "run", a.Run, "err", err)
		return nil
	}
	j.Person = o.Person
	return []bot.Job{j}
}

// wordsOf returns the person's words as a lesson if they are about themselves, for every agent. It skips answers
// whose agent has already extracted preferences, and those with an open question, whose words are learned after
// its answer.
func (le *Learner) wordsOf(ctx context.Context, a Answer) (longterm.Lesson, bool) {
	if _, _, ok := intent.OfChannel(a.Message.Text); ok { // of the channel, not of the person
		return longterm.Lesson{}, false
	}
	read := func(l agent.Lesson) bool { return l.Kind == string(longterm.KindPreference) }
	if len(a.Result.Interrupts) > 0 || slices.ContainsFunc(a.Result.Lessons, read) {
		return longterm.Lesson{}, false
	}
	l, ok, err := longterm.WordsLesson(a.Message.Text)
	if err != nil {
		le.log.WarnContext(ctx, "encode words", "run", a.Run, "err", err)
	}
	return l, ok && err == nil
}

// saidAt returns the time of a message's present text: for an edited message when the edit was
// read, which is later than the change that unlearns the old text.
func saidAt(m bot.Message) time.Time {
	if m.Worded.After(m.At) {
		return m.Worded
	}
	return m.At
}

// Take stores the lessons of a job.
func (le *Learner) Take(ctx context.Context, j bot.Job) error {
	var l job
	if err := json.Unmarshal(j.Body, &l); err != nil || le.memory == nil {
		le.log.ErrorContext(ctx, "job dropped", "job", j.ID, "kind", j.Kind, "err", err)
		return nil
	}
	if le.rules.Owner(ctx, l.Thread, l.User).Off { // switched off meanwhile
		return nil
	}
	if err := le.noteUses(ctx, l); err != nil {
		return err
	}
	set, err := le.rules.Settings(ctx, l.Thread, l.User)
	if err != nil {
		return err
	}
	ctx = le.rules.Counted(ctx, l.Thread, l.User, bot.SpentMemory)
	lessons, err := le.lessons(ctx, l, set.Means.Model)
	if err != nil {
		return err
	}
	added, err := le.memory.Take(ctx, l.Owner, l.Session, l.At, lessons)
	if err != nil && !errors.Is(err, longterm.ErrLesson) {
		return err
	}
	if err != nil { // it will not become valid: the rest was taken
		le.log.InfoContext(ctx, "reject lesson", "run", l.Session, "err", err)
	}
	if added > 0 {
		le.rules.Audit(ctx, l.Thread, l.User, "memory.write", map[string]any{"run": l.Session, "records": added})
	}
	return nil
}

// noteUses stores which records an answer used, and where.
func (le *Learner) noteUses(ctx context.Context, l job) error {
	if len(l.Used) == 0 {
		return nil
	}
	uses := make([]longterm.Use, len(l.Used))
	for i, id := range l.Used {
		uses[i] = longterm.Use{Record: id, Run: l.Session, Scope: l.Thread.ChannelScope(), At: l.At}
	}
	return le.memory.Use(ctx, l.Owner.Person, uses)
}

// lessons turns people's own words among the lessons into preferences: explicit
// statements, corrections of earlier ones, and proposals of a model that the words
// support. If the model fails, the job is tried again.
func (le *Learner) lessons(ctx context.Context, taught job, model string) ([]longterm.Lesson, error) {
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
		right, err := le.memory.Preferences.Corrected(ctx, taught.Owner, w.Text, found, taught.At)
		if err != nil {
			return nil, err
		}
		found = append(found, right...)
		if rest := longterm.Rest(w.Text, found); le.reflect != nil && rest != "" {
			proposals, err := le.reflect(ctx, model, rest)
			if err != nil {
				return nil, fmt.Errorf("reflect on words: %w", err)
			}
			found = append(found, longterm.Vouched(proposals, rest)...)
		}
		for _, p := range found {
			lesson, err := le.memory.Preferences.Lesson(p)
			if err != nil {
				return nil, err
			}
			out = append(out, lesson)
		}
	}
	return out, nil
}

// Unlearn removes what was learned from a message before a change of it, since the old text no longer counts. came
// is when the change reached the inbox.
func (le *Learner) Unlearn(ctx context.Context, message string, c bot.Change, came, now time.Time) error {
	if le.memory == nil {
		return nil
	}
	if _, err := le.memory.Unlearn(ctx, message, untaught(c, came, now)); err != nil {
		return fmt.Errorf("unlearn: %w", err)
	}
	return nil
}

// untaught returns the time up to which lessons are removed. An edited message may be answered, and learned from,
// before the change is processed: such lessons are newer than the change and stay. For a deleted message all are
// removed.
func untaught(c bot.Change, came, now time.Time) time.Time {
	switch {
	case c.Deleted:
		return now
	case c.At.IsZero() || came.Before(c.At): // the platform's clock may be ahead of ours
		return came.Add(-time.Microsecond)
	}
	return c.At.Add(-time.Microsecond)
}
