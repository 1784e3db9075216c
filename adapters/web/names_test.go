//go:build !race

package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"maru/adapters/web/site"
	"maru/bot"
)

var _ site.Names = (*staffed)(nil)

// NamePlaces names two workspaces and their channels. C9 is in both, and nobody knows C2.
func (s *staffed) NamePlaces(_ context.Context, _ bot.User, _ bot.Thread, keys []string) (map[string]string, bool) {
	if s.unnamed.Load() {
		return map[string]string{}, false
	}
	out := map[string]string{}
	for _, key := range keys {
		if name := map[string]string{
			"slack/T1": "Hanbit", "slack/T1/C0": "#general", "slack/T1/C1": "#hr", "slack/T1/C9": "#random", "discord/G1": "Guild", "discord/G1/C9": "#random",
		}[key]; name != "" {
			out[key] = name
		}
	}
	return out, true
}

func (s *staffed) Channels(context.Context, bot.User, bot.Thread) ([]string, bool) {
	return []string{"slack/T1/C0", "slack/T1/C1"}, true
}

func (s *staffed) PersonID(_ context.Context, _ bot.User, text string) (string, error) {
	for _, p := range s.crowd.list {
		if p.Name == text {
			return p.ID, nil
		}
	}
	return text, nil
}

// TestPagesWithoutNames: while names cannot be looked up, a name is not taken for that of no channel, and a form goes to its place.
func TestPagesWithoutNames(t *testing.T) {
	t.Parallel()
	s := &staffed{runs: manyRuns(200), kit: kit{servers: someServers()}}
	p := startStaffed(t, s).person(t)
	for path, want := range map[string]string{
		"/settings?place=hr": `<input type="hidden" name="place" value="slack/T1/C1">`, "/settings?place=slack/T1/C1": `value="#hr" list="places"`,
		"/runs?place=hr": `place=slack%2FT1%2FC1`, "/runs?place=general": `place=slack%2FT1%2FC0`,
	} {
		if got := p.get(path); !strings.Contains(got.body, want) {
			t.Errorf("%s: no %q", path, want)
			t.Log(got.body)
		}
	}
	if got := p.post("/tools", "do=limit&server=jira&place=nowhere"); got.status != http.StatusOK || !strings.Contains(got.body, "“nowhere” names no channel here") || len(s.kit.did) > 0 {
		t.Errorf("tools limited to a channel that is none (%d, %q): %s", got.status, s.kit.did, got.body)
	}
	s.unnamed.Store(true)
	for _, path := range []string{"/runs?place=%23general", "/settings?place=%23general", "/tools?place=%23general"} {
		if got := p.get(path); !strings.Contains(got.body, "look up the names of channels just now") {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	if got := p.post("/settings", "place=slack%2FT1%2FC1&level=channel&form=save.channel&v.persona=kind"); !strings.Contains(got.body, "Saved for C1") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestPagesNamePlaces: lists show names with the key under the pointer, and the fields for a channel take both.
func TestPagesNamePlaces(t *testing.T) {
	t.Parallel()
	s := &staffed{
		runs: manyRuns(9), library: manyDocuments(9), plans: plans{list: manySchedules(9)}, synced: synced{list: someSources(9)},
		kit: kit{servers: someServers()}, waiting: openQuestions(), crowd: crowd{list: somePeople(9)}, recall: recall{notes: someNotes(9)},
	}
	p := startStaffed(t, s).person(t)
	for _, c := range []struct{ path, has, hasNot string }{
		{"/runs", `<span title="slack/T1/C0">#general</span>`, `slack/T1/C0</small>`},
		{"/runs", `<option value="#general">slack/T1/C0</option>`, ""},
		{"/runs", `<span title="U1">alice</span>`, ""},
		{"/runs?place=general", `>#general</span>`, `>#hr</span>`},
		{"/runs?place=%23HR", `>#hr</span>`, `>#general</span>`},
		{"/runs?place=slack/T1/C1", `>#hr</span>`, `>#general</span>`},
		{"/runs?place=nowhere", `class="nothing"`, `>#hr</span>`},
		{"/runs?person=%EC%98%81%ED%9D%AC%201", `>alice</span>`, ""},
		{"/runs?person=nobody", `class="nothing"`, `>alice</span>`},
		{"/usage", `<span title="slack/T1/C1">#hr</span>`, ""},
		{"/audit", `<option value="slack/T1" selected>Hanbit</option>`, ""},
		{"/settings?place=hr", "from the channel C1", ""},
		{"/settings?place=nowhere", "“nowhere” names no channel here", "from the channel"},
		{"/people", `<span title="slack/T1/U1">Hanbit</span>`, `<small>slack/T1`},
		{"/tools?place=nowhere", "“nowhere” names no channel here", ""},
	} {
		got := p.get(c.path)
		if got.status != http.StatusOK || !strings.Contains(got.body, c.has) || c.hasNot != "" && strings.Contains(got.body, c.hasNot) {
			t.Errorf("%s (%d): want %q, not %q", c.path, got.status, c.has, c.hasNot)
			t.Log(got.body)
		}
	}
}
