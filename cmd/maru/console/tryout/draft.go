package tryout

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"maru/adapters/web/site"
	"maru/agent/catalog"
	"maru/bot"
	"maru/cmd/maru/console"
	"maru/phrase"
	"maru/phrase/fit"
)

// DraftRehearsal implements site.Rehearsals.
func (m *Room) DraftRehearsal(ctx context.Context, by bot.User, of site.RehearsedChange) (string, map[string]string, error) {
	if err := allowed(by); err != nil {
		return "", nil, err
	}
	var c change
	var name string
	id := strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	var wrong map[string]string
	var err error
	switch of.Kind {
	case site.RehearsesSettings:
		c, name, wrong, err = m.settingsChange(ctx, by, of)
	case site.RehearsesWorkflow:
		c, name, wrong, err = m.workflowChange(ctx, by, of)
	case site.RehearsesDocuments:
		c, name, wrong, err = m.documentsChange(ctx, by, of, id)
	default:
		return "", nil, &bot.Error{Code: bot.CodeUnknown}
	}
	if err != nil || len(wrong) > 0 || name == "" {
		return "", wrong, err
	}
	err = m.notes.add(ctx, row{ID: id, Kind: of.Kind, Name: fit.Clip(name, 200), By: cmp.Or(by.Name, by.ID), At: m.cfg.Now(), State: site.RehearsalDraft}, c)
	if err != nil {
		err = errors.Join(err, m.clear(ctx, id))
	}
	if errors.Is(err, errFull) {
		return "", nil, &bot.Error{Code: bot.CodeBusy, Say: phrase.Say(by.Locale, "web.rehearsal.refused.full"), Err: err}
	}
	return id, nil, err
}

// settingsChange returns the change that a form of settings would make.
func (m *Room) settingsChange(ctx context.Context, by bot.User, of site.RehearsedChange) (c change, name string, wrong map[string]string, err error) {
	forms, err := m.desk.SettingForms(ctx, by, of.Place)
	if err != nil {
		return c, "", nil, err
	}
	act := bot.Action{Verb: console.SaveVerb(of.Place), Thread: of.Place.Thread, User: by, Values: of.Values, Home: true, At: m.cfg.Now()}
	if c.Settings, wrong, err = m.desk.Settings.Proposed(ctx, act, of.Place.Level, by.Locale); err != nil || len(wrong) > 0 {
		return c, "", wrong, err
	}
	if c.Held, err = m.held(ctx, c.Settings); err != nil {
		return c, "", nil, err
	}
	var names []string
	for _, row := range c.Settings {
		v := site.RehearsedValue{Name: row.Key, After: of.Values[row.Key]}
		for _, f := range forms {
			if i := slices.IndexFunc(f.Inputs, func(in bot.Input) bool { return in.ID == row.Key }); i >= 0 {
				v.Name, v.Before = cmp.Or(f.Inputs[i].Label, row.Key), f.Inputs[i].Value
			}
		}
		c.Values = append(c.Values, v)
		names = append(names, fmt.Sprintf("%s: %s → %s", v.Name, cmp.Or(v.Before, "–"), cmp.Or(v.After, "–")))
	}
	return c, strings.Join(names, ", "), nil, nil
}

// held returns the present rows in the places of others.
func (m *Room) held(ctx context.Context, rows []bot.Setting) ([]bot.Setting, error) {
	var out []bot.Setting
	for _, row := range rows {
		there, err := m.cfg.Record.SettingsOf(ctx, []string{row.Place})
		if err != nil {
			return nil, fmt.Errorf("read settings: %w", err)
		}
		for _, t := range there {
			if t.Key == row.Key && t.Place == row.Place {
				out = append(out, bot.Setting{Place: t.Place, Key: t.Key, Value: t.Value})
			}
		}
	}
	return out, nil
}

// between reports whether each row holds its old value or its new one: somebody else may have made part of the change.
func between(now, old, put []bot.Setting) bool {
	for _, row := range put {
		one := func(list []bot.Setting) (out []bot.Setting) {
			for _, r := range list {
				if r.Place == row.Place && r.Key == row.Key {
					out = append(out, r)
				}
			}
			return out
		}
		if n := one(now); !same(n, one(old)) && !same(n, []bot.Setting{row}) {
			return false
		}
	}
	return true
}

// same reports whether rows set the same; a row without a value counts as absent.
func same(a, b []bot.Setting) bool {
	set := func(rows []bot.Setting) map[string]string {
		out := map[string]string{}
		for _, r := range rows {
			var v any
			if r.Value == nil || json.Unmarshal(r.Value, &v) != nil {
				continue
			}
			text, _ := json.Marshal(v) // it was read from JSON
			out[r.Place+"\n"+r.Key] = string(text)
		}
		return out
	}
	x, y := set(a), set(b)
	for k, v := range x {
		if y[k] != v {
			return false
		}
	}
	return len(x) == len(y)
}

// workflowChange returns a definition that is written in the editor.
func (m *Room) workflowChange(ctx context.Context, by bot.User, of site.RehearsedChange) (c change, name string, wrong map[string]string, err error) {
	w, err := m.desk.CheckWorkflow(ctx, by, of.Text)
	if err != nil {
		return c, "", nil, err
	}
	switch {
	case slices.Contains(catalog.IDs(), w.ID):
		return c, "", map[string]string{"/id": phrase.Say(by.Locale, "web.rehearsal.wrong.builtin")}, nil
	case !w.Runs():
		return c, "", map[string]string{"/": phrase.Say(by.Locale, "web.rehearsal.wrong.workflow")}, nil
	}
	c = change{Workflow: w.ID, Page: of.Workflow, Base: of.Base, Text: of.Text}
	switch old, err := m.desk.Workflow(ctx, by, w.ID); {
	case errors.Is(err, bot.ErrNotFound):
	case err != nil:
		return c, "", nil, err
	case of.Workflow != w.ID:
		return c, "", map[string]string{"/id": phrase.Say(by.Locale, "web.rehearsal.wrong.taken", w.ID)}, nil
	default:
		if c.Before = old.Text; c.Before == c.Text {
			return c, "", nil, nil
		}
	}
	return c, cmp.Or(w.Name, w.ID), nil, nil
}
