package tryout

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/adapters/web/site"
	"maru/bot"
)

// Why something is not done.
const (
	running  site.RehearsalRefusal = "running"
	decided  site.RehearsalRefusal = "decided"
	idle     site.RehearsalRefusal = "idle"
	changed  site.RehearsalRefusal = "changed"
	unpriced site.RehearsalRefusal = "unpriced"
	nowhere  site.RehearsalRefusal = "channel"
	unknown  site.RehearsalRefusal = "unknown"
	nothing  site.RehearsalRefusal = ""
)

// placeOf returns a channel as the record knows it: "slack/T1/C1"; "" is all of them.
func placeOf(text string) (team, channel string, ok bool) {
	if text == "" {
		return "", "", true
	}
	t, err := bot.ParseThread(text + "/")
	if err != nil || strings.Count(text, "/") != 2 {
		return "", "", false
	}
	return t.TeamKey(), t.Channel, true
}

// ActOnRehearsal implements site.Rehearsals.
func (m *Room) ActOnRehearsal(ctx context.Context, by bot.User, from bot.Thread, id string, do site.RehearsalAct, b site.RehearsalBounds) (site.RehearsalRefusal, error) {
	if err := allowed(by); err != nil {
		return "", err
	}
	m.acts.Lock()
	defer m.acts.Unlock()
	r, c, err := m.notes.one(ctx, id)
	if errors.Is(err, bot.ErrNotFound) && r.ID != "" && do == site.RehearsalDiscard { // a crash left it half forgotten
		return nothing, m.forget(ctx, r)
	}
	if err != nil {
		return "", err
	}
	open := r.State != site.RehearsalAccepted && r.State != site.RehearsalRolled
	var refused site.RehearsalRefusal
	switch {
	case do == site.RehearsalStop && r.State != site.RehearsalRuns:
		return idle, nil
	case do == site.RehearsalStop:
		return nothing, m.cfg.Record.SetNote(ctx, partKey(id, "stop"), by.ID)
	case r.State == site.RehearsalRuns:
		return running, nil
	case do == site.RehearsalDiscard:
		return m.discard(ctx, by, from, r, c)
	case do == site.RehearsalStart && open:
		refused, err = m.start(ctx, r, b)
	case do == site.RehearsalAccept && open:
		refused, err = m.accept(ctx, by, from, r, c)
	case do == site.RehearsalRollBack && r.State == site.RehearsalAccepted:
		refused, err = m.rollBack(ctx, by, from, r, c)
	case do == site.RehearsalStart || do == site.RehearsalAccept || do == site.RehearsalRollBack:
		return decided, nil
	default:
		return unknown, nil
	}
	if err == nil && refused == nothing {
		m.desk.NoteAct(ctx, from, by, "rehearsal."+string(do), map[string]any{"rehearsal": id, "kind": r.Kind, "change": r.Name})
	}
	return refused, err
}

// start has a rehearsal played. One that was started before keeps its questions.
func (m *Room) start(ctx context.Context, r row, b site.RehearsalBounds) (site.RehearsalRefusal, error) {
	if b.Cost > 0 && !m.priced() {
		return unpriced, nil
	}
	if _, _, ok := placeOf(b.Channel); !ok {
		return nowhere, nil
	}
	if err := m.notes.drop(ctx, partKey(r.ID, "stop")); err != nil {
		return "", err
	}
	if r.Chosen {
		b.Channel, b.Last, b.Baseline, b.All = r.Bounds.Channel, r.Bounds.Last, r.Bounds.Baseline, r.Bounds.All
	}
	r.Bounds, r.State, r.Why = b, site.RehearsalRuns, ""
	r.Stint++
	if err := m.notes.save(ctx, r); err != nil {
		return "", err
	}
	select {
	case m.wake <- struct{}{}:
	default:
	}
	return nothing, nil
}

// accept has the change take effect. It may be called again after a crash in the middle.
func (m *Room) accept(ctx context.Context, by bot.User, from bot.Thread, r row, c change) (site.RehearsalRefusal, error) {
	switch r.Kind {
	case site.RehearsesSettings:
		if refused, err := m.put(ctx, by, c, c.Settings, c.Settings); err != nil || refused != nothing {
			return refused, err
		}
	case site.RehearsesWorkflow:
		done, err := m.desk.SaveWorkflow(ctx, by, c.Page, c.Base, c.Text)
		if err != nil {
			return "", err
		}
		if !done.Saved {
			return changed, nil
		}
		r.N = done.Newest.N
	case site.RehearsesDocuments:
		if refused, err := m.acceptDocuments(ctx, by, from, r.ID, &c); err != nil || refused != nothing {
			return refused, err
		}
	}
	r.State = site.RehearsalAccepted
	return nothing, m.notes.save(ctx, r)
}

// rollBack has hold again what held before the change was accepted.
func (m *Room) rollBack(ctx context.Context, by bot.User, from bot.Thread, r row, c change) (site.RehearsalRefusal, error) {
	switch r.Kind {
	case site.RehearsesSettings:
		if refused, err := m.put(ctx, by, c, c.Held, back(c)); err != nil || refused != nothing {
			return refused, err
		}
	case site.RehearsesWorkflow:
		if refused, err := m.restore(ctx, by, r, c); err != nil || refused != nothing {
			return refused, err
		}
	case site.RehearsesDocuments:
		if refused, err := m.restoreDocuments(ctx, by, from, r.ID, c, false); err != nil || refused != nothing {
			return refused, err
		}
	}
	r.State = site.RehearsalRolled
	return nothing, m.notes.save(ctx, r)
}

// put stores rows of a change of settings unless the wanted ones hold already. It is refused where others have changed them.
func (m *Room) put(ctx context.Context, by bot.User, c change, wanted, rows []bot.Setting) (site.RehearsalRefusal, error) {
	now, err := m.held(ctx, c.Settings)
	switch {
	case err != nil:
		return "", err
	case same(now, wanted):
		return nothing, nil
	case !between(now, c.Held, c.Settings):
		return changed, nil
	}
	done, err := m.desk.Settings.Put(ctx, by, rows, now)
	if err != nil {
		return "", fmt.Errorf("store settings: %w", err)
	}
	if !done {
		return changed, nil
	}
	return nothing, nil
}

// back returns the rows that undo a change of settings.
func back(c change) []bot.Setting {
	var out []bot.Setting
	for _, row := range c.Settings {
		old := bot.Setting{Place: row.Place, Key: row.Key}
		for _, h := range c.Held {
			if h.Place == row.Place && h.Key == row.Key {
				old.Value = h.Value
			}
		}
		out = append(out, old)
	}
	return out
}

// restore has the version before serve again, or none if there was none.
func (m *Room) restore(ctx context.Context, by bot.User, r row, c change) (site.RehearsalRefusal, error) {
	versions, err := m.desk.WorkflowVersions(ctx, by, c.Workflow)
	if err != nil {
		return "", err
	}
	if len(versions) == 0 || versions[0].N != r.N {
		return changed, nil
	}
	var done site.SavedWorkflow
	if len(versions) > 1 && !versions[1].Removed {
		done, err = m.desk.RestoreWorkflow(ctx, by, c.Workflow, r.N, versions[1].N)
	} else {
		done, err = m.desk.RemoveWorkflow(ctx, by, c.Workflow, r.N)
	}
	if err == nil && !done.Saved {
		return changed, nil
	}
	return nothing, err
}
