package slackfake

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/web/signin/oidcfake"
)

// Options configure the fake; the zero value is a workspace T1 with the bot UBOT, the people U1 (admin), U2, U3
// and the channels C1, C2 and D1.
type Options struct {
	Team       string                          // default "T1"
	Enterprise string                          // id of the organisation, "" for none
	Org        bool                            // the app is installed for the whole organisation
	RateLimits bool                            // enforce one post a second a channel and the methods' tiers
	Sold       bool                            // the app is sold outside of the marketplace: threads and channels are read 15 messages a minute
	NoStop     bool                            // the app has not subscribed to agent_session_stopped
	NoSearch   bool                            // the workspace's plan has no Real-time Search API
	NoEcho     bool                            // do not send the bot's own messages back as events
	Now        func() time.Time                // clock, default time.Now
	Retries    []time.Duration                 // pauses before a refused HTTP event is sent again, default three short ones
	Ping       time.Duration                   // between pings of Socket Mode, default 2 s; negative for none
	Patience   time.Duration                   // how long an answer over HTTP and a form for a click are waited for; default 10 min: Slack's 3 s would measure how busy the machine is
	Scopes     string                          // of the bot's token, between commas, as a header of every answer; "" for no header
	Offline    bool                            // no listener: only Transport reaches the fake, so that time can be simulated
	AtOnce     bool                            // events over HTTP do not wait for the acknowledgement of the one before, as with Slack
	Posted     func(channel string, m Message) // receives each message that the bot posts or changes, under the fake's lock; may be nil
}

// Server is a running fake.
type Server struct {
	*wire
	opt  Options
	http *httptest.Server // nil offline
	mux  *http.ServeMux
	base string // its address

	openid *oidcfake.Provider
	app    *App // whose tokens are taken, nil: the one of BotToken

	withheld bool // the organisation has removed its app from this workspace

	lastTS   int64
	caller   string // token of the call that runs
	users    map[string]*User
	channels map[string]*channel
	groups   map[string][]string
	files    map[string]*File
	poured   atomic.Int64       // bytes of endless files
	uploads  map[string]*upload // by file
	views    map[string]*View
	triggers map[string]trigger
	replies  map[string]*response
	whispers []Whisper
	calls    []Call
	faults   []*Fault
	buckets  map[string][]time.Time
	status   map[string]statusLine
	sessions map[string]*Session
	grants   map[string]string // users by action_token
	prompts  map[string][]Prompt
}

// wire is the connection of one Slack app to the bot for all its workspaces: Socket Mode connections, sent
// deliveries, and the lock over all of it.
type wire struct {
	wg   sync.WaitGroup
	quit chan struct{}

	mu      sync.Mutex
	changed chan struct{}
	seq     int64
	opens   int
	target  string // base URL of the bot in HTTP mode

	socket
}

func newWire() *wire {
	w := &wire{quit: make(chan struct{}), changed: make(chan struct{})}
	w.socket.init()
	return w
}

// Start runs a fake until the test ends.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := New(o)
	tb.Cleanup(s.Close)
	return s
}

// New runs a fake; Close ends it.
func New(o Options) *Server {
	s := newServer(o, newWire())
	if o.Offline {
		return s
	}
	s.http = httptest.NewUnstartedServer(s.mux)
	s.base = "http://" + s.http.Listener.Addr().String() // before anybody can ask for it
	s.signsIn()
	s.http.Start()
	return s
}

// newServer creates a workspace without connections.
func newServer(o Options, w *wire) *Server {
	o.Team = cmp.Or(o.Team, "T1")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Retries == nil {
		o.Retries = []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond}
	}
	o.Ping = cmp.Or(o.Ping, 2*time.Second)
	o.Patience = cmp.Or(o.Patience, 10*time.Minute)
	s := &Server{
		wire: w, opt: o,
		users: map[string]*User{}, channels: map[string]*channel{}, groups: map[string][]string{}, files: map[string]*File{}, uploads: map[string]*upload{},
		views: map[string]*View{}, triggers: map[string]trigger{}, replies: map[string]*response{},
		buckets: map[string][]time.Time{}, status: map[string]statusLine{},
		sessions: map[string]*Session{}, prompts: map[string][]Prompt{}, grants: map[string]string{},
	}
	s.AddUser(User{ID: "UBOT", Name: "maru", Bot: true})
	s.AddUser(User{ID: "U1", Name: "chulsoo", RealName: "김철수", Locale: "ko-KR", TZ: "Asia/Seoul", Admin: true})
	s.AddUser(User{ID: "U2", Name: "alice", RealName: "Alice", Locale: "en-US", TZ: "Europe/Berlin"})
	s.AddUser(User{ID: "U3", Name: "bob", RealName: "Bob", Locale: "en-GB", TZ: "Europe/London"})
	s.AddChannel(Channel{ID: "C1", Name: "general", Members: []string{"UBOT", "U1", "U2", "U3"}})
	s.AddChannel(Channel{ID: "C2", Name: "random", Members: []string{"UBOT", "U1", "U2", "U3"}})
	s.AddChannel(Channel{ID: "D1", Members: []string{"UBOT", "U1"}})
	mux := http.NewServeMux()
	mux.HandleFunc("/api/", s.serveAPI)
	mux.HandleFunc("/socket", s.serveSocket)
	mux.HandleFunc("/response/", s.serveResponse)
	mux.HandleFunc("/files-pri/", s.serveFile)
	mux.HandleFunc("/upload/v1/", s.serveUpload)
	mux.HandleFunc("/signin", serveSignIn)
	s.mux, s.base = mux, "http://slack.fake"
	return s
}

