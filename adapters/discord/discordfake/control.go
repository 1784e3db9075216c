package discordfake

import (
	"context"
	"slices"
	"time"
)

// AwaitReady waits until a bot is connected and has identified or resumed.
func (f *Fake) AwaitReady(ctx context.Context) error { return f.Await(ctx, f.Connected) }

// Connected reports whether a bot is connected.
func (f *Fake) Connected() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.gate.conns, func(c *conn) bool { return c.s != nil })
}

// Identifies returns when sessions began.
func (f *Fake) Identifies() []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.gate.identifies)
}

// Resumes returns how many sessions were resumed.
func (f *Fake) Resumes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gate.resumes
}

// SetOffline makes the gateway refuse connections, and closes existing ones.
func (f *Fake) SetOffline(off bool) {
	f.mu.Lock()
	f.gate.offline = off
	f.mu.Unlock()
	if off {
		f.Drop()
	}
}

// SetAcks enables or disables heartbeat acknowledgements.
func (f *Fake) SetAcks(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gate.noAcks = !on
}

// SetSessions sets the session limits of /gateway/bot.
func (f *Fake) SetSessions(remaining int, resetAfter time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gate.remaining, f.gate.resetAfter = remaining, resetAfter
}

// Intents returns the intents of the connected sessions.
func (f *Fake) Intents() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []int
	for _, c := range f.gate.conns {
		if c.s != nil {
			out = append(out, c.s.intents)
		}
	}
	return out
}

// Shards returns the shards that are connected, in no order.
func (f *Fake) Shards() [][2]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out [][2]int
	for _, c := range f.gate.conns {
		if c.s != nil {
			out = append(out, c.s.shard)
		}
	}
	return out
}

// RefuseIdentify closes connections that identify with this code; 0 stops it.
func (f *Fake) RefuseIdentify(code int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gate.refuse = code
}

func (f *Fake) conns() []*conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.gate.conns)
}

// Drop cuts all connections without a word.
func (f *Fake) Drop() {
	for _, c := range f.conns() {
		_ = c.ws.UnderlyingConn().Close()
	}
}

// CloseGateway closes all connections with a code.
func (f *Fake) CloseGateway(code int) {
	for _, c := range f.conns() {
		c.close(code)
	}
}

// AskReconnect sends op 7.
func (f *Fake) AskReconnect() {
	for _, c := range f.conns() {
		c.send(frame{Op: 7})
	}
}

// Invalidate sends op 9; if the session is not resumable it is forgotten.
func (f *Fake) Invalidate(resumable bool) {
	for _, c := range f.conns() {
		if !resumable {
			f.mu.Lock()
			if c.s != nil {
				delete(f.gate.sessions, c.s.id)
			}
			f.mu.Unlock()
		}
		c.send(frame{Op: 9, D: resumable})
	}
}

// ForgetSessions makes every later resume invalid.
func (f *Fake) ForgetSessions() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.gate.sessions)
}
