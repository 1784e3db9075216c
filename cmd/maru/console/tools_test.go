package console_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/audit"
	"maru/bot/command"
	"maru/bot/toolserver"
	"maru/cmd/maru/console"
	"maru/phrase"
)

// shelf has one tool, and a server of the configuration file of which one tool changed.
type shelf struct{ taken []string }

func (*shelf) Tools([]string) []command.ToolInfo {
	return []command.ToolInfo{{Name: "clock", Effect: agent.EffectReads}}
}

func (*shelf) Servers() []command.ToolServer {
	return []command.ToolServer{{Name: "files", Up: true, Tools: 1, Changes: []command.ToolChange{{Tool: "files_read", Hash: strings.Repeat("ab", 32), Before: "Reads.", After: "Reads all."}}}}
}

func (s *shelf) Accept(_ context.Context, name, _ string) error {
	s.taken = append(s.taken, name)
	return nil
}

// wire connects to servers that have one tool, unless they are away.
type wire struct{ away error }

func (w wire) Look(context.Context, attached.Row, bot.Thread, string) ([]toolserver.Offer, error) {
	if w.away != nil {
		return nil, w.away
	}
	return []toolserver.Offer{{Remote: "find", Title: phrase.Sentence{}, Description: "Finds a customer.", Hash: "h1", Effect: agent.EffectSends}}, nil
}
func (wire) Reserved(string) bool { return false }
func (wire) Changed()             {}

func TestToolServersAreAddedAcceptedAndRemoved(t *testing.T) {
	t.Parallel()
	box := &shelf{}
	o := newOffice(t, func(c *console.Config) { c.Toolbox, c.Servers = box, wire{} })
	do := func(c site.ToolChange) string {
		t.Helper()
		said, err := o.ChangeTools(t.Context(), operator, home, c)
		if err != nil {
			t.Fatalf("%s: %v", c.Do, err)
		}
		return said
	}
	server := func() site.ToolServer {
		t.Helper()
		list, _, err := o.ListTools(t.Context(), operator, home, channel)
		if err != nil || len(list) != 2 {
			t.Fatalf("servers %+v, %v", list, err)
		}
		return list[1]
	}
	do(site.ToolChange{Do: "accept", Args: []string{"files_read", strings.Repeat("ab", 32)}})
	if !slices.Equal(box.taken, []string{"files_read"}) {
		t.Errorf("accepted %q", box.taken)
	}
	do(site.ToolChange{Do: "add", Place: "slack/T1", Args: []string{"https://crm.example.com/mcp"}})
	name := server().Name
	do(site.ToolChange{Do: "class", Server: name, Args: []string{"find", "writes"}})
	look, problem, err := o.LookAtServer(t.Context(), operator, home, name)
	if err != nil || problem != "" || look.Digest == "" || len(look.Offers) != 1 || !look.Offers[0].New {
		t.Fatalf("look %+v, %q, %v", look, problem, err)
	}
	do(site.ToolChange{Do: "accept", Server: name, Args: []string{"000000000000"}})
	if n := server().Tools; n != 0 {
		t.Errorf("%d tools were accepted with another digest", n)
	}
	do(site.ToolChange{Do: "accept", Server: name, Args: []string{look.Digest}})
	if n := server().Tools; n != 1 {
		t.Errorf("%d tools are accepted", n)
	}
	do(site.ToolChange{Do: "limit", Server: name, Place: "slack/T1/C1"})
	if got := server().Places; !slices.Equal(got, []string{"slack/T1/C1"}) {
		t.Errorf("limited to %q", got)
	}
	if _, err := o.ChangeTools(t.Context(), operator, home, site.ToolChange{Do: "limit", Server: name, Place: "slack/T2/C1"}); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("limited to another workspace: %v", err)
	}
	member, stranger := bot.User{ID: "U1"}, bot.User{ID: "U2", Admin: true}
	for _, c := range []struct {
		by   bot.User
		from bot.Thread
	}{{member, channel}, {stranger, bot.Thread{Platform: "slack", Team: "T2", Channel: "C1"}}} {
		if _, _, err := o.LookAtServer(t.Context(), c.by, c.from, name); err == nil {
			t.Errorf("%s looks at a server", c.by.ID)
		}
		if _, err := o.ChangeTools(t.Context(), c.by, c.from, site.ToolChange{Do: "remove", Server: name}); err == nil {
			t.Errorf("%s removes a server", c.by.ID)
		}
	}
	do(site.ToolChange{Do: "remove", Server: name})
	if list, here, err := o.ListTools(t.Context(), operator, home, channel); len(list) != 1 || !strings.Contains(here.Text, "`clock`") || err != nil {
		t.Errorf("servers %+v, tools %q, %v", list, here, err)
	}
	entries, err := o.record.AuditTail(t.Context(), "slack/T1", 10)
	if err != nil {
		t.Fatal(err)
	}
	var acts []string
	for _, e := range entries {
		acts = append(acts, e.What)
	}
	slices.Sort(acts)
	if want := []string{"tools.accept", "tools.add", "tools.class", "tools.limit", "tools.remove"}; !slices.Equal(acts, want) {
		t.Errorf("audited %q", acts)
	}
}

