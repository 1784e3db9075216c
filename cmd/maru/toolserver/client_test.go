package toolserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"maru/agent/tool"
	"maru/agent/tool/attached"
	"maru/agent/tool/mcp"
	"maru/agent/tool/mcp/grant"
	"maru/agent/tool/mcp/grant/grantfake"
	"maru/bot"
	"maru/bot/account"
	"maru/bot/seal"
	bottools "maru/bot/toolserver"
	"maru/cmd/maru/toolserver"
)

// rack stores servers in the record of an office.
type rack struct{ *memory }

func (s rack) PutToolServer(_ context.Context, r attached.Row) (int64, error) {
	if r.Version++; r.Version == 1 {
		s.rows = append(s.rows, r)
		return 1, nil
	}
	for i := range s.rows {
		if s.rows[i].Name == r.Name {
			s.rows[i] = r
		}
	}
	return r.Version, nil
}

func (s rack) DropToolServer(context.Context, string, int64) error { s.rows = nil; return nil }

// TestServerWithAClientByHand adds a server whose authorization server registers no clients: an admin gives ID and secret in a form,
// people sign in, and removing the client, or the server, deletes it.
func TestServerWithAClientByHand(t *testing.T) {
	t.Parallel()
	const first, second = "hand-secret-1", "hand-secret-2"
	o := newOffice(t)
	o.record.rows = nil
	o.notes.Set(func(p *grantfake.Options) { p.Closed = true })
	registry, err := tool.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := mcp.New(mcp.Config{Registry: registry, Log: o.logger()})
	if err != nil {
		t.Fatal(err)
	}
	box, store := seal.New([][]byte{sealKey}), rack{o.record}
	client := grant.Client{HTTP: http.DefaultTransport, Now: o.now, Hand: toolserver.Hand(o.record, box)}
	o.vault.Grants = toolserver.Grants{Client: client}
	var acts []string
	f := &toolserver.Follower{Store: store, Pool: pool, HTTP: http.DefaultTransport, Log: o.logger(), Wake: make(chan struct{}, 1), Box: box, Vault: o.vault, Client: client}
	s := &bottools.Servers{Store: store, Prober: f, Rules: admins{&acts}, Box: box, Log: o.logger(), Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	say := func(args string) *bot.Card {
		t.Helper()
		card, err := s.Around(func(context.Context, bot.Invocation, string) (*bot.Card, error) { return &bot.Card{}, nil })(t.Context(), bot.Invocation{Name: "tools", Args: args, Thread: channel, User: ann}, "en")
		if err != nil {
			t.Fatal(err)
		}
		return card
	}
	card := say("add " + o.notes.URL)
	if !strings.Contains(card.Text, "registers no apps by itself") || !strings.Contains(card.Footer, "/oauth/callback") || len(card.Buttons) != 1 || !o.record.rows[0].Personal {
		t.Fatalf("%+v", card)
	}
	name := o.record.rows[0].Name
	act := func(u bot.User, verb, id, secret string) bot.Answer {
		t.Helper()
		ans, err := s.Action(t.Context(), bot.Action{ID: card.Buttons[0].ID, Verb: verb, Thread: channel, User: u, Values: map[string]string{"client": id, "secret": secret}}, "en")
		if err != nil {
			t.Fatal(err)
		}
		return ans
	}
	connect := func() string {
		t.Helper()
		card, err := o.desk.Command(t.Context(), bot.Invocation{Name: "accounts", Args: "connect " + name, Thread: channel, User: ann}, "en")
		if err != nil || len(card.Buttons) != 1 {
			t.Fatalf("%+v, %v", card, err)
		}
		return o.goOn(browser(t), card.Buttons[0].URL)
	}
	token := func() (string, error) { return o.vault.Token(t.Context(), name, channel.Key(), channel.Person(ann)) }
	if page := connect(); !strings.Contains(page, "/maru tools client") {
		t.Errorf("without a client: %s", page)
	}
	if ans := act(bob, "client", "", ""); ans.Form != nil || ans.Card == nil {
		t.Errorf("a member gets the form: %+v", ans)
	}
	if form := act(ann, "client", "", "").Form; form == nil || len(form.Inputs) != 2 {
		t.Fatalf("%+v", form)
	}
	for _, wrong := range [][2]string{{"", "x"}, {"a b", "x"}, {"a", "x\ny"}} {
		ans := act(ann, "save_client", wrong[0], wrong[1])
		if len(ans.Errors) != 1 || ans.Form.Inputs[1].Value != "" {
			t.Errorf("%q: %+v", wrong, ans)
		}
	}
	if wrong := act(ann, "save_client", "a b", "x\ny").Errors; wrong["client"] == "" {
		t.Errorf("of two errors the first is not told: %v", wrong)
	}
	version, told := o.record.rows[0].Version, len(acts)
	if got := act(ann, "save_client", "", "").Card.Text; strings.Contains(got, "deleted") || o.record.rows[0].Version != version || len(acts) != told {
		t.Errorf("without a client to remove: %s, audit %v", got, acts[told:])
	}
	o.notes.Know("hand", first, account.Callback(o.pages.URL))
	if got := act(ann, "save_client", "hand", first).Card.Text; !strings.Contains(got, "is saved") || strings.Contains(got, first) {
		t.Errorf("%s", got)
	}
	if page := connect(); !strings.Contains(page, "signed in at") {
		t.Fatalf("with the client: %s", page)
	}
	if got := say("client " + name); strings.Contains(got.Text+got.Footer, first) || !strings.Contains(got.Text, "has a client") {
		t.Errorf("%+v", got)
	}
	o.notes.Know("hand", second, account.Callback(o.pages.URL))
	act(ann, "save_client", "hand", second)
	was, err := token()
	if err != nil {
		t.Fatal(err)
	}
	o.clock = 2 * time.Hour
	if got, err := token(); err != nil || got == "" || got == was {
		t.Errorf("after the secret was replaced: %q, %v", got, err)
	}
	rows, _ := json.Marshal(o.record.rows)
	for what, text := range map[string]string{"rows": string(rows), "record": o.record.all(), "log": o.log.String(), "audit": strings.Join(acts, "\n")} {
		if strings.Contains(text, "hand-secret") {
			t.Errorf("a secret is in the %s: %s", what, text)
		}
	}
	moved := o.record.rows[0]
	moved.URL = "https://elsewhere.example.com"
	if _, err := box.Open(moved.Client, moved.AboutClient()); err == nil {
		t.Error("the client opens for another address")
	}
	if got := act(ann, "save_client", "", "").Card.Text; !strings.Contains(got, "deleted") || len(o.record.rows[0].Client) > 0 {
		t.Errorf("%s", got)
	}
	o.clock = 4 * time.Hour
	if got, err := token(); err == nil && got != "" {
		t.Errorf("after the client was removed there is still a token: %q", got)
	}
	act(ann, "save_client", "hand", second)
	if say("remove " + name); len(o.record.rows) > 0 {
		t.Error("the server is still there")
	}
	if _, ok, err := client.Hand(t.Context(), name, o.notes.URL); ok || err != nil {
		t.Errorf("its client is still there: %v", err)
	}
	if faults := o.notes.Faults(); len(faults) > 0 {
		t.Error(faults)
	}
}
