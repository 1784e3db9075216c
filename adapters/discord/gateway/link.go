package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	handshakeTime = 30 * time.Second // from dialling to READY or RESUMED
	writeTime     = 5 * time.Second
	maxFrame      = 32 << 20 // bytes: a large guild's GUILD_CREATE has several million
	maxInterval   = 10 * time.Minute
)

// link is one connection.
type link struct {
	ws     *websocket.Conn
	log    *slog.Logger
	wait   func(ctx context.Context, d time.Duration) error
	jitter func() float64
	seq    atomic.Int64 // last sequence number, sent in heartbeats

	write  sync.Mutex // one writer at a time
	closed bool       // guarded by write

	// The following fields belong to the reader.
	interval time.Duration
	begun    time.Time // time of dialling
	acked    time.Time // last acknowledged heartbeat
	stands   bool
	gapSince time.Time // zero: no missing event
}

// dial opens a connection to the gateway at address.
func dial(ctx context.Context, address string, cfg Config) (*link, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the gateway's address %q is not a URL", address)
	}
	u.Path = cmp.Or(u.Path, "/")
	u.RawQuery = "v=10&encoding=json"
	d := websocket.Dialer{HandshakeTimeout: handshakeTime, Proxy: cfg.Proxy}
	begun := time.Now()
	ws, resp, err := d.DialContext(ctx, u.String(), http.Header{"User-Agent": {"DiscordBot (https://github.com/maru, 1.0)"}})
	if resp != nil {
		_ = resp.Body.Close() // the dialer has read the body
	}
	if err != nil {
		return nil, fmt.Errorf("connect to the gateway: %w", err)
	}
	ws.SetReadLimit(maxFrame)
	// gorilla would respond to a close frame with 1000, which Discord interprets as the end of the session.
	ws.SetCloseHandler(func(int, string) error { return nil })
	return &link{ws: ws, log: cfg.Log, wait: cfg.Wait, jitter: cfg.Jitter, begun: begun}, nil
}

// close closes the connection, with a code unless it is 0; 1000 also ends the session.
func (l *link) close(code int) {
	l.write.Lock()
	defer l.write.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	if code != 0 {
		_ = l.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second)) // best effort
	}
	_ = l.ws.Close() // best effort
}

// hello reads the first frame.
func (l *link) hello() (time.Duration, error) {
	f, err := l.read()
	if err != nil {
		return 0, err
	}
	var h hello
	if f.Op != opHello || json.Unmarshal(f.Data, &h) != nil || h.Interval <= 0 {
		return 0, &end{cause: errHandshake, resume: true}
	}
	l.interval = min(time.Duration(h.Interval)*time.Millisecond, maxInterval)
	l.acked = time.Now()
	return l.interval, nil
}

// read returns the next readable frame and records acknowledgements.
func (l *link) read() (frame, error) {
	for {
		if err := l.ws.SetReadDeadline(l.deadline()); err != nil {
			return frame{}, &end{cause: err, resume: true}
		}
		kind, raw, err := l.ws.ReadMessage()
		if err != nil {
			return frame{}, l.classifyEnd(err)
		}
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil || kind != websocket.TextMessage {
			l.log.Warn("discord gateway message not decoded", "bytes", len(raw), "err", err)
			continue
		}
		if f.Op == opAck {
			l.acked = time.Now()
			continue
		}
		return f, nil
	}
}

// deadline returns when a silent connection counts as dead. Only a heartbeat's
// acknowledgement moves it: a connection that delivers events but no acknowledgements is dead
// too. The previous acknowledgement is one interval old when the next is due, so a death is
// noticed within 1.4 intervals.
func (l *link) deadline() time.Time {
	d := l.begun.Add(handshakeTime)
	if l.stands {
		d = l.acked.Add(l.interval * 7 / 5)
	}
	if !l.gapSince.IsZero() {
		if g := l.gapSince.Add(holdFor); g.Before(d) {
			d = g
		}
	}
	return d
}

// classifyEnd classifies a read error.
func (l *link) classifyEnd(err error) error {
	var c *websocket.CloseError
	var n net.Error
	switch {
	case errors.As(err, &c) && c.Code != websocket.CloseAbnormalClosure:
		return &end{cause: &CloseError{Code: c.Code}, resume: resumable(c.Code)}
	case !errors.As(err, &n) || !n.Timeout():
		return &end{cause: fmt.Errorf("the connection was cut: %w", err), resume: true}
	case !l.stands:
		return &end{cause: errHandshake, resume: true}
	case !l.gapSince.IsZero() && time.Now().Before(l.acked.Add(l.interval*7/5)):
		return &end{cause: errGap, resume: true}
	}
	return &end{cause: errSilent, resume: true}
}

// markReady records READY or RESUMED.
func (l *link) markReady() {
	l.stands = true
	l.acked = time.Now()
}

// expect records whether events are missing.
func (l *link) expect(gap bool) {
	switch {
	case !gap:
		l.gapSince = time.Time{}
	case l.gapSince.IsZero():
		l.gapSince = time.Now()
	}
}

// beat sends heartbeats until ctx ends, the first after a random part of the interval, so
// that clients do not beat in unison.
func (l *link) beat(ctx context.Context, interval time.Duration) {
	d := time.Duration(l.jitter() * float64(interval))
	for l.wait(ctx, d) == nil {
		if l.heartbeat() != nil {
			return // the reader notices the end of the connection
		}
		d = interval
	}
}

// heartbeat sends the last received sequence number.
func (l *link) heartbeat() error {
	if n := l.seq.Load(); n > 0 {
		return l.send(opHeartbeat, n)
	}
	return l.send(opHeartbeat, nil)
}

func (l *link) send(op int, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode for the gateway: %w", err)
	}
	l.write.Lock()
	defer l.write.Unlock()
	if err := l.ws.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return &end{cause: err, resume: true}
	}
	if err := l.ws.WriteJSON(frame{Op: op, Data: raw}); err != nil {
		return &end{cause: fmt.Errorf("write to the gateway: %w", err), resume: true}
	}
	return nil
}
