package privacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/bot"
	"maru/bot/exchange"
	"maru/bot/place"
	"maru/memory/longterm"
)

// PersonRecord is the part of the record that a [Forgetter] needs.
type PersonRecord interface {
	bot.Persons
	SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error)
	Note(ctx context.Context, key string) (string, error)
	SetNote(ctx context.Context, key, value string) error
	Reply(ctx context.Context, run string) (bot.Reply, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	Forget(ctx context.Context, thread string) error
}

// Forgetter deletes the data of a person or a thread. It is safe for concurrent use.
type Forgetter struct {
	record    PersonRecord
	agents    Agents
	rules     *place.Rules
	runs      Runs
	memory    *longterm.Memory
	documents Purger // nil: no documents of workspaces
	caches    func(ctx context.Context) error
	facts     func(platform string) bot.Facts
	now       func() time.Time
	exchanges exchange.Store // nil: there are none
}

// Person deletes everything about a person in one workspace or, with everywhere, in all
// workspaces of a platform with global accounts: long-term memory, threads nobody else
// took part in, their messages in other threads with the answers to them, their notes for channels, and their
// settings, except the one that switches memory off. When it returns, the data is gone
// from the record, the agents' logs, the live state and the caches; after an error the
// call can be repeated for the rest. See docs/decisions/0710.
func (fg *Forgetter) Person(ctx context.Context, t bot.Thread, u bot.User, everywhere bool) (Forgotten, error) {
	var f Forgotten
	teams := []string{t.Team}
	if everywhere {
		others, err := fg.OtherTeams(ctx, t, u)
		if err != nil {
			return f, err
		}
		teams = append(teams, others...)
	}
	for _, team := range teams {
		before := f.total()
		in := bot.Thread{Platform: t.Platform, Team: team}
		if err := fg.forgetInTeam(ctx, in, u, &f); err != nil {
			return f, err
		}
		if f.total() > before {
			f.teams++
		}
	}
	if fg.caches != nil {
		if err := fg.caches(ctx); err != nil {
			return f, fmt.Errorf("empty the caches: %w", err)
		}
	}
	if err := fg.record.Scrub(ctx); err != nil {
		return f, fmt.Errorf("scrub the record: %w", err)
	}
	return f, nil
}

// OtherTeams lists the other workspaces with data about the same account; none on
// platforms whose accounts belong to one workspace.
func (fg *Forgetter) OtherTeams(ctx context.Context, t bot.Thread, u bot.User) ([]string, error) {
	if !fg.facts(t.Platform).GlobalAccounts {
		return nil, nil
	}
	teams, err := fg.record.TeamsWith(ctx, t.Platform, u.ID)
	if err != nil {
		return nil, fmt.Errorf("find a person's workspaces: %w", err)
	}
	return slices.DeleteFunc(teams, func(team string) bool { return team == t.Team }), nil
}

// forgetInTeam is Person for one workspace, without the steps common to all.
func (fg *Forgetter) forgetInTeam(ctx context.Context, t bot.Thread, u bot.User, f *Forgotten) error {
	where, err := fg.record.ThreadsWith(ctx, t.Platform, t.Team, u.ID)
	if err != nil {
		return fmt.Errorf("find a person's threads: %w", err)
	}
	threads, messages := f.threads, f.messages
	for _, w := range where {
		if err := fg.withdraw(ctx, w, u, f); err != nil {
			return err
		}
	}
	named, err := fg.record.Unname(ctx, t.Platform, t.Team, u.ID)
	if err != nil {
		return fmt.Errorf("forget a person's name: %w", err)
	}
	settings, err := fg.forgetSettings(ctx, t, u)
	if err != nil {
		return err
	}
	var memory longterm.Receipt
	if fg.memory != nil {
		if memory, err = fg.memory.Forget(ctx, t.Person(u), nil); err != nil {
			return fmt.Errorf("forget memories: %w", err)
		}
	}
	if fg.documents != nil {
		notes, err := fg.documents.PurgeBy(ctx, t.TeamKey(), t.NoteBy(u))
		if err != nil {
			return fmt.Errorf("forget notes for channels: %w", err)
		}
		f.notes += notes
	}
	f.named, f.settings, f.memory = f.named+named, f.settings+settings, f.memory.Plus(memory)
	fg.rules.Audit(ctx, t, u, "person.forget", map[string]any{"threads": f.threads - threads, "messages": f.messages - messages, "records": memory.Total()})
	return nil
}

