package command

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// changes returns the fields that a person changed in a form, with the hints of rejected ones by key: of invalid values, and of
// settings that somebody else changed since the form was opened. It removes the other fields from the values. A form
// without marks may come from a program: each value that differs from the present one is a change.
func (st *Settings) changes(ctx context.Context, a *bot.Action, level config.Level, lang string) (changes []settingsRequest, bad map[string]string, err error) {
	if a.User, err = st.rules.EffectiveUser(ctx, a.Thread, a.User); err != nil {
		return nil, nil, err
	}
	set, err := st.rules.SettingsNow(ctx, a.Thread, a.User)
	if err != nil {
		return nil, nil, err
	}
	bad = map[string]string{}
	values, marks := joinPeopleFields(a.Values), marksOf(a.Verb)
	for _, k := range config.Keys() {
		v, there := values[k.Name]
		now := k.Text(set.Value(k.Name))
		switch {
		case !there:
			continue
		case mark(k, v) == mark(k, now) || slices.Contains(marks, mark(k, v)):
			delete(a.Values, k.Name)
			if k.Name == keyApprovers {
				delete(a.Values, otherApprovers)
			}
			continue
		case len(marks) > 0 && !slices.Contains(marks, mark(k, now)):
			bad[k.Name] = phrase.Say(lang, "bot.settings.meanwhile", cmp.Or(fit.Clip(fit.OneLine(now), 80), "–"))
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

// markLength is the length of a mark: those of five settings fit the 100 characters of a Discord form's ID.
const markLength = 4

// mark identifies the value of a setting that a form shows. The order of a list does not count.
func mark(k config.Key, text string) string {
	text = strings.TrimSpace(text)
	if k.Kind == "list" {
		list := split(text)
		slices.Sort(list)
		text = strings.Join(slices.Compact(list), ",")
	}
	sum := sha256.Sum256([]byte(k.Name + "=" + text))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:markLength]
}

// marksOf returns the marks in the verb of a submitted form.
func marksOf(verb string) (marks []string) {
	all := verb[strings.LastIndex(verb, ".")+1:]
	if strings.Count(verb, ".") < 2 {
		return nil
	}
	for part := range slices.Chunk([]byte(all), markLength) {
		marks = append(marks, string(part))
	}
	return marks
}

// Proposed returns the rows that saving a form at a level would store, and stores nothing; a row without a value clears a setting.
// wrong has the hints of refused fields by key. As on saving, fields that the person left as the form showed them are removed from
// the values.
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

// Put stores rows of [Settings.Proposed] together, each with its audit entry, in place of the rows that were found. It stores none
// and reports false if somebody else changed one since.
func (st *Settings) Put(ctx context.Context, by bot.User, rows, found []bot.Setting) (bool, error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r bot.Setting) bool { return bytes.Equal(place.ValueOf(found, r.Place, r.Key), r.Value) })
	for i := range rows {
		rows[i].By = by.ID
	}
	return st.rules.SetIf(ctx, rows, found)
}
