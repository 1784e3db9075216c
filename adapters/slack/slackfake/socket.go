package slackfake

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

const maxAck = 20 << 10 // acknowledgements of that size and above are dropped

// socket is the Socket Mode side of the fake.
type socket struct {
	sent     []*Delivery
	queue    []*Delivery // not sent yet, or to be sent again
	conns    []*socketConn
	tickets  map[string]bool
	opened   int // connections
	full     bool
	lastHTTP <-chan struct{}
	problems []string
}

type socketConn struct {
	ws   *websocket.Conn
	out  chan any
	gone chan struct{}
	mine []*Delivery // sent over this connection and not acknowledged
}

func (k *socket) init() { k.tickets = map[string]bool{} }

func (s *Server) connectionsOpen(args) (map[string]any, string) {
	s.opens++
	ticket := s.id("ticket")
	s.tickets[ticket] = true
	return map[string]any{"url": "ws" + strings.TrimPrefix(s.base, "http") + "/socket?ticket=" + ticket}, ""
}

// Connections returns how many Socket Mode connections are open now and how
// often one was asked for.
func (s *Server) Connections() (open, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns), s.opens
}

// Opened returns how often a connection was opened.
func (s *Server) Opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// serveSocket serves one connection: hello, envelopes out, acknowledgements in.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ok := s.tickets[r.URL.Query().Get("ticket")]
	delete(s.tickets, r.URL.Query().Get("ticket"))
	s.mu.Unlock()
	if !ok {
		http.Error(w, "bad ticket", http.StatusForbidden)
		return
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &socketConn{ws: ws, out: make(chan any, 1<<14), gone: make(chan struct{})}
	s.mu.Lock()
	select {
	case <-s.quit:
		s.mu.Unlock()
		_ = ws.Close()
		return
	default:
	}
	s.wg.Go(func() { s.writeSocket(c) }) // under the lock, so that Close waits for it
	if s.full {
		c.out <- map[string]any{"type": "disconnect", "reason": "too_many_websockets"}
		s.opened++
		s.touch()
		s.mu.Unlock()
		s.readSocket(c)
		return
	}
	c.out <- map[string]any{"type": "hello", "num_connections": 1, "connection_info": map[string]any{"app_id": "AMARU"}, "debug_info": map[string]any{"host": "fake", "approximate_connection_time": 18060}}
	s.conns = append(s.conns, c)
	s.opened++
	waiting := s.queue
	s.queue = nil
	for _, d := range waiting {
		s.pushSocket(d)
	}
	s.touch()
	s.mu.Unlock()
	s.readSocket(c)
}

// writeSocket is the only writer of a connection.
func (s *Server) writeSocket(c *socketConn) {
	every := s.opt.Ping
	if every < 0 {
		every = time.Hour
	} else {
		_ = c.ws.WriteControl(websocket.PingMessage, []byte("hi"), time.Now().Add(time.Second))
	}
	ping := time.NewTicker(every)
	defer ping.Stop()
	for {
		select {
		case m := <-c.out:
			var err error
			if raw, ok := m.(json.RawMessage); ok {
				err = c.ws.WriteMessage(websocket.TextMessage, raw)
			} else {
				err = c.ws.WriteJSON(m)
			}
			if err != nil {
				_ = c.ws.Close()
			}
		case <-ping.C:
			_ = c.ws.WriteControl(websocket.PingMessage, []byte("hi"), time.Now().Add(time.Second))
		case <-c.gone:
			return
		}
	}
}

// readSocket reads acknowledgements until the connection ends; unacknowledged envelopes go to the next connection.
func (s *Server) readSocket(c *socketConn) {
	for {
		_, raw, err := c.ws.ReadMessage()
		if err != nil {
			break
		}
		var ack struct {
			ID      string          `json:"envelope_id"`
			Payload json.RawMessage `json:"payload"`
		}
		s.mu.Lock()
		switch {
		case json.Unmarshal(raw, &ack) != nil || ack.ID == "":
			s.problem("frame that is no acknowledgement: " + string(raw))
		case len(raw) >= maxAck:
			s.problem("acknowledgement of 20 KB or more was dropped")
		default:
			s.ackSocket(c, ack.ID, ack.Payload)
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = slices.DeleteFunc(s.conns, func(x *socketConn) bool { return x == c })
	close(c.gone)
	_ = c.ws.Close()
	for _, d := range c.mine {
		if !d.settled {
			s.pushSocket(d)
		}
	}
	s.touch()
}

func (s *Server) ackSocket(c *socketConn, id string, payload json.RawMessage) {
	for _, d := range slices.Backward(s.sent) {
		if d.ID == id {
			c.mine = slices.DeleteFunc(c.mine, func(x *Delivery) bool { return x == d })
			if d.Kind == "events_api" && len(payload) > 0 && string(payload) != "null" {
				s.problem("an event does not accept a response payload: " + string(payload))
			}
			d.owner.acked(d, payload)
			return
		}
	}
	s.problem("acknowledgement of an unknown envelope " + id)
}

// pushSocket sends an envelope over the newest connection, or queues it for the next one. The caller holds s.mu.
func (s *Server) pushSocket(d *Delivery) {
	if len(s.conns) == 0 {
		s.queue = append(s.queue, d)
		return
	}
	c := s.conns[len(s.conns)-1]
	env := map[string]any{
		"envelope_id": d.ID, "type": d.Kind, "payload": d.Payload,
		"accepts_response_payload": d.Kind != "events_api", "retry_attempt": d.Sent, "retry_reason": "",
	}
	if d.Sent > 0 {
		env["retry_reason"] = "timeout"
	}
	d.Sent++
	c.mine = append(c.mine, d)
	c.out <- env
}

// RedeliverUnacked sends again everything that was sent and not acknowledged, as
// Slack does after a while.
func (s *Server) RedeliverUnacked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.sent {
		if !d.settled && d.Sent > 0 {
			s.dispatchOut(d)
		}
	}
}

// Frame sends a raw frame over Socket Mode.
func (s *Server) Frame(raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.out <- json.RawMessage(raw)
	}
}

// Disconnect asks the bot to reconnect, for "warning", "refresh_requested" or "link_disabled".
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.out <- map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]any{"host": "fake"}}
	}
}

// Full makes Slack close every new connection at once, as when an app has ten, or accept them again.
func (s *Server) Full(full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = full
	if full {
		s.dropAll()
	}
}

// Kill cuts all connections without a word.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropAll()
}

func (s *Server) dropAll() {
	for _, c := range s.conns {
		_ = c.ws.NetConn().Close()
	}
}