// withdraw removes a person from one thread. Agents forget the whole thread if nobody
// else took part, or if the last turn was the person's, since its state holds their
// words; elsewhere they forget the person's messages one by one.
func (fg *Forgetter) withdraw(ctx context.Context, w bot.ThreadWith, u bot.User, f *Forgotten) error {
	key := w.Thread.Key()
	if w.Alone {
		if _, err := fg.runs.Stop(ctx, key, bot.Bound{}); err != nil {
			return fmt.Errorf("stop its runs: %w", err)
		}
		fg.awaitIdle(ctx, key)
	}
	// The first Withdraw fences other replicas. The run of this process is cancelled
	// next, and the second Withdraw deletes what it wrote in between.
	gone, err := fg.record.Withdraw(ctx, key, u.ID)
	if err != nil {
		return fmt.Errorf("withdraw a person from a thread: %w", err)
	}
	f.add(gone)
	fg.runs.Fence(key)
	if err := fg.runs.Await(ctx, key); err != nil {
		return fmt.Errorf("wait for the thread's run to stop: %w", err)
	}
	late, err := fg.record.Withdraw(ctx, key, u.ID)
	if err != nil {
		return fmt.Errorf("withdraw a person from a thread: %w", err)
	}
	f.add(late)
	if w.Alone {
		f.threads++
		return fg.Forget(ctx, w.Thread, u)
	}
	if gone.Newest {
		if err := fg.agents.Forget(ctx, key); err != nil {
			return fmt.Errorf("forget in memory: %w", err)
		}
	}
	return fg.forgetMessages(ctx, key, append(gone.Messages, late.Messages...), gone.Newest)
}

// forgetMessages removes messages from the agents' logs of a thread and of its asides.
func (fg *Forgetter) forgetMessages(ctx context.Context, thread string, messages []string, gone bool) error {
	logs, err := fg.runs.LogsOf(ctx, thread)
	if err != nil {
		return err
	}
	if gone {
		logs = logs[1:] // of its own there is none
	}
	for _, id := range messages {
		log, err := fg.record.Note(ctx, bot.NoteAside+bot.RunID(id))
		if err != nil {
			return fmt.Errorf("read note: %w", err)
		}
		if log != "" {
			if err := fg.agents.Forget(ctx, log); err != nil {
				return fmt.Errorf("forget an aside: %w", err)
			}
		}
		for _, log := range logs {
			if err := fg.agents.Amend(ctx, log, id, "", true); err != nil {
				return fmt.Errorf("amend memory: %w", err)
			}
		}
	}
	return nil
}

// idleWait bounds the wait for another replica to stop; after it the fencing token
// rejects that replica's writes.
const idleWait = 3 * time.Second

// awaitIdle waits, for at most idleWait, until no replica works on a thread.
func (fg *Forgetter) awaitIdle(ctx context.Context, thread string) {
	s, ok := fg.record.(bot.Stopper)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, idleWait)
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

// forgetSettings removes a person's own settings, except memory=false: the opt-out outlives the data.
func (fg *Forgetter) forgetSettings(ctx context.Context, t bot.Thread, u bot.User) (int, error) {
	rows, err := fg.ownSettings(ctx, t, u)
	if err != nil {
		return 0, err
	}
	for n, row := range rows {
		if err := fg.rules.Set(ctx, bot.Setting{Place: row.Place, Key: row.Key, By: u.ID, At: fg.now()}); err != nil {
			return n, fmt.Errorf("remove a setting: %w", err)
		}
	}
	return len(rows), nil
}

