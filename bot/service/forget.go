package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/memory/longterm"
	"maru/phrase"
)

// forgotten is what is gone of a person: the receipt.
type forgotten struct {
	memory   longterm.Receipt
	threads  int // only theirs, gone whole
	messages int
	answers  int
	runs     int // traces
	other    int // approvals and ratings
	settings int
	named    int // rows that were theirs and are nobody's now
	teams    int // in which any of this was
}

// total is how many things are gone.
func (f *forgotten) total() int {
	m := f.memory
	return m.Total() + m.Notes + m.Uses + m.Jobs + f.threads + f.messages + f.answers + f.runs + f.other + f.settings + f.named
}

func (f *forgotten) add(w bot.Withdrawal) {
	f.messages += len(w.Messages)
	f.answers += w.Answers
	f.runs += w.Runs
	f.other += w.Approvals + w.Ratings
}

// forgetPerson removes everything that is kept of a person in a workspace, or in
// all of a platform on which they have one account: what was learned, the threads
// that are only theirs, what they said in others and what was answered to it, and
// their settings but for the one that says not to remember. When it returns it is
// gone from the record, the agents' logs, the live state and the caches; a failure
// leaves the rest for another call. See docs/decisions/0710-what-forgetting-means.md.
func (b *Bot) forgetPerson(ctx context.Context, t bot.Thread, u bot.User, everywhere bool) (forgotten, error) {
	var f forgotten
	teams := []string{t.Team}
	if everywhere {
		others, err := b.otherTeams(ctx, t, u)
		if err != nil {
			return f, err
		}
		teams = append(teams, others...)
	}
	for _, team := range teams {
		before := f.total()
		in := bot.Thread{Platform: t.Platform, Team: team}
		if err := b.forgetIn(ctx, in, u, &f); err != nil {
			return f, err
		}
		if f.total() > before {
			f.teams++
		}
	}
	if b.cfg.Purge != nil {
		if err := b.cfg.Purge(ctx); err != nil {
			return f, fmt.Errorf("empty the caches: %w", err)
		}
	}
	if err := b.cfg.Record.Scrub(ctx); err != nil {
		return f, fmt.Errorf("scrub the record: %w", err)
	}
	return f, nil
}

// otherTeams lists the other teams of the platform in which something is kept of
// the same account; none where an account is one team's.
func (b *Bot) otherTeams(ctx context.Context, t bot.Thread, u bot.User) ([]string, error) {
	if !b.facts(t.Platform).GlobalAccounts {
		return nil, nil
	}
	teams, err := b.cfg.Record.TeamsWith(ctx, t.Platform, u.ID)
	if err != nil {
		return nil, fmt.Errorf("find where a person is known: %w", err)
	}
	return slices.DeleteFunc(teams, func(team string) bool { return team == t.Team }), nil
}

// forgetIn is forgetPerson in one team, but for what all teams share.
func (b *Bot) forgetIn(ctx context.Context, t bot.Thread, u bot.User, f *forgotten) error {
	where, err := b.cfg.Record.ThreadsWith(ctx, t.Platform, t.Team, u.ID)
	if err != nil {
		return fmt.Errorf("find a person's threads: %w", err)
	}
	threads, messages := f.threads, f.messages
	for _, w := range where {
		if err := b.leave(ctx, w, u, f); err != nil {
			return err
		}
	}
	named, err := b.cfg.Record.Unname(ctx, t.Platform, t.Team, u.ID)
	if err != nil {
		return fmt.Errorf("forget a person's name: %w", err)
	}
	settings, err := b.forgetSettings(ctx, t, u)
	if err != nil {
		return err
	}
	var memory longterm.Receipt
	if b.cfg.Memory != nil {
		if memory, err = b.cfg.Memory.Forget(ctx, t.Person(u), nil); err != nil {
			return fmt.Errorf("forget what was learned: %w", err)
		}
	}
	f.named, f.settings, f.memory = f.named+named, f.settings+settings, f.memory.Plus(memory)
	b.audit(ctx, t, u, "person.forget", map[string]any{"threads": f.threads - threads, "messages": f.messages - messages, "records": memory.Total()})
	return nil
}

