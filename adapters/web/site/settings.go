package site

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"maru/bot"
	"maru/phrase/fit"
)

// Settings shows the settings of a place as forms, one per group of keys, with the origin of every value in a
// field's hint. SettingForms returns those that the person may change at a level of a place. SaveSettings stores
// one and returns the result, or the errors by field, in which case nothing is stored. It removes fields that the
// person did not change from values.
type Settings interface {
	SettingForms(ctx context.Context, by bot.User, of SettingPlace) ([]bot.Form, error)
	SaveSettings(ctx context.Context, by bot.User, of SettingPlace, values map[string]string) (said string, wrong map[string]string, err error)
}

// SettingPlace is a place with a level.
type SettingPlace struct {
	Thread bot.Thread // without an ID
	Level  string     // "workspace", "channel" or "person"
	Form   string     // the verb of a submitted form
}

type settingsPage struct {
	base
	placeField

	Level         string
	Forms         []settingForm
	Said, Problem string
	Rehearses     bool // a change can be tried before it is saved
}

// settingForm is one group with its errors.
type settingForm struct {
	bot.Form

	Wrong map[string]string
}

// Chosen reports whether a list contains a value.
func (settingForm) Chosen(in bot.Input, value string) bool {
	return slices.Contains(in.Values(), value)
}

// Levels lists the levels of a place's settings, widest first.
func (settingsPage) Levels() []string { return []string{"workspace", "channel", "person"} }

// LevelWord names a level.
func (p settingsPage) LevelWord(s string) string { return p.T("settings.level." + s) }

// settingPlace reads the place from a request: the console's own, or that of the field. A form holds the key of the
// place whose values it shows, whatever its name is by now. The error says that the field names none.
func (s *Site) settingPlace(r *http.Request) (p settingsPage, of SettingPlace, err error) {
	p = settingsPage{base: s.base(r), Rehearses: has[Rehearsals](s.desk), Level: r.FormValue("level")}
	p.placeField = s.placeField(r, &p.base, r.FormValue("place"))
	if r.Method == http.MethodPost {
		p.Key, p.Late = r.PostFormValue("place"), false
	}
	if p.Level != "workspace" && p.Level != "person" {
		p.Level = "channel"
	}
	of = SettingPlace{Thread: p.Thread, Level: p.Level, Form: r.PostFormValue("form")}
	if p.Key != "" {
		at, wrong := p.thread(p.Lang)
		if wrong != nil {
			return p, of, wrong
		}
		of.Thread = at
	}
	return p, of, nil
}

func (s *Site) settings(w http.ResponseWriter, r *http.Request, d Settings) {
	p, of, err := s.settingPlace(r)
	var told *bot.Error
	switch {
	case errors.As(err, &told):
		p.Problem = told.Text(p.Lang)
		s.show(w, r, "settings", p.T("settings"), p)
	case err != nil:
		s.frame.Fail(w, r, err)
	default:
		s.showSettings(w, r, d, p, of, nil, nil)
	}
}

// showSettings shows the forms; given are rejected values with the reasons.
func (s *Site) showSettings(w http.ResponseWriter, r *http.Request, d Settings, p settingsPage, of SettingPlace, given, wrong map[string]string) {
	forms, err := d.SettingForms(r.Context(), p.User, of)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	for _, f := range forms {
		one := settingForm{Form: f, Wrong: wrong}
		for i, in := range f.Inputs {
			if v, ok := given[in.ID]; ok {
				one.Inputs[i].Value = v
			}
		}
		p.Forms = append(p.Forms, one)
	}
	s.show(w, r, "settings", p.T("settings"), p)
}

// settingValues reads one group's form. A multiple choice without a selection sends nothing, so its name is in
// "lists".
func settingValues(r *http.Request) map[string]string {
	values := map[string]string{}
	for _, id := range r.PostForm["lists"] {
		values[id] = ""
	}
	for name, list := range r.PostForm {
		if id, ok := strings.CutPrefix(name, input); ok {
			values[id] = fit.Clean(strings.Join(list, ", "))
		}
	}
	return values
}

// saveSettings handles one group's form.
func (s *Site) saveSettings(w http.ResponseWriter, r *http.Request, d Settings) {
	p, of, err := s.settingPlace(r)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	values := settingValues(r)
	said, wrong, err := d.SaveSettings(r.Context(), p.User, of, values)
	switch {
	case err != nil:
		s.frame.Fail(w, r, err)
	case len(wrong) > 0:
		p.Problem = p.T("settings.wrong")
		s.showSettings(w, r, d, p, of, values, wrong)
	default:
		p.Said = strings.ReplaceAll(said, "`", "") // sending the form again changes nothing
		s.showSettings(w, r, d, p, of, nil, nil)
	}
}
