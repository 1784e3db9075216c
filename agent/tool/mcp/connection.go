package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxFrame bounds one message of a server, in bytes.
const maxFrame = 24 << 20

// connectTimeout bounds the start of a server and its greeting: npx may have to
// download it first.
const connectTimeout = 2 * time.Minute

// connection is one live session with a server.
type connection struct {
	session *mcp.ClientSession
	end     func() string // ends what carries it; returns the last it wrote to its error stream
	dead    chan struct{} // closed when the session has ended
	changed chan struct{} // the server said that its list changed
	doubt   chan struct{} // a call took too long: is anybody there?

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup // what runs in it
}

// errGone says that a connection ended before the call.
var errGone = errors.New("the server is not connected")

// connect starts or dials the server and greets it.
func (s *server) connect(ctx context.Context) (*connection, error) {
	c := &connection{dead: make(chan struct{}), changed: make(chan struct{}, 1), doubt: make(chan struct{}, 1)}
	options := &mcp.ClientOptions{
		Logger:         slog.New(slog.DiscardHandler), // it would log what servers send
		Capabilities:   &mcp.ClientCapabilities{},     // no roots, no sampling, no questions to people
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}
	if s.pool.cfg.Watch {
		options.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { poke(c.changed) }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "maru", Version: s.pool.cfg.Version}, options)
	transport, end, err := s.transport()
	if err != nil {
		return nil, err
	}
	c.end = func() string { return end(false) }
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	s.answered.Store(0)
	// A server that does not read would hold Connect for ever: the guard ends it.
	stop := context.AfterFunc(limited, func() { end(true) })
	c.session, err = client.Connect(limited, transport, nil)
	stop()
	if err == nil && limited.Err() != nil {
		_ = c.session.Close() // its carrier is gone already
		err = limited.Err()
	}
	if err != nil {
		switch {
		case limited.Err() != nil && !errors.Is(ctx.Err(), context.Canceled):
			err = &lateError{after: time.Since(began), cause: limited.Err()}
		case s.isMissing() && s.atMCP():
			err = fmt.Errorf("%w: no MCP server over streamable HTTP answers at this address", err)
		case s.isMissing():
			err = fmt.Errorf("%w: no streamable HTTP there; its path is usually /mcp, and /sse is of the older transport", err)
		}
		if words := c.end(); words != "" {
			err = fmt.Errorf("%w; its last words: %s", err, words)
		}
		return nil, fmt.Errorf("connect: %w", err)
	}
	c.calls.Go(func() {
		_ = c.session.Wait() // why it ended does not matter: it is made again
		close(c.dead)
	})
	return c, nil
}

// lateError says how long a server was waited for, without the words of the cause.
type lateError struct {
	after time.Duration
	cause error
}

func (e *lateError) Error() string {
	return fmt.Sprintf("no answer within %s", e.after.Round(time.Second))
}
func (e *lateError) Unwrap() error { return e.cause }

// wantsToken reports whether the server refused a request without a token, or with the one it got.
func (s *server) wantsToken() bool { return s.answered.Load() == http.StatusUnauthorized }

// isMissing reports whether no MCP server is at the address.
func (s *server) isMissing() bool {
	status := s.answered.Load()
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed
}

// atMCP reports whether the server's address ends in the usual path.
func (s *server) atMCP() bool {
	u, err := url.Parse(s.cfg.URL)
	return err == nil && strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/mcp")
}

// ended reports whether the session has ended.
func (c *connection) ended() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

// poke signals a channel of capacity one, unless a signal is pending.
func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// close ends the session and whatever runs in it, and returns the last that the
// server wrote to its error stream.
func (c *connection) close() string {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	hard := time.AfterFunc(grace, func() { c.end() }) // a server that does not listen is not waited for
	_ = c.session.Close()
	hard.Stop()
	words := c.end()
	c.calls.Wait()
	return words
}

// guard runs one request of a connection so that it ends with ctx, even if the
// server reads nothing and the request cannot be written.
func guard[T any](ctx context.Context, c *connection, request func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		var none T
		return none, errGone
	}
	c.calls.Go(func() {
		value, err := request()
		done <- outcome{value, err}
	})
	c.mu.Unlock()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
