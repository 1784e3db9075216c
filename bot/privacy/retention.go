package privacy

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"maru/bot"
	"maru/config"
	"maru/memory/longterm"
)

// keyRetention is the setting for how long messages are kept.
const keyRetention = "retention"

// Expiry is the body of an ItemExpire: delete what User ("": anybody) said in the thread
// before a time.
type Expiry struct {
	User   string    `json:"user,omitempty"`
	Before time.Time `json:"before"`
}

// ReadExpiry reads the body of an ItemExpire.
func ReadExpiry(it bot.Item) (Expiry, error) {
	var e Expiry
	err := json.Unmarshal(it.Body, &e)
	return e, err
}

// lastOrder sorts an item after all others in its thread.
var lastOrder = strings.Repeat("~", 64)

// Expire deletes the expired entries of a leased thread: from the agents' logs first,
// because the record is the only index to them.
func (kp *Keeper) Expire(ctx context.Context, l bot.Lease, it bot.Item, e Expiry) error {
	if gaveUp, err := kp.closeOldQuestions(ctx, it, e); err != nil {
		return err
	} else if gaveUp { // the requester is told first; the rest is deleted tomorrow
		return kp.record.Finish(ctx, l, it.ID, bot.Outcome{})
	}
	old, rest, err := kp.record.Old(ctx, it.Thread, e.User, e.Before)
	if err != nil {
		return fmt.Errorf("find expired entries: %w", err)
	}
	if len(old) > 0 {
		if !rest {
			if err := kp.agents.Forget(ctx, it.Thread); err != nil {
				return fmt.Errorf("forget in memory: %w", err)
			}
		}
		if err := kp.forgetter.forgetMessages(ctx, it.Thread, old, !rest); err != nil {
			return err
		}
	}
	if _, err := kp.record.Expire(ctx, l, e.User, e.Before); err != nil {
		return fmt.Errorf("remove expired entries: %w", err)
	}
	return kp.record.Finish(ctx, l, it.ID, bot.Outcome{})
}

// closedQuestions limits the questions closed by one item.
const closedQuestions = 100

// closeOldQuestions closes questions asked before the expiry, and reports whether this or
// an earlier attempt of the item closed any.
func (kp *Keeper) closeOldQuestions(ctx context.Context, it bot.Item, e Expiry) (gaveUp bool, err error) {
	note := "gaveup/" + it.ID
	if it.Attempts > 0 {
		before, err := kp.record.Note(ctx, note)
		if err != nil {
			return false, fmt.Errorf("read note: %w", err)
		}
		gaveUp = before != ""
	}
	rows, err := kp.record.PendingApprovals(ctx, it.Thread, closedQuestions)
	if err != nil {
		return false, fmt.Errorf("find pending questions: %w", err)
	}
	for _, row := range rows {
		theirs := e.User == "" || len(row.Allowed) > 0 && row.Allowed[0] == e.User
		if theirs && row.Created.Before(e.Before) {
			if err := kp.record.SetNote(ctx, note, "1"); err != nil { // first, so that an interrupted attempt is known
				return false, fmt.Errorf("record given-up questions: %w", err)
			}
			kp.runs.GiveUp(ctx, row)
			gaveUp = true
		}
	}
	return gaveUp, nil
}

// sweepAges enqueues the deletion of expired entries in all places.
func (kp *Keeper) sweepAges(ctx context.Context) error {
	rows, err := kp.record.SettingsNamed(ctx, keyRetention)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	k := retentions{program: kp.rules.Defaults().Retention, places: map[string]time.Duration{}}
	for _, row := range rows {
		var text string
		if json.Unmarshal(row.Value, &text) != nil {
			continue
		}
		if age, err := time.ParseDuration(text); err == nil {
			k.places[row.Place] = age
		}
	}
	return k.each(func(place string, age time.Duration) error {
		if err := kp.sweepPlace(ctx, k, place, age); err != nil {
			return err
		}
		return kp.sweepLearned(ctx, k, place, age)
	})
}

// agedStep is the page size of the list of threads.
const agedStep = 200