// ownSettings returns the settings that forgetting a person removes.
func (fg *Forgetter) ownSettings(ctx context.Context, t bot.Thread, u bot.User) ([]bot.Setting, error) {
	place := bot.PersonPlace + t.Person(u)
	rows, err := fg.record.SettingsOf(ctx, []string{place})
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return slices.DeleteFunc(rows, func(row bot.Setting) bool {
		return row.Place != place || row.Key == "memory" && string(row.Value) == "false"
	}), nil
}

// Records deletes single memory records and makes agents forget the messages they came
// from and the turns that used them. The transcript is unchanged.
func (fg *Forgetter) Records(ctx context.Context, c bot.Invocation, ids []string) (longterm.Receipt, error) {
	person := c.Thread.Person(c.User)
	taught := map[string]bool{}
	for _, id := range ids {
		notes, err := fg.memory.History(ctx, person, id)
		if errors.Is(err, longterm.ErrNotFound) {
			continue
		}
		if err != nil {
			return longterm.Receipt{}, fmt.Errorf("find the sources of a record: %w", err)
		}
		for _, n := range notes {
			taught[n.Message] = true
		}
	}
	receipt, err := fg.memory.Forget(ctx, person, ids)
	if err != nil {
		return receipt, err
	}
	for _, run := range receipt.Runs {
		reply, err := fg.record.Reply(ctx, run)
		if errors.Is(err, bot.ErrNotFound) {
			continue
		}
		if err != nil {
			return receipt, fmt.Errorf("find the uses of a record: %w", err)
		}
		taught[reply.Item] = true
	}
	delete(taught, "")
	if len(taught) == 0 {
		return receipt, nil
	}
	where, err := fg.record.ThreadsWith(ctx, c.Thread.Platform, c.Thread.Team, c.User.ID)
	if err != nil {
		return receipt, fmt.Errorf("find a person's threads: %w", err)
	}
	for _, w := range where {
		if err := fg.forgetLessons(ctx, w.Thread.Key(), taught); err != nil {
			return receipt, err
		}
	}
	return receipt, nil
}

// searchedEntries is how many of a thread's newest entries are searched for messages.
const searchedEntries = 1000

// forgetLessons waits until the thread is idle and makes agents forget the given
// messages with their answers.
func (fg *Forgetter) forgetLessons(ctx context.Context, thread string, taught map[string]bool) error {
	entries, err := fg.record.Transcript(ctx, thread, searchedEntries)
	if err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	for _, e := range entries {
		if !taught[e.ID] {
			continue
		}
		if err := fg.runs.Await(ctx, thread); err != nil {
			return fmt.Errorf("wait for the thread's run: %w", err)
		}
		fg.awaitIdle(ctx, thread)
		if err := fg.record.SetNote(ctx, bot.NoteUnsaid+e.ID, "1"); err != nil {
			return fmt.Errorf("record unquotable messages: %w", err)
		}
		if err := fg.agents.Amend(ctx, thread, e.ID, "", true); err != nil {
			return fmt.Errorf("amend memory: %w", err)
		}
		if fg.exchanges != nil {
			if err := fg.exchanges.DropExchanges(ctx, thread); err != nil {
				return fmt.Errorf("forget prompts: %w", err)
			}
		}
	}
	return nil
}

// Forget stops the runs of a thread on every replica and deletes the thread.
func (fg *Forgetter) Forget(ctx context.Context, t bot.Thread, u bot.User) error {
	if _, err := fg.runs.Stop(ctx, t.Key(), bot.Bound{}); err != nil {
		return fmt.Errorf("stop its runs: %w", err)
	}
	fg.awaitIdle(ctx, t.Key())
	fg.runs.StopHere(t.Key())
	if err := fg.runs.Await(ctx, t.Key()); err != nil {
		return fmt.Errorf("wait for the thread's run to stop: %w", err)
	}
	if err := fg.agents.Forget(ctx, t.Key()); err != nil {
		return fmt.Errorf("forget in memory: %w", err)
	}
	if err := fg.record.Forget(ctx, t.Key()); err != nil {
		return fmt.Errorf("forget in the record: %w", err)
	}
	fg.rules.Audit(ctx, t, u, "thread.forget", map[string]any{"thread": t.Key()})
	return nil
}
