package discordfake

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway intents that the fake knows.
const (
	intentGuilds         = 1 << 0
	intentGuildMessages  = 1 << 9
	intentDirectMessages = 1 << 12
	intentMessageContent = 1 << 15
)

// gate is the state of the gateway.
type gate struct {
	sessions   map[string]*session
	conns      []*conn
	identifies []time.Time
	resumes    int
	offline    bool
	noAcks     bool
	refuse     int          // close code with which identifies are answered
	trouble    *disturbance // nil: events are sent reliably
	remaining  int          // reported sessions of the day, if resetAfter is set
	resetAfter time.Duration
}

// session is the state needed for a resume.
type session struct {
	id      string
	intents int
	shard   [2]int
	seq     int
	log     []frame // all dispatches
	conn    *conn   // nil while disconnected
}

// covers reports whether a guild's events (or, with "", those of direct
// messages) belong to the session's shard.
func (s *session) covers(guild string) bool {
	return int(number(guild)>>22%uint64(s.shard[1])) == s.shard[0] //nolint:gosec // G115: few shards
}

type conn struct {
	ws    *websocket.Conn
	write sync.Mutex
	s     *session
}

type frame struct {
	Op int    `json:"op"`
	D  any    `json:"d"`
	S  *int   `json:"s"`
	T  string `json:"t,omitempty"`
}

func (c *conn) send(fr frame) {
	c.write.Lock()
	defer c.write.Unlock()
	_ = c.ws.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_ = c.ws.WriteJSON(fr) // a dead connection is noticed by its reader
}

func (c *conn) close(code int) {
	c.write.Lock()
	defer c.write.Unlock()
	_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
	_ = c.ws.Close()
}

// dispatch sends an event of the guild to every session of its shard, connected
// or not.
func (f *Fake) dispatch(kind string, data any) { f.dispatchIn(f.Guild, kind, data) }

func (f *Fake) dispatchIn(guild, kind string, data any) {
	for _, s := range f.gate.sessions {
		if s.covers(guild) {
			f.sendTo(s, kind, data)
		}
	}
}

func (f *Fake) sendTo(s *session, kind string, data any) {
	s.seq++
	n := s.seq
	fr := frame{D: data, S: &n, T: kind}
	s.log = append(s.log, fr)
	if s.conn == nil {
		return
	}
	if t := f.gate.trouble; t != nil && kind != "READY" && kind != "RESUMED" {
		t.send(s.conn, fr)
		return
	}
	s.conn.send(fr)
}

// dispatchMessage sends a message event to the sessions whose intents cover it.
func (f *Fake) dispatchMessage(kind string, m *Message) {
	c := f.channels[m.Channel]
	if c == nil {
		return
	}
	for _, s := range f.gate.sessions {
		need := intentGuildMessages
		if c.Type == 1 {
			need = intentDirectMessages
		}
		if s.intents&need == 0 || !s.covers(c.Guild) {
			continue
		}
		body := f.messageJSON(m, true)
		seen := s.intents&intentMessageContent != 0 || c.Type == 1 || m.Author == f.botID || strings.Contains(m.Content, f.Mention())
		if !seen {
			body["content"], body["attachments"], body["components"] = "", []any{}, []any{}
		}
		f.sendTo(s, kind, body)
	}
}

// serveGateway is the server side of the WebSocket.
func (f *Fake) serveGateway(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	off := f.gate.offline
	f.mu.Unlock()
	if off {
		http.Error(w, "offline", http.StatusServiceUnavailable)
		return
	}
	if r.URL.Query().Get("encoding") != "json" || r.URL.Query().Get("v") != "10" && r.URL.Query().Get("v") != "9" {
		f.mu.Lock()
		f.violate("gateway: connected without v and encoding: %s", r.URL.RawQuery)
		f.mu.Unlock()
	}
	up := websocket.Upgrader{}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &conn{ws: ws}
	f.mu.Lock()
	f.gate.conns = append(f.gate.conns, c)
	f.mu.Unlock()
	c.send(frame{Op: 10, D: map[string]any{"heartbeat_interval": f.cfg.Heartbeat.Milliseconds(), "_trace": []string{"fake"}}})
	code := f.readGateway(c)
	f.mu.Lock()
	f.gate.conns = slices.DeleteFunc(f.gate.conns, func(x *conn) bool { return x == c })
	if c.s != nil && c.s.conn == c {
		c.s.conn = nil
		if code == 1000 || code == 1001 { // the client has ended its session
			delete(f.gate.sessions, c.s.id)
		}
	}
	f.notify()
	f.mu.Unlock()
	_ = ws.Close()
}

