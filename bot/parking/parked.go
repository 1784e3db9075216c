package parking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"maru/bot"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/when"
)

// Control begins the ID of the button that retries an item; a digest of the item's ID follows. It
// grants nothing.
const Control = "parked/"

const (
	verbRetry = "retry"
	mostAll   = 200 // items that one command retries
	mostShown = 15
)

// Rules answer what a person may do in a place.
type Rules interface {
	May(t bot.Thread, u bot.User, want config.Role) bool
	ZoneOf(u bot.User) *time.Location
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Config holds the dependencies of Parked. All fields but Thread and WakeJobs are required.
type Config struct {
	Store    Store
	Notes    bot.Notes
	Rules    Rules
	Wake     func(thread string) // wakes the workers of a thread
	WakeJobs func()              // wakes the job worker; may be nil
	// Thread returns the thread of a run, "" for a forgotten one; nil: jobs are not retried from chats.
	Thread func(ctx context.Context, run string) (string, error)
	Log    *slog.Logger
}

// Parked lists parked items and retries them. It is safe for concurrent use.
type Parked struct {
	Config
}

// New returns Parked.
func New(c Config) *Parked { return &Parked{c} }

// Notice reports in a thread that an item is parked, with a button to retry it.
func Notice(item, lang string) bot.Card {
	return bot.Card{
		Kind: bot.CardNotice, Text: phrase.Say(lang, "parking.notice"), Language: lang,
		Buttons: []bot.Button{{ID: Control + bot.RunID(item), Verb: verbRetry, Label: phrase.Say(lang, "parking.button.retry"), Style: bot.ButtonPrimary}},
	}
}

// JobNotice reports in a thread that a job is parked whose result is awaited there, with a button to retry it.
func JobNotice(job string, in bot.Thread, lang string) bot.Card {
	card := Notice(jobKey(job, in), lang)
	card.Text = phrase.Say(lang, "parking.handing_over")
	return card
}

// jobKey names a job and its thread, for the button of a notice.
func jobKey(job string, in bot.Thread) string { return job + " " + in.Key() }

// Action handles a click on a notice's button: everybody who can write in the thread may click it.
func (p *Parked) Action(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	n := 0
	// The item is parked, or about to be, or it is parked between these two looks.
	for _, try := range []func(context.Context, bot.Action) (int, error){p.retryParked, p.retrySoon, p.retryParked} {
		var err error
		if n, err = try(ctx, a); err != nil {
			return bot.Answer{}, err
		}
		if n > 0 {
			break
		}
	}
	jobs, err := p.jobsWithin(ctx, a.Thread.Key())
	if err != nil {
		return bot.Answer{}, err
	}
	for _, j := range jobs {
		if Control+bot.RunID(jobKey(j.ID, a.Thread)) != a.ID {
			continue
		}
		if n, err = p.retryJob(ctx, a.Thread, a.User, j.ID); err != nil {
			return bot.Answer{}, err
		}
	}
	return bot.Answer{Card: bot.NewNotice(retried(n, lang), lang)}, nil
}

// retryParked retries the parked item of a notice, and returns how many that are.
func (p *Parked) retryParked(ctx context.Context, a bot.Action) (n int, err error) {
	items, err := p.Store.ParkedItems(ctx, a.Thread.Key(), 0)
	if err != nil {
		return 0, err
	}
	for _, it := range items {
		if Control+bot.RunID(it.ID) != a.ID {
			continue
		}
		if n, err = p.retry(ctx, a.Thread, a.User, it); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// Command handles "/maru retry": it retries the parked items of the thread. Admins may list or retry those of the
// whole workspace.
func (p *Parked) Command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	do := "here"
	if word := cmp.Or(strings.TrimSpace(c.Args), c.Options["what"]); word != "" {
		do = phrase.Choice(word, "parking.also.", "all", "list")
	}
	if do == "" {
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "parking.how")}
	}
	within := c.Thread.Key()
	if do != "here" {
		if !p.Rules.May(c.Thread, c.User, config.Admin) {
			return nil, &bot.Error{Code: bot.CodeMayNot, Detail: phrase.Say(lang, "bot.refused.ask_admin")}
		}
		within = c.Thread.TeamKey()
	}
	if c.Thread.ID == "" && do == "here" { // given outside a conversation: applies to the channel's threads
		within = strings.TrimSuffix(within, "/")
	}
	items, err := p.Store.ParkedItems(ctx, within, mostAll)
	if err != nil {
		return nil, err
	}
	jobs, err := p.jobsWithin(ctx, within)
	if err != nil {
		return nil, err
	}
	if do == "list" {
		return p.listed(append(items, jobs...), lang, p.Rules.ZoneOf(c.User)), nil
	}
	n := 0
	for _, j := range jobs {
		one, err := p.retryJob(ctx, c.Thread, c.User, j.ID)
		if err != nil {
			return nil, err
		}
		n += one
	}
	for _, it := range items {
		one, err := p.retry(ctx, c.Thread, c.User, it)
		if err != nil {
			return nil, err
		}
		n += one
	}
	return bot.NewNotice(retried(n, lang), lang), nil
}

// retry makes an item pending again for a person, with a reset count, and returns the number of items.
func (p *Parked) retry(ctx context.Context, t bot.Thread, u bot.User, it Item) (int, error) {
	ok, err := p.Retry(ctx, it)
	if err != nil || !ok {
		return 0, err
	}
	p.Rules.Audit(ctx, t, u, "item.retry", map[string]any{"item": it.ID, "thread": it.Thread})
	return 1, nil
}

// Retry makes an item pending again, with a reset count; false if it is not parked.
func (p *Parked) Retry(ctx context.Context, it Item) (bool, error) {
	ok, err := retryItem(ctx, p.Store, p.Notes, p.Log, it.ID)
	if ok && p.Wake != nil {
		p.Wake(it.Thread)
	}
	return ok, err
}

// RetryJob makes a job due, with a reset count; false if it is not parked.
func (p *Parked) RetryJob(ctx context.Context, id string) (bool, error) {
	if err := p.Notes.SetNote(ctx, noteJob+id, ""); err != nil {
		return false, fmt.Errorf("clear the deaths of a job: %w", err)
	}
	return p.Store.RetryJob(ctx, id)
}

// listed shows parked items.
func (p *Parked) listed(items []Item, lang string, zone *time.Location) *bot.Card {
	card := &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "parking.title"), Language: lang, Final: true, Own: true, Footer: phrase.Say(lang, "parking.how")}
	var s strings.Builder
	for i, it := range items {
		if i == mostShown {
			s.WriteString(phrase.Say(lang, "bot.list.more", len(items)-mostShown))
			break
		}
		fmt.Fprintf(&s, "- `%s` · %s\n", fit.OneLine(it.Thread), when.Local(it.Parked, lang, zone))
	}
	if card.Text = strings.TrimSpace(s.String()); card.Text == "" {
		card.Text = phrase.Say(lang, "parking.none")
	}
	return card
}

// retried formats the number of retried items.
func retried(n int, lang string) string {
	if n == 0 {
		return phrase.Say(lang, "parking.none_here")
	}
	return phrase.Say(lang, "parking.retrying", n)
}

// Count returns how many items and jobs are parked.
func Count(ctx context.Context, s Store) (int, error) {
	items, err := s.ParkedItems(ctx, "", 0)
	jobs, also := s.ParkedJobs(ctx, 0)
	return len(items) + len(jobs), errors.Join(err, also)
}
