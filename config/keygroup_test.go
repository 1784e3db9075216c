package config_test

import (
	"testing"

	"maru/config"
	"maru/phrase"
)

// TestEveryKeyIsInOneGroup keeps a new key from having no place on a form.
func TestEveryKeyIsInOneGroup(t *testing.T) {
	t.Parallel()
	in := map[string]int{}
	for _, g := range config.KeyGroups() {
		if len(g.Keys) > config.GroupSize {
			t.Errorf("group %s has %d keys: a Discord form takes %d", g.Name, len(g.Keys), config.GroupSize)
		}
		for _, lang := range phrase.Languages() {
			if phrase.Say(lang, "settings."+g.Name) == "settings."+g.Name {
				t.Errorf("group %s has no name in %s", g.Name, lang)
			}
		}
		for _, k := range g.Keys {
			in[k]++
		}
	}
	for _, k := range config.Keys() {
		if in[k.Name] != 1 || config.GroupOf(k.Name) == "" {
			t.Errorf("key %s is in %d groups", k.Name, in[k.Name])
		}
	}
	if len(in) != len(config.Keys()) || config.GroupOf("agnet") != "" {
		t.Errorf("%d keys in groups, of %d", len(in), len(config.Keys()))
	}
}