// Close ends the fake and all its connections.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.quit:
		s.mu.Unlock()
		return
	default:
		close(s.quit)
	}
	s.dropAll()
	s.mu.Unlock()
	if s.http != nil {
		s.http.Close()
	}
	s.wg.Wait()
}

// URL returns the base of the Web API, for SLACK_API_URL.
func (s *Server) URL() string { return s.base + "/api/" }

// BotToken returns the token for the Web API.
func (s *Server) BotToken() string { return "xoxb-fake-bot-token" }

// AppToken returns the token for apps.connections.open.
func (s *Server) AppToken() string { return "xapp-1-AMARU-1-fake" }

// SigningSecret signs what is delivered over HTTP.
func (s *Server) SigningSecret() string { return "fake-signing-secret" }

// BotUser returns the bot's user id.
func (s *Server) BotUser() string { return "UBOT" }

// Call is one request to the Web API.
type Call struct {
	Method string
	Args   map[string]string
	Status int
	Error  string // Slack's code, "" if it worked
	At     time.Time
}

// Calls returns the calls of a method in order, or all for "".
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if method == "" || c.Method == method {
			out = append(out, c)
		}
	}
	return out
}

// Refused returns the calls that did not work, as "method: code".
func (s *Server) Refused() []string {
	var out []string
	for _, c := range s.Calls("") {
		if c.Error != "" {
			out = append(out, c.Method+": "+c.Error)
		}
	}
	return out
}

// Fault makes calls fail.
type Fault struct {
	Method  string          // "" for every method
	Channel string          // "" for every channel
	Status  int             // HTTP status, such as 500 or 429
	After   int             // Retry-After in seconds, for 429
	Code    string          // or an error code with status 200
	Needed  string          // the scope that is named with Code missing_scope
	Drop    bool            // or a connection that is cut
	Done    bool            // the call takes effect
	Times   int             // how often, 0 for always
	Slow    time.Duration   // answer only after this long
	Late    bool            // a delayed call takes effect after its delay, even if its client has gone meanwhile
	Hold    <-chan struct{} // answer only when it is closed
	Held    chan<- struct{} // receives each delayed call
}

// wait delays a call by a fault until it may be answered or, unless it is late, its client has gone: the call is executed
// even then.
func (s *Server) wait(ctx context.Context, f *Fault) {
	if f == nil || f.Slow <= 0 && f.Hold == nil {
		return
	}
	if f.Held != nil {
		f.Held <- struct{}{}
	}
	var late <-chan time.Time
	if f.Slow > 0 {
		late = time.After(f.Slow)
	}
	gone := ctx.Done()
	if f.Late {
		gone = nil
	}
	select {
	case <-late:
	case <-f.Hold:
	case <-gone:
	case <-s.quit:
	}
}

// Fail adds a fault; the first that fits a call applies.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Heal removes all faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) fault(method, channel string) *Fault {
	for i, f := range s.faults {
		if (f.Method != "" && f.Method != method) || (f.Channel != "" && f.Channel != channel) {
			continue
		}
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			}
		}
		return f
	}
	return nil
}

// touch notifies waiters of a change. The caller holds s.mu.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Wait returns when cond holds, which it checks after every change, or with ctx's error. cond may call any method
// of the Server.
func (s *Server) Wait(ctx context.Context, cond func() bool) error {
	for {
		s.mu.Lock()
		ch := s.changed
		s.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// id returns a fresh id with a prefix; s.mu is held.
func (s *Server) id(prefix string) string {
	s.seq++
	return fmt.Sprintf("%s%06d", prefix, s.seq)
}

// ts returns a fresh message id by the fake's clock; s.mu is held.
func (s *Server) ts() string {
	now := s.opt.Now().UnixMicro()
	s.lastTS = max(s.lastTS+1, now)
	return fmt.Sprintf("%d.%06d", s.lastTS/1e6, s.lastTS%1e6)
}

func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("slackfake: " + err.Error()) // only called with values that encode
	}
	return raw
}

func isDirect(channel string) bool { return strings.HasPrefix(channel, "D") }
