package sync

import (
	"cmp"
	"context"
	"errors"
	"time"

	"maru/bot/chore"
	"maru/rag/source"
)

// deadly is how many deaths of processes park the item that they were reading. The process does other work, too: two
// deaths that have nothing to do with the item are no rarity, such as a kill by the operator and a lack of memory.
const deadly = 3

// mark commits that this process reads an item, before it does: if it dies, the next process knows of which. An item at
// which a process died before is read while no other source is read here, so that the next deaths are no other source's.
func (l *look) mark(ctx context.Context, e *source.Entry) error {
	leave, err := l.room.enter(ctx, e.Deaths > 0)
	if err != nil {
		return err
	}
	l.unlock = leave
	e.InHand = l.Owner
	if err := l.Store.SaveSource(ctx, l.row.Name, l.Owner, l.p, []source.Entry{*e}, nil); err != nil {
		return err
	}
	l.inHand = e.ID
	return nil
}

// release removes the mark if no commit has removed it, such as at the end of the program.
func (l *look) release(ctx context.Context, e source.Entry) error {
	if l.unlock != nil {
		l.unlock()
		l.unlock = nil
	}
	if l.inHand != e.ID {
		return nil
	}
	last, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	now, err := l.Store.SourceItems(last, l.row.Name, source.Query{IDs: []string{e.ID}, Limit: 1})
	if err == nil && len(now) > 0 {
		err = l.save(last, now, nil)
	}
	l.inHand = ""
	if errors.Is(err, source.ErrLost) { // another process has the source and counts one death too many
		return nil
	}
	return err
}

// park counts the death of a process that was reading an item, and parks the item after [deadly].
func (l *look) park(ctx context.Context, e *source.Entry) (parked bool, err error) {
	if e.InHand == "" || e.InHand == l.Owner {
		return false, nil
	}
	e.Deaths++
	l.log.WarnContext(ctx, "a process died while it read a document of a source", "item", e.ID, "owner", e.InHand, "deaths", e.Deaths)
	e.InHand = ""
	if e.Deaths < deadly {
		return false, l.save(ctx, []source.Entry{*e}, nil)
	}
	e.State, e.Tries, e.Due, e.Checked = source.Parked, 0, time.Time{}, l.Now()
	e.Why = source.WhyOf(&source.Fault{Key: "source.deadly", Args: []any{cmp.Or(e.Title, e.ID), l.row.Name}}, "")
	l.log.WarnContext(ctx, "document of a source parked", "item", because(*e))
	return true, l.save(ctx, []source.Entry{*e}, nil)
}

// room is where items are read: together, or one alone. Whoever waits for it stops with its context.
type room struct {
	door  chan struct{} // held while seats are taken, so that nobody overtakes the one who wants all
	seats chan struct{}
}

func newRoom(seats int) room { return room{make(chan struct{}, 1), make(chan struct{}, seats)} }

// enter takes a seat, or all of them.
func (r room) enter(ctx context.Context, alone bool) (leave func(), err error) {
	select {
	case r.door <- struct{}{}:
		defer func() { <-r.door }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	want, taken := 1, 0
	if alone {
		want = cap(r.seats)
	}
	leave = func() {
		for range taken {
			<-r.seats
		}
	}
	for ; taken < want; taken++ {
		select {
		case r.seats <- struct{}{}:
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
	return leave, nil
}

// retry makes parked items pending if a person asked for that.
func (l *look) retry(ctx context.Context) error {
	if !l.row.Retry.After(l.p.Retried) {
		return nil
	}
	err := l.each(ctx, source.Query{States: []source.State{source.Parked}}, func(list []source.Entry) error {
		for i := range list {
			list[i].State, list[i].Deaths, list[i].Why, list[i].Validators = source.Pending, 0, nil, ""
		}
		return l.save(ctx, list, nil)
	})
	if err != nil {
		return err
	}
	l.p.Retried = l.row.Retry
	return l.save(ctx, nil, nil)
}