// readGateway handles a client's messages and returns its close code.
func (f *Fake) readGateway(c *conn) int {
	for {
		_, raw, err := c.ws.ReadMessage()
		if err != nil {
			if ce, ok := err.(*websocket.CloseError); ok { //nolint:errorlint // ReadMessage returns it bare
				return ce.Code
			}
			return 0
		}
		var m struct {
			Op int             `json:"op"`
			D  json.RawMessage `json:"d"`
		}
		if len(raw) > 4096 || json.Unmarshal(raw, &m) != nil {
			c.close(4002)
			return 0
		}
		switch m.Op {
		case 1:
			f.mu.Lock()
			silent := f.gate.noAcks
			f.mu.Unlock()
			if !silent {
				c.send(frame{Op: 11})
			}
		case 2:
			f.identify(c, m.D)
		case 6:
			f.resume(c, m.D)
		default:
			c.close(4001)
		}
	}
}

func (f *Fake) identify(c *conn, raw json.RawMessage) {
	var d struct {
		Token      string         `json:"token"`
		Intents    int            `json:"intents"`
		Properties map[string]any `json:"properties"`
		Shard      *[2]int        `json:"shard"`
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if n := len(f.gate.identifies); n > 0 && now.Sub(f.gate.identifies[n-1]) < f.cfg.Turn {
		f.violate("gateway: identified %s after the identify before, Discord takes one in %s", now.Sub(f.gate.identifies[n-1]), f.cfg.Turn)
	}
	f.gate.identifies = append(f.gate.identifies, now)
	malformed := json.Unmarshal(raw, &d) != nil || len(d.Properties) == 0
	if d.Shard == nil {
		d.Shard = &[2]int{0, 1}
	}
	switch {
	case malformed:
		go c.close(4002)
		return
	case d.Shard[0] < 0 || d.Shard[0] >= d.Shard[1]:
		go c.close(4010)
		return
	case d.Shard[1] < f.cfg.Shards:
		go c.close(4011)
		return
	case d.Intents&intentMessageContent != 0 && f.flags&(1<<18|1<<19) == 0:
		go c.close(4014)
		return
	case d.Token != "Bot "+f.cfg.Token && d.Token != f.cfg.Token:
		go c.close(4004)
		return
	case f.gate.refuse != 0:
		go c.close(f.gate.refuse)
		return
	case c.s != nil:
		go c.close(4005)
		return
	}
	s := &session{id: "s" + f.id(), intents: d.Intents, shard: *d.Shard, conn: c}
	c.s = s
	f.gate.sessions[s.id] = s
	f.sendTo(s, "READY", map[string]any{
		"v": 10, "shard": s.shard, "user": f.userJSON(f.users[f.botID]), "session_id": s.id, "resume_gateway_url": "ws://" + f.addr + "/gateway-resume",
		"guilds": f.guilds(), "private_channels": []any{},
		"application": map[string]any{"id": f.appID, "flags": 0},
	})
	if s.intents&intentGuilds != 0 && s.covers(f.Guild) && !f.outside {
		f.sendTo(s, "GUILD_CREATE", f.guildJSON())
	}
	f.notify()
}

func (f *Fake) resume(c *conn, raw json.RawMessage) {
	var d struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if json.Unmarshal(raw, &d) != nil || d.Token != "Bot "+f.cfg.Token && d.Token != f.cfg.Token {
		go c.close(4004)
		return
	}
	s := f.gate.sessions[d.Session]
	if s == nil || d.Seq > s.seq {
		c.send(frame{Op: 9, D: false})
		return
	}
	f.gate.resumes++
	s.conn, c.s = c, s
	for _, fr := range s.log {
		if fr.S != nil && *fr.S > d.Seq-f.cfg.Overlap && fr.T != "READY" && fr.T != "RESUMED" {
			c.send(fr)
		}
	}
	f.sendTo(s, "RESUMED", map[string]any{"_trace": []string{}})
	f.notify()
}