// leave takes a person out of one thread. Agents forget a thread that is only
// theirs, and one whose last turn was theirs: its state is made of their words.
// In others they forget each of their messages.
func (b *Bot) leave(ctx context.Context, w bot.ThreadWith, u bot.User, f *forgotten) error {
	key := w.Thread.Key()
	if w.Alone {
		b.Stop(ctx, key)
		b.atRest(ctx, key)
	}
	// From here on nobody can write what was read before; then whoever works on
	// it here has to notice, and what they left in the meantime goes too.
	gone, err := b.cfg.Record.Withdraw(ctx, key, u.ID)
	if err != nil {
		return fmt.Errorf("take a person out of a thread: %w", err)
	}
	f.add(gone)
	b.active.cancelThread(key, bot.ErrFenced)
	if err := b.active.await(ctx, key); err != nil {
		return fmt.Errorf("wait for the thread's run to stop: %w", err)
	}
	late, err := b.cfg.Record.Withdraw(ctx, key, u.ID)
	if err != nil {
		return fmt.Errorf("take a person out of a thread: %w", err)
	}
	f.add(late)
	if w.Alone {
		f.threads++
		return b.Forget(ctx, w.Thread, u)
	}
	if gone.Newest {
		if err := b.cfg.Runner.Forget(ctx, key); err != nil {
			return fmt.Errorf("forget in memory: %w", err)
		}
	}
	return b.unsay(ctx, key, append(gone.Messages, late.Messages...), gone.Newest)
}

// unsay makes agents forget messages of a thread, and what they kept of them
// beside it.
func (b *Bot) unsay(ctx context.Context, thread string, messages []string, gone bool) error {
	logs, err := b.logsOf(ctx, thread)
	if err != nil {
		return err
	}
	if gone {
		logs = logs[1:] // of its own there is none
	}
	for _, id := range messages {
		log, err := b.cfg.Record.Note(ctx, asidePrefix+bot.RunID(id))
		if err != nil {
			return fmt.Errorf("read note: %w", err)
		}
		if log != "" {
			if err := b.cfg.Runner.Forget(ctx, log); err != nil {
				return fmt.Errorf("forget an aside: %w", err)
			}
		}
		for _, log := range logs {
			if err := b.cfg.Runner.Amend(ctx, log, id, "", true); err != nil {
				return fmt.Errorf("amend memory: %w", err)
			}
		}
	}
	return nil
}

// restWait bounds the wait for another replica that was asked to stop; after it
// the replica's writes are refused instead.
const restWait = 3 * time.Second

