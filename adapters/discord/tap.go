package discord

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Why a gateway connection ended.
var (
	errReconnect = errors.New("discord asked for a reconnect")
	errInvalid   = errors.New("discord ended the session")
	errSilent    = errors.New("the gateway does not acknowledge heartbeats")
	errCut       = errors.New("the connection was cut")
)

// closedError is a close code of the gateway's.
type closedError struct{ code int }

func (c closedError) Error() string {
	return fmt.Sprintf("the gateway closed the connection with code %d", c.code)
}

const (
	handshakeTimeout = 30 * time.Second // from dialling to READY
	maxWatched       = 1024             // bytes of a frame that the tap reads
)

// Gateway opcodes that the tap acts upon.
const (
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

// tap is the network connection below discordgo's web socket. It listens in on
// what discordgo keeps to itself: close codes, heartbeats' acknowledgements, and
// the requests to reconnect or to begin anew, which it turns into an end of the
// connection, because discordgo answers them with a close that ends the session
// or with identifies as fast as the network carries them.
type tap struct {
	net.Conn
	now func() time.Time

	mu       sync.Mutex
	cause    error         // why the connection ended, nil while it stands
	resume   bool          // the session goes on in another connection
	ready    bool          // READY or RESUMED came
	interval time.Duration // between heartbeats
	acked    time.Time     // last sign of life
	frames   frames
	pending  error // returned by the next Read
}

func newTap(c net.Conn, now func() time.Time) *tap {
	return &tap{Conn: c, now: now, resume: true, acked: now()}
}

// Read implements net.Conn.
func (t *tap) Read(p []byte) (int, error) {
	t.mu.Lock()
	pending, ready := t.pending, t.ready
	t.mu.Unlock()
	if pending != nil {
		return 0, pending
	}
	deadline := time.Time{}
	if !ready {
		deadline = time.Now().Add(handshakeTimeout)
	}
	if err := t.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	n, err := t.Conn.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	keep := t.frames.feed(p[:n], t.watch)
	if t.cause != nil && t.pending != nil && keep < n {
		if keep == 0 {
			return 0, t.pending
		}
		return keep, nil
	}
	if err != nil && t.cause == nil {
		t.cause = fmt.Errorf("%w: %w", errCut, err)
	}
	return n, err
}

// Write implements net.Conn. Nothing is written any more once the connection is
// given up: discordgo would close it in the way that ends the session.
func (t *tap) Write(p []byte) (int, error) {
	t.mu.Lock()
	ended := t.cause != nil
	t.mu.Unlock()
	if ended {
		return len(p), nil
	}
	return t.Conn.Write(p)
}

// kill ends the connection for a reason.
func (t *tap) kill(cause error, resume bool) {
	t.mu.Lock()
	if t.cause == nil {
		t.cause, t.resume = cause, resume
	}
	t.mu.Unlock()
	_ = t.Close() // it is given up; discordgo's reader sees that
}

// end returns why the connection ended and whether the session goes on.
func (t *tap) end() (resume bool, cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cause == nil {
		return t.resume, errCut
	}
	return t.resume, t.cause
}

func (t *tap) setReady() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready = true
	t.acked = t.now()
}

// overdue reports whether an acknowledgement has been missing for one and a half
// heartbeats.
func (t *tap) overdue() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ready && t.interval > 0 && t.now().Sub(t.acked) > t.interval*3/2
}

// watch sees each short frame; false ends the connection before it.
func (t *tap) watch(opcode byte, payload []byte) bool {
	if opcode == 8 {
		if len(payload) >= 2 && t.cause == nil {
			t.cause = closedError{code: int(binary.BigEndian.Uint16(payload))}
		}
		return true
	}
	var m struct {
		Op int             `json:"op"`
		D  json.RawMessage `json:"d"`
	}
	if json.Unmarshal(payload, &m) != nil {
		return true
	}
	switch m.Op {
	case opHello:
		var h struct {
			Interval int `json:"heartbeat_interval"`
		}
		if json.Unmarshal(m.D, &h) == nil {
			t.interval = time.Duration(h.Interval) * time.Millisecond
		}
		t.acked = t.now()
	case opAck:
		t.acked = t.now()
	case opReconnect:
		t.cause, t.resume, t.pending = errReconnect, true, errReconnect
		return false
	case opInvalid:
		t.cause, t.resume, t.pending = errInvalid, bytes.Equal(m.D, []byte("true")), errInvalid
		return false
	}
	return true
}

// frames finds the frames in what a web socket server sends.
type frames struct {
	begun   bool   // the HTTP answer is over
	tail    []byte // of the HTTP answer, or of a frame's header
	opcode  byte
	left    uint64 // bytes of the payload still to come
	payload []byte
	keep    bool // the payload is short enough to be looked at
	within  bool // a payload is being read
}

// feed looks at the next bytes and returns how many of them the reader may have:
// all, unless watch refuses a frame.
func (f *frames) feed(p []byte, watch func(byte, []byte) bool) int {
	start := 0 // of the current frame
	for i := 0; i < len(p); {
		switch {
		case !f.begun:
			f.tail = append(f.tail, p[i])
			i++
			if bytes.HasSuffix(f.tail, []byte("\r\n\r\n")) {
				f.begun, f.tail = true, nil
			} else if len(f.tail) > 4 {
				f.tail = f.tail[len(f.tail)-4:]
			}
		case !f.within:
			if len(f.tail) == 0 {
				start = i
			}
			f.tail = append(f.tail, p[i])
			i++
			f.header()
		default:
			n := int(min(f.left, uint64(len(p)-i))) //nolint:gosec // G115: at most len(p)
			if f.keep {
				f.payload = append(f.payload, p[i:i+n]...)
			}
			f.left -= uint64(n) //nolint:gosec // G115: not negative
			i += n
		}
		if f.within && f.left == 0 {
			f.within = false
			if f.keep && !watch(f.opcode, f.payload) {
				return start
			}
		}
	}
	return len(p)
}

// header reads a frame's header once it is whole.
func (f *frames) header() {
	h := f.tail
	if len(h) < 2 {
		return
	}
	need, n := 2, uint64(h[1]&0x7f)
	switch n {
	case 126:
		need = 4
	case 127:
		need = 10
	}
	if len(h) < need {
		return
	}
	switch need {
	case 4:
		n = uint64(binary.BigEndian.Uint16(h[2:]))
	case 10:
		n = binary.BigEndian.Uint64(h[2:])
	}
	f.opcode, f.left, f.within = h[0]&0x0f, n, true
	f.keep = n <= maxWatched && (f.opcode == 1 || f.opcode == 8)
	f.payload, f.tail = f.payload[:0], f.tail[:0]
}
