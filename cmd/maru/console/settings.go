package console

import (
	"context"
	"fmt"
	"strings"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/command"
	"maru/config"
)

var _ site.Settings = (*Desk)(nil)

// SettingForms implements site.Settings. A group of which nothing can be changed at the level has no form.
func (d *Desk) SettingForms(ctx context.Context, by bot.User, of site.SettingPlace) ([]bot.Form, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	var out []bot.Form
	for _, g := range config.KeyGroups() {
		ans, err := d.setting(ctx, by, of, "edit."+of.Level+"."+g.Name, nil)
		if err != nil {
			return nil, fmt.Errorf("settings %s: %w", g.Name, err)
		}
		if ans.Form != nil {
			out = append(out, *ans.Form)
		}
	}
	return out, nil
}

// SaveSettings implements site.Settings.
func (d *Desk) SaveSettings(ctx context.Context, by bot.User, of site.SettingPlace, values map[string]string) (string, map[string]string, error) {
	if err := allowed(by); err != nil {
		return "", nil, err
	}
	ans, err := d.setting(ctx, by, of, SaveVerb(of), values)
	if err != nil || len(ans.Errors) > 0 || ans.Card == nil {
		return "", ans.Errors, err
	}
	return ans.Card.Text, nil, nil
}

// SaveVerb returns the verb of a submitted form of settings.
func SaveVerb(of site.SettingPlace) string {
	if verb := "save." + of.Level; !strings.HasPrefix(of.Form, verb+".") {
		return verb
	}
	return of.Form
}

// setting acts on the settings as a click in the place would.
func (d *Desk) setting(ctx context.Context, by bot.User, of site.SettingPlace, verb string, values map[string]string) (bot.Answer, error) {
	return d.Action(ctx, bot.Action{ID: command.ControlSettings, Verb: verb, Thread: of.Thread, User: by, Values: values, Home: true, At: d.cfg.Now()})
}