// TestLookAtServerSaysWhy looks at servers that show nothing: the sentence says what to do about it.
func TestLookAtServerSaysWhy(t *testing.T) {
	t.Parallel()
	for want, away := range map[string]error{
		"no answer of an MCP server": errors.New("away"),
		"accounts connect":           toolserver.ErrAccount,
		"Enter it in the form":       toolserver.ErrToken,
		"where people sign in":       toolserver.ErrMetadata,
	} {
		w := &wire{}
		o := newOffice(t, func(c *console.Config) { c.Toolbox, c.Servers = &shelf{}, w })
		if _, err := o.ChangeTools(t.Context(), operator, home, site.ToolChange{Do: "add", Place: "slack/T1", Args: []string{"https://crm.example.com/mcp"}}); err != nil {
			t.Fatal(err)
		}
		list, _, err := o.ListTools(t.Context(), operator, home, channel)
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		w.away = away
		_, problem, err := o.LookAtServer(t.Context(), operator, home, list[1].Name)
		if err != nil || !strings.Contains(problem, want) || strings.Contains(problem, "`") {
			t.Errorf("%v: %q, %v", away, problem, err)
		}
	}
}

// TestServersOfTheFileShowNoAddress: admins of workspaces see the name of a server of the configuration file, and cannot change the
// effects of its tools.
func TestServersOfTheFileShowNoAddress(t *testing.T) {
	t.Parallel()
	o := newOffice(t, func(c *console.Config) { c.Toolbox, c.Servers = &shelf{}, wire{} })
	if _, err := o.record.PutToolServer(t.Context(), attached.Row{Name: "notes", URL: "https://inside.example.com/mcp", Personal: true, Created: time.Now()}); err != nil {
		t.Fatal(err)
	}
	admin := bot.User{ID: "U1", Admin: true}
	list, here, err := o.ListTools(t.Context(), admin, channel, channel)
	if err != nil || len(list) != 1 || list[0].Where != "" || strings.Contains(here.Text, "inside.example.com") {
		t.Errorf("servers %+v, %q, %v", list, here.Text, err)
	}
	if look, problem, err := o.LookAtServer(t.Context(), admin, channel, "notes"); err != nil || problem != "" || !look.Fixed || look.Digest != "" || !strings.Contains(look.Others, "MARU_ADMINS") {
		t.Errorf("look %+v, %q, %v", look, problem, err)
	}
	if look, _, err := o.LookAtServer(t.Context(), operator, channel, "notes"); err != nil || look.Digest == "" || look.Others != "" {
		t.Errorf("an operator's look %+v, %v", look, err)
	}
}

// TestAdminsEndStandingPermissions: the page lists what a channel allows without a question; its form ends one, audited, for admins alone.
func TestAdminsEndStandingPermissions(t *testing.T) {
	t.Parallel()
	o := newOffice(t, func(c *console.Config) { c.Toolbox, c.Servers = &shelf{}, wire{} })
	channel := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}
	value := `[{"tool":"clock","digest":"d","by":"slack/T1/U1","at":"` + time.Now().UTC().Format(time.RFC3339) + `","days":7}]`
	if err := o.record.SetSetting(t.Context(), bot.Setting{Place: "slack/T1/C1", Key: "tools_allowed", Value: []byte(value), By: "slack/T1/U1", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	allowed := func(by bot.User, from, place bot.Thread) string {
		t.Helper()
		_, here, err := o.ListTools(t.Context(), by, from, place)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range here.Allowed {
			names = append(names, a.Name+" in "+here.Place+" by "+a.By)
		}
		return strings.Join(names, ",")
	}
	if got := allowed(operator, home, channel); got != "clock in slack/T1/C1 by slack/T1/U1" {
		t.Fatalf("allowed %q", got)
	}
	end := site.ToolChange{Do: "disallow", Place: "slack/T1/C1", Args: []string{"clock"}}
	elsewhere := bot.Thread{Platform: "slack", Team: "T2", Channel: "C1"}
	if got := allowed(bot.User{ID: "U2", Admin: true}, elsewhere, channel); got != "" {
		t.Errorf("an admin of another workspace sees %q", got)
	}
	for _, c := range []struct {
		by   bot.User
		from bot.Thread
	}{{bot.User{ID: "U3"}, channel}, {bot.User{ID: "U2", Admin: true}, elsewhere}} {
		if said, err := o.ChangeTools(t.Context(), c.by, c.from, end); allowed(operator, home, channel) == "" {
			t.Errorf("%s ended it: %q, %v", c.by.ID, said, err)
		}
	}
	if said, err := o.ChangeTools(t.Context(), operator, home, end); err != nil || !strings.Contains(said, "asks again") {
		t.Fatalf("%q, %v", said, err)
	}
	if got := allowed(operator, home, channel); got != "" {
		t.Errorf("still allowed: %q", got)
	}
	if said, err := o.ChangeTools(t.Context(), operator, home, end); err != nil || !strings.Contains(said, "not among the tools") {
		t.Errorf("once more: %q, %v", said, err)
	}
	entries, err := o.record.AuditTail(t.Context(), "slack/T1", 10)
	if err != nil || !slices.ContainsFunc(entries, func(e audit.Entry) bool {
		return e.What == "setting.set" && strings.Contains(string(e.Detail), "tools_allowed") && strings.Contains(string(e.Detail), `"days":7`) && !strings.HasSuffix(e.Who, "U1")
	}) {
		t.Errorf("the end is not audited: %+v, %v", entries, err)
	}
}
