package memtest

import (
	"errors"
	"reflect"
	"testing"

	"maru/agent"
	"maru/agent/tool/attached"
	"maru/bot"
)

// toolServers returns the part of a record that keeps MCP servers: every record has it.
func toolServers(t *testing.T, r bot.Record) attached.Store {
	t.Helper()
	s, ok := r.(attached.Store)
	if !ok {
		t.Fatalf("%T keeps no tool servers", r)
	}
	return s
}

func putToolServer(t *testing.T, s attached.Store, r attached.Row) attached.Row {
	t.Helper()
	v, err := s.PutToolServer(t.Context(), r)
	noErr(t, "put tool server", err)
	r.Version = v
	return r
}

// crm returns a row as an admin adds it.
func crm(name string) attached.Row {
	return attached.Row{Name: name, Team: "slack/T1", URL: "https://crm.example.com/mcp", By: "Kim", Created: dueAt, Places: []string{"slack/T1/C1"},
		Accepted: map[string]attached.Accept{"find": {Hash: "h1", Description: "고객을 찾아요", Effect: agent.EffectSends}}}
}

var toolServerCases = map[string]func(*testing.T, bot.Record){
	"rows_come_back_by_name": func(t *testing.T, r bot.Record) {
		s := toolServers(t, r)
		putToolServer(t, s, crm("wiki"))
		want := putToolServer(t, s, crm("crm"))
		list, err := s.ToolServers(t.Context())
		noErr(t, "list", err)
		if len(list) != 2 || list[1].Name != "wiki" || !list[0].Created.Equal(want.Created) {
			t.Fatalf("%+v", list)
		}
		if list[0].Created = want.Created; !reflect.DeepEqual(list[0], want) {
			t.Errorf("%+v, want %+v", list[0], want)
		}
	},
	"only_the_next_version_replaces_or_removes_a_row": func(t *testing.T, r bot.Record) {
		s := toolServers(t, r)
		old := putToolServer(t, s, crm("crm"))
		if _, err := s.PutToolServer(t.Context(), crm("crm")); !errors.Is(err, attached.ErrChanged) {
			t.Errorf("a second new row: %v", err)
		}
		next := old
		next.Places = nil
		next = putToolServer(t, s, next)
		if _, err := s.PutToolServer(t.Context(), old); !errors.Is(err, attached.ErrChanged) {
			t.Errorf("an old version: %v", err)
		}
		if err := s.DropToolServer(t.Context(), "crm", old.Version); !errors.Is(err, attached.ErrChanged) {
			t.Errorf("an old version removed it: %v", err)
		}
		noErr(t, "drop", s.DropToolServer(t.Context(), "crm", next.Version))
		if list, err := s.ToolServers(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
	},
	"they_go_with_their_workspace": func(t *testing.T, r bot.Record) {
		s := toolServers(t, r)
		putToolServer(t, s, crm("crm"))
		other := crm("wiki")
		other.Team = "slack/T2"
		putToolServer(t, s, other)
		noErr(t, "purge", r.Purge(t.Context(), "slack", "T1"))
		if list, err := s.ToolServers(t.Context()); err != nil || len(list) != 1 || list[0].Name != "wiki" {
			t.Errorf("%+v, %v", list, err)
		}
	},
}
