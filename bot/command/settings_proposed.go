package command

import (
	"bytes"
	"context"
	"strings"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
)

// changes returns the changed values of a form, with the hints of rejected fields by key.
func (st *Settings) changes(ctx context.Context, a *bot.Action, level config.Level, lang string) (changes []settingsRequest, bad map[string]string, err error) {
	if a.User, err = st.rules.EffectiveUser(ctx, a.Thread, a.User); err != nil {
		return nil, nil, err
	}
	set, err := st.rules.Settings(ctx, a.Thread, a.User)
	if err != nil {
		return nil, nil, err
	}
	bad = map[string]string{}
	joinPeopleFields(a.Values)
	for _, k := range config.Keys() {
		v, there := a.Values[k.Name]
		if !there || unchanged(k, k.Text(set.Value(k.Name)), v) {
			continue
		}
		if strings.TrimSpace(v) == "" && !k.Blank() { // emptied: the value of a wider level applies
			if at, ok := st.levelFor(k, a.Thread, a.User, level); ok && set.From[k.Name] == at {
				changes = append(changes, settingsRequest{action: "clear", level: level, key: k.Name})
			}
			continue
		}
		if _, hint, err := st.parse(a.Thread, k, v, lang); err != nil {
			bad[k.Name] = hint
			continue
		}
		changes = append(changes, settingsRequest{action: "set", level: level, key: k.Name, value: v})
	}
	return changes, bad, nil
}

// Proposed returns the rows that saving a form at a level would store, and stores nothing; a row without a value clears a setting.
// wrong has the hints of refused fields by key.
func (st *Settings) Proposed(ctx context.Context, a bot.Action, level, lang string) (rows []bot.Setting, wrong map[string]string, err error) {
	changes, wrong, err := st.changes(ctx, &a, levelNamed(level), lang)
	if err != nil || len(wrong) > 0 {
		return nil, wrong, err
	}
	for i := range changes {
		row, err := st.row(ctx, a.Thread, a.User, &changes[i], lang)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil, nil
}

// Put stores rows of [Settings.Proposed], each with its audit entry, in place of the rows that were found. It stops and reports
// false at the first that somebody else changed since.
func (st *Settings) Put(ctx context.Context, by bot.User, rows, found []bot.Setting) (bool, error) {
	for _, row := range rows {
		row.By = by.ID
		before := place.ValueOf(found, row.Place, row.Key)
		if bytes.Equal(before, row.Value) { // stored by an attempt before this one
			continue
		}
		if done, err := st.rules.SetIf(ctx, row, before); err != nil || !done {
			return false, err
		}
	}
	return true, nil
}
