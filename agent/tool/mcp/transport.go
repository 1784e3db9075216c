package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ender ends the transport of a session, at its first call, and returns the last lines that a child wrote to its error
// stream. With quiet, it leaves out what the child wrote because it was ended.
type ender func(quiet bool) string

// transport returns the transport of a session and the function that ends it.
func (s *server) transport() (mcp.Transport, ender, error) {
	if s.cfg.URL != "" {
		return s.overHTTP()
	}
	return s.overPipes()
}

// grace is how long a child may take to exit after its input is closed, and again after it is asked to terminate.
const grace = 2 * time.Second

// overPipes starts the server as a child process. It gets no environment but what
// the settings give it: ours holds secrets.
func (s *server) overPipes() (mcp.Transport, ender, error) {
	cmd := exec.Command(s.cfg.Command, s.cfg.Args...) //nolint:gosec,noctx // G204: the operator's command; it lives until end
	cmd.Env = append(append([]string{}, s.pool.cfg.Environ...), s.cfg.Env...)
	cmd.WaitDelay = grace // a grandchild that keeps the error stream open
	last := &tail{}
	cmd.Stderr = last
	ownGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", s.cfg.Command, err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", s.cfg.Command, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", s.cfg.Command, err)
	}
	var once sync.Once
	var words string
	end := func(quiet bool) string {
		once.Do(func() {
			said := last.String()
			_ = stdin.Close()
			finish(cmd)
			if !quiet {
				said = last.String()
			}
			words = s.mask(said)
		})
		return words
	}
	return &mcp.IOTransport{Reader: readCloser{newFrames(stdout, last), stdout}, Writer: stdin, MaxLineLength: maxFrame}, end, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// finish waits for a child whose input is closed; it terminates the child after a while, and kills it after another.
func finish(cmd *exec.Cmd) {
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended does not matter
		close(ended)
	}()
	for _, help := range []func(){func() { terminate(cmd) }, func() { kill(cmd) }} {
		t := time.NewTimer(grace)
		select {
		case <-ended:
			t.Stop()
			kill(cmd) // what it started and left behind
			return
		case <-t.C:
			help()
		}
	}
	<-ended
}

// tail keeps the end of an error stream. It never blocks the child.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// lastWords is the size in bytes of the end of an error stream that is kept.
const lastWords = 2 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-lastWords):]...)
	if len(t.text) > lastWords {
		t.text = append(t.text[:0:0], t.text[len(t.text)-lastWords:]...)
	}
	return len(p), nil
}

// String returns the last lines, in one, without control characters.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := []rune(strings.Join(strings.Fields(clean(string(t.text))), " "))
	return string(text[max(0, len(text)-300):])
}

// overHTTP dials a streamable HTTP endpoint.
func (s *server) overHTTP() (mcp.Transport, ender, error) {
	address, err := url.Parse(s.cfg.URL)
	if err != nil || address.Host == "" {
		return nil, nil, fmt.Errorf("the url of mcp server %s is not a URL", s.cfg.Name)
	}
	base := s.cfg.HTTP
	if base == nil {
		base = s.pool.cfg.HTTP
	}
	if base == nil {
		base = http.DefaultTransport
	}
	life, cancel := context.WithCancel(context.Background()) // of the connection, ended by end
	client := &http.Client{
		Transport: &carrier{base: base, life: life, headers: s.cfg.Headers, origin: origin(address), status: &s.answered},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if origin(r.URL) != origin(address) || len(via) > 3 {
				return fmt.Errorf("it redirects to %s, which is not what the settings name", origin(r.URL))
			}
			return nil
		},
	}
	end := func(bool) string { cancel(); return "" }
	return &mcp.StreamableClientTransport{Endpoint: s.cfg.URL, HTTPClient: client, MaxRetries: 1, MaxEventSize: maxFrame}, end, nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// carrier sends the settings' headers to the settings' origin only, bounds replies, and cancels requests when the
// connection ends.
type carrier struct {
	base    http.RoundTripper
	life    context.Context //nolint:containedctx // the SDK's requests have none of ours
	headers http.Header
	origin  string
	status  *atomic.Int32 // see server.answered
}

// RoundTrip implements http.RoundTripper.
func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	if origin(r.URL) != c.origin {
		return nil, fmt.Errorf("a request to %s, which is not what the settings name", origin(r.URL))
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(c.life, cancel)
	release := func() { stop(); cancel() }
	r = r.Clone(ctx)
	for name, values := range c.headers {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	resp, err := c.base.RoundTrip(r)
	if err != nil {
		release()
		return nil, err
	}
	if c.status.Load() < http.StatusBadRequest && essential(r) {
		c.status.Store(int32(resp.StatusCode)) //nolint:gosec // G115: three digits
	}
	left := int64(maxFrame)
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		left = -1 // each event is bounded by the SDK
	}
	resp.Body = &body{ReadCloser: resp.Body, left: left, release: release}
	return resp, nil
}

// essential reports whether a call fails without the message of a request, unlike the end of a session, its stream of
// events, or a notification about a call.
func essential(r *http.Request) bool {
	if r.Method != http.MethodPost || r.GetBody == nil {
		return false
	}
	body, err := r.GetBody()
	if err != nil {
		return false
	}
	defer body.Close()
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.NewDecoder(io.LimitReader(body, maxFrame)).Decode(&m) != nil {
		return false
	}
	return m.Method == "notifications/initialized" || m.ID != nil && m.Method != "" && m.Method != "ping"
}

// body is a reply of at most left bytes; a negative left means no bound.
type body struct {
	io.ReadCloser
	left    int64
	release func()
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, fmt.Errorf("a reply of more than %d bytes", maxFrame)
	}
	if b.left > 0 {
		p = p[:min(int64(len(p)), b.left)]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left > 0 {
		b.left -= int64(n)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