// sweepPlace enqueues an ItemExpire for every thread of a place with expired entries,
// unless a narrower place has its own retention. The item's id contains the day, so that
// several replicas enqueue it once.
func (kp *Keeper) sweepPlace(ctx context.Context, k retentions, place string, age time.Duration) error {
	now := kp.now()
	q := bot.AgedQuery{Place: place, Before: now.Add(-age), Limit: agedStep}
	person, theirs := strings.CutPrefix(place, bot.PersonPlace)
	if theirs {
		at := strings.LastIndexByte(person, '/')
		q.Place, q.User = person[:max(at, 0)], bot.Unesc(person[at+1:])
	}
	put := map[string]int{} // threads by workspace
	for {
		keys, err := kp.record.Aged(ctx, q)
		if err != nil {
			return fmt.Errorf("find expired threads: %w", err)
		}
		for _, key := range keys {
			q.After = key
			t, err := bot.ParseThread(key)
			if err != nil || !k.applies(place, t, theirs) {
				continue
			}
			body, err := json.Marshal(Expiry{User: q.User, Before: q.Before})
			if err != nil {
				return err
			}
			id := strings.Join([]string{"expire", key, bot.Esc(q.User), age.String(), now.UTC().Format(time.DateOnly)}, "/")
			fresh, err := kp.record.Put(ctx, bot.Item{ID: id, Thread: key, Kind: bot.ItemExpire, Order: lastOrder, Body: body})
			if err != nil {
				return fmt.Errorf("enqueue expiry: %w", err)
			}
			if fresh {
				put[t.TeamKey()]++
				kp.runs.Wake(key)
			}
		}
		if len(keys) < agedStep {
			break
		}
	}
	for team, n := range put {
		t, err := bot.ParseThread(team + "//")
		if err != nil {
			return err
		}
		kp.rules.Audit(ctx, t, bot.User{}, "retention.apply", map[string]any{"place": place, "kept": config.SpanText(age), "threads": n})
	}
	return nil
}

// retentions are the retention settings of all levels.
type retentions struct {
	program time.Duration            // 0: for good
	places  map[string]time.Duration // by Setting.Place
}

// each calls fn once for every place with a bounded retention; the place "" stands for
// the program's default.
func (k retentions) each(fn func(place string, age time.Duration) error) error {
	if k.program > 0 {
		if err := fn("", k.program); err != nil {
			return err
		}
	}
	for place, age := range k.places {
		if age <= 0 {
			continue
		}
		if err := fn(place, age); err != nil {
			return err
		}
	}
	return nil
}

// narrowest returns the narrowest place of a thread with a retention setting, and its
// value.
func (k retentions) narrowest(t bot.Thread) (place string, age time.Duration) {
	at := t.Places(bot.User{})
	for _, p := range []string{at[2], at[1], at[0]} {
		if age, ok := k.places[p]; ok {
			return p, age
		}
	}
	return "", k.program
}

// applies reports whether a place's retention counts in a thread: the narrowest place
// wins, and a person may shorten it for their own messages.
func (k retentions) applies(place string, t bot.Thread, person bool) bool {
	narrowest, age := k.narrowest(t)
	if person {
		return config.Sooner(k.places[place], age)
	}
	return narrowest == place
}

// sweepLearned deletes expired memory records of a place or a person. Records have no
// thread, so retention of a single thread does not concern them.
func (kp *Keeper) sweepLearned(ctx context.Context, k retentions, place string, age time.Duration) error {
	if kp.memory == nil {
		return nil
	}
	var part longterm.Part
	person, theirs := strings.CutPrefix(place, bot.PersonPlace)
	parts := strings.Split(place, "/")
	switch {
	case place == "":
		part.NotWorkspaces, part.NotScopes = k.excluded("")
	case theirs:
		part.Person = person
	case len(parts) == 2:
		part.Workspace = place
		_, part.NotScopes = k.excluded(place)
	case len(parts) == 3:
		part.Scope = bot.PlaceScope(place)
	default:
		return nil
	}
	return kp.sweepMemoryPart(ctx, part, kp.now().Add(-age))
}

// excluded returns the workspaces and channel scopes below a place that have their own
// retention.
func (k retentions) excluded(place string) (workspaces, scopes []string) {
	for p := range k.places {
		if strings.HasPrefix(p, bot.PersonPlace) || place != "" && !strings.HasPrefix(p, place+"/") {
			continue
		}
		switch strings.Count(p, "/") {
		case 1:
			workspaces = append(workspaces, p)
		case 2:
			scopes = append(scopes, bot.PlaceScope(p))
		}
	}
	return workspaces, scopes
}
