package toolserver_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	web "maru/adapters/account"
	"maru/agent"
	"maru/agent/tool/attached"
	"maru/agent/tool/mcp/grant"
	"maru/agent/tool/mcp/grant/grantfake"
	"maru/bot"
	"maru/bot/account"
	"maru/bot/approval"
	"maru/bot/seal"
	"maru/cmd/maru/toolserver"
)

// memory is a record in memory.
type memory struct {
	mu    sync.Mutex
	notes map[string]string
	rows  []attached.Row
}

func (m *memory) Note(_ context.Context, key string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notes[key], nil
}

func (m *memory) SetNote(_ context.Context, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[key] = value; value == "" {
		delete(m.notes, key)
	}
	return nil
}

func (m *memory) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[key] != before {
		return false, nil
	}
	m.notes[key] = value
	return true, nil
}

func (m *memory) FirstNote(_ context.Context, key, value string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[key] == "" {
		m.notes[key] = value
	}
	return m.notes[key], nil
}

func (m *memory) ToolServers(context.Context) ([]attached.Row, error) { return m.rows, nil }

func (m *memory) all() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for k, v := range m.notes {
		out = append(out, k+" "+v)
	}
	return strings.Join(out, "\n")
}

// asked is one question that waits for a sign-in, of ann in a channel.
type asked struct {
	mu   sync.Mutex
	told []string // "user server refused"
}

func (q *asked) SignIn(_ context.Context, a bot.Action, lang string) (approval.SignIn, *bot.Answer, error) {
	if a.User.ID != ann.ID {
		ans := approval.Notice(lang, "bot.approval.sign_in_not_yours")
		return approval.SignIn{}, &ans, nil
	}
	return approval.SignIn{Thread: channel, Server: "notes"}, nil, nil
}

func (q *asked) SignedIn(_ context.Context, _ bot.Thread, u bot.User, server string, refused bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	word := " signed in"
	if refused {
		word = " refused"
	}
	q.told = append(q.told, u.ID+" "+server+word)
	return nil
}

type rules struct{}

func (rules) Language(context.Context, bot.Thread, bot.User, string) string       { return "en" }
func (rules) Audit(context.Context, bot.Thread, bot.User, string, map[string]any) {}

var (
	channel = bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	ann     = bot.User{ID: "U1", Name: "Ann Lee"}
	bob     = bot.User{ID: "U2", Name: "Bob"}
)

// office is the program's part that signs people in, over a strict server.
type office struct {
	t      *testing.T
	notes  *grantfake.Server
	record *memory
	asked  *asked
	vault  *account.Vault
	desk   *account.Desk
	pages  *httptest.Server
	log    *bytes.Buffer
	clock  time.Duration
}

var sealKey = bytes.Repeat([]byte{7}, 32)

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, notes: grantfake.New(t), record: &memory{notes: map[string]string{}}, asked: &asked{}, log: &bytes.Buffer{}}
	o.record.rows = []attached.Row{{Name: "notes", Version: 1, Team: "slack/T1", URL: o.notes.URL, Personal: true, Created: time.Unix(1_800_000_000, 0)}}
	o.vault = o.newVault()
	mux := http.NewServeMux()
	o.pages = httptest.NewServer(mux)
	t.Cleanup(o.pages.Close)
	o.desk = &account.Desk{Vault: o.vault, Questions: o.asked, Rules: rules{}, PublicURL: o.pages.URL, NewID: func() string { return time.Now().Format("150405.000000000") }, Log: o.logger()}
	(&web.Server{Desk: o.desk, PublicURL: o.pages.URL, Log: o.logger()}).Mount(mux)
	return o
}

func (o *office) logger() *slog.Logger { return slog.New(slog.NewTextHandler(o.log, nil)) }

func (o *office) now() time.Time { return time.Now().Add(o.clock) }

func (o *office) newVault() *account.Vault {
	client := grant.Client{HTTP: http.DefaultTransport, Now: o.now}
	return &account.Vault{Record: o.record, Box: seal.New([][]byte{sealKey}), Grants: toolserver.Grants{Client: client}, Log: o.logger(), Now: o.now}
}

// link clicks on the button of the question, and returns the address in the private answer.
func (o *office) link() string {
	o.t.Helper()
	ans, err := o.desk.Action(o.t.Context(), bot.Action{ID: "q", Verb: agent.VerbConnect, Thread: channel, User: ann})
	if err != nil || ans.Card == nil || len(ans.Card.Buttons) != 1 {
		o.t.Fatalf("%+v, %v", ans, err)
	}
	return ans.Card.Buttons[0].URL
}

// browser returns a browser with cookies of its own.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func read(t *testing.T, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// goOn presses the button of the page.
func (o *office) goOn(b *http.Client, link string) string {
	o.t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		o.t.Fatal(err)
	}
	resp, err := b.PostForm(o.pages.URL+"/oauth/start", url.Values{"s": {u.Query().Get("s")}})
	return read(o.t, resp, err)
}

func (o *office) token(u bot.User) string {
	o.t.Helper()
	got, err := o.vault.Token(o.t.Context(), "notes", channel.Key(), channel.Person(u))
	if err != nil {
		o.t.Fatal(err)
	}
	return got
}

// signIn signs ann in.
func (o *office) signIn() string {
	o.t.Helper()
	if page := o.goOn(browser(o.t), o.link()); !strings.Contains(page, "signed in at notes") {
		o.t.Fatalf("%s", page)
	}
	return o.token(ann)
}