// atRest waits until nobody works on a thread, but not long.
func (b *Bot) atRest(ctx context.Context, thread string) {
	s, ok := b.cfg.Record.(bot.Stopper)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, restWait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if working, err := s.Working(ctx, thread); err != nil || !working {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// forgetSettings removes what a person has set for themselves. That nothing
// shall be remembered of them stays: it is how they want it.
func (b *Bot) forgetSettings(ctx context.Context, t bot.Thread, u bot.User) (int, error) {
	place := bot.PersonPlace + t.Person(u)
	rows, err := b.cfg.Record.SettingsOf(ctx, []string{place})
	if err != nil {
		return 0, fmt.Errorf("read settings: %w", err)
	}
	n := 0
	for _, row := range rows {
		if row.Place != place || row.Key == "memory" && string(row.Value) == "false" {
			continue
		}
		if err := b.rules.Set(ctx, bot.Setting{Place: place, Key: row.Key, By: u.ID, At: b.cfg.Now()}); err != nil {
			return n, fmt.Errorf("remove a setting: %w", err)
		}
		n++
	}
	return n, nil
}

// receipt writes what is gone, for the person.
func (f forgotten) receipt(lang string) string {
	own := goneLine(lang, []gone{
		{"bot.gone.threads", f.threads}, {"bot.gone.messages", f.messages}, {"bot.gone.answers", f.answers}, {"bot.gone.traces", f.runs},
		{"bot.gone.votes", f.other}, {"bot.gone.settings", f.settings}, {"bot.gone.sums", f.named},
	})
	if f.total() == 0 {
		return phrase.Say(lang, "bot.there_was_nothing_to_forget")
	}
	text := memoryReceipt(f.memory, lang) + own
	if f.teams > 1 {
		text += phrase.Say(lang, "bot.forgotten_in_places", f.teams)
	}
	return text
}

// memoryReceipt writes what is gone of long-term memory.
func memoryReceipt(r longterm.Receipt, lang string) string {
	var s strings.Builder
	s.WriteString(phrase.Say(lang, "bot.forgotten_records", r.Total()))
	for _, k := range slices.Sorted(maps.Keys(r.Records)) {
		fmt.Fprintf(&s, "\n- %s: %d", kindName(k, lang), r.Records[k])
	}
	s.WriteString(goneLine(lang, []gone{{"bot.gone.notes", r.Notes}, {"bot.gone.uses", r.Uses}, {"bot.gone.jobs", r.Jobs}}))
	return s.String()
}

// gone is how many there were of something that was removed, and the sentence
// that counts it.
type gone struct {
	key string
	n   int
}

// goneLine lists what there was any of, on a line of its own.
func goneLine(lang string, list []gone) string {
	var parts []string
	for _, g := range list {
		if g.n > 0 {
			parts = append(parts, phrase.Say(lang, g.key, g.n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n- " + strings.Join(parts, ", ")
}

// forgetRecords removes single records, and makes agents forget the messages
// that taught them and those whose answers used them; the transcript keeps what
// was said.
func (b *Bot) forgetRecords(ctx context.Context, c bot.Invocation, ids []string) (longterm.Receipt, error) {
	person := c.Thread.Person(c.User)
	taught := map[string]bool{}
	for _, id := range ids {
		notes, err := b.cfg.Memory.History(ctx, person, id)
		if errors.Is(err, longterm.ErrNotFound) {
			continue
		}
		if err != nil {
			return longterm.Receipt{}, fmt.Errorf("find what taught a record: %w", err)
		}
		for _, n := range notes {
			taught[n.Message] = true
		}
	}
	receipt, err := b.cfg.Memory.Forget(ctx, person, ids)
	if err != nil {
		return receipt, err
	}
	for _, run := range receipt.Runs {
		reply, err := b.cfg.Record.Reply(ctx, run)
		if errors.Is(err, bot.ErrNotFound) {
			continue
		}
		if err != nil {
			return receipt, fmt.Errorf("find what used a record: %w", err)
		}
		taught[reply.Item] = true
	}
	delete(taught, "")
	if len(taught) == 0 {
		return receipt, nil
	}
	where, err := b.cfg.Record.ThreadsWith(ctx, c.Thread.Platform, c.Thread.Team, c.User.ID)
	if err != nil {
		return receipt, fmt.Errorf("find a person's threads: %w", err)
	}
	for _, w := range where {
		if err := b.unteach(ctx, w.Thread.Key(), taught); err != nil {
			return receipt, err
		}
	}
	return receipt, nil
}

// unteach makes agents forget those messages of a thread that have to do with
// what is forgotten, with what was answered to them, once nobody works on it.
func (b *Bot) unteach(ctx context.Context, thread string, taught map[string]bool) error {
	entries, err := b.cfg.Record.Transcript(ctx, thread, counted)
	if err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	for _, e := range entries {
		if !taught[e.ID] {
			continue
		}
		if err := b.active.await(ctx, thread); err != nil {
			return fmt.Errorf("wait for the thread's run: %w", err)
		}
		b.atRest(ctx, thread)
		if err := b.cfg.Record.SetNote(ctx, bot.UnsaidNote(e.ID), "1"); err != nil {
			return fmt.Errorf("note what is not quoted any more: %w", err)
		}
		if err := b.cfg.Runner.Amend(ctx, thread, e.ID, "", true); err != nil {
			return fmt.Errorf("amend memory: %w", err)
		}
	}
	return nil
}

// Forget removes everything that is kept of a thread, and stops first what works on
// it, on whichever replica.
func (b *Bot) Forget(ctx context.Context, t bot.Thread, u bot.User) error {
	b.Stop(ctx, t.Key())
	b.atRest(ctx, t.Key())
	b.active.cancelThread(t.Key(), errStop)
	if err := b.active.await(ctx, t.Key()); err != nil {
		return fmt.Errorf("wait for the thread's run to stop: %w", err)
	}
	if err := b.cfg.Runner.Forget(ctx, t.Key()); err != nil {
		return fmt.Errorf("forget in memory: %w", err)
	}
	if err := b.cfg.Record.Forget(ctx, t.Key()); err != nil {
		return fmt.Errorf("forget in the record: %w", err)
	}
	b.audit(ctx, t, u, "thread.forget", map[string]any{"thread": t.Key()})
	return nil
}
