package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// call is one call of ours. A client of go-openai is made for each, so that the
// doer knows whose request it does: see [doer.client].
type call struct {
	first, idle     time.Duration
	cancel          context.CancelCauseFunc
	zero            bool     // send "temperature":0, which go-openai leaves out
	extra           bool     // messages carry members of the server's own, see extra.go
	messages, tools [][]byte // JSON, in the place of go-openai's, which would encode each several times
	body            *body
}

// Why a call's context was cancelled by us.
var (
	errFirst = errors.New("no reply within the time for the first byte")
	errIdle  = errors.New("the reply stopped in the middle and did not go on")
	errTotal = errors.New("the reply was not finished within the total time")
)

// notStream says that the server answered in one piece though a stream was asked for.
type notStream struct{ answer []byte }

// Error implements error.
func (*notStream) Error() string { return "the endpoint does not stream" }

// doer is the HTTP client under go-openai. It is where a failed answer is
// classed (its headers are still there), where deadlines are kept and where
// what comes in is bounded.
type doer struct {
	http    *http.Client
	sdk     sdk.ClientConfig // of go-openai's clients
	key     string
	maxBody int64
	now     func() time.Time

	setting func(what string) string // see [Config.Setting]
}

// client returns go-openai's client for one call.
func (d *doer) client(c *call) *sdk.Client {
	config := d.sdk
	config.HTTPClient = calling{d, c}
	return sdk.NewClientWithConfig(config)
}

// calling does the requests of one call.
type calling struct {
	*doer

	call *call
}

// Do implements go-openai's HTTPDoer. Errors are *llm.Error or the context's.
func (d calling) Do(req *http.Request) (*http.Response, error) {
	c := d.call
	if d.key == "" {
		req.Header.Del("Api-Key") // Azure's client sends it empty
	}
	if c.zero || c.messages != nil || c.tools != nil {
		if err := complete(req, c); err != nil {
			return nil, err
		}
	}
	b := &body{left: d.maxBody, max: d.maxBody, idle: c.idle, doer: d.doer}
	c.body = b
	b.timer = time.AfterFunc(c.first, func() { c.cancel(b.late()) })
	resp, err := d.http.Do(req)
	if err != nil {
		b.timer.Stop()
		return nil, d.transportError(req.Context(), err)
	}
	b.from = resp.Body
	resp.Body = b
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer func() { _ = b.Close() }()
		return nil, d.statusError(resp)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	stream := strings.Contains(req.Header.Get("Accept"), "event-stream")
	switch {
	case kind == "text/html", !b.begins("{[") && b.page():
		_ = b.Close()
		return nil, &llm.Error{Class: llm.WebPage, Status: resp.StatusCode, Detail: "the endpoint answered with a web page: check " + d.setting("BASE_URL") + " (it usually ends in /v1)"}
	case stream && (!strings.HasSuffix(kind, "json") || !b.begins("{[")):
		return resp, nil
	}
	if err := b.whole(); err != nil {
		return nil, err
	}
	if stream {
		_ = b.Close()
		return nil, &notStream{b.out}
	}
	return resp, nil
}

func (d *doer) transportError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return ended(ctx, cause)
	}
	return &llm.Error{Class: llm.Network, Detail: d.redact(strip(err).Error())}
}

// strip takes the address away, which says nothing new and may be private.
func strip(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil || !strings.Contains(err.Error(), "://") {
			return err
		}
		err = next
	}
}

// ended turns the end of a call's context into an error: ours are timeouts, the
// caller's own is given back as it is.
func ended(ctx context.Context, cause error) error {
	if errors.Is(cause, errFirst) || errors.Is(cause, errIdle) || errors.Is(cause, errTotal) {
		return &llm.Error{Class: llm.Timeout, Detail: cause.Error()}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &llm.Error{Class: llm.Timeout, Detail: "the caller's deadline passed", Err: context.DeadlineExceeded}
	}
	return fmt.Errorf("model call: %w", ctx.Err())
}

// redact takes the key out of a text and bounds it to one line.
func (d *doer) redact(s string) string {
	if len(d.key) >= 4 {
		s = strings.ReplaceAll(s, d.key, "***")
	}
	s = keyLike.ReplaceAllStringFunc(s, masked)
	s = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}

// keyLike finds words that may be a key: an endpoint may repeat one that is not ours, such as that of a gateway.
var keyLike = pattern.New(`[A-Za-z0-9_-]{8,}`)

// masked hides a word if it begins as keys do or has a long run of letters and digits together, which no word of a
// sentence and no name of a model has.
func masked(word string) string {
	for _, prefix := range []string{"sk-", "sk_", "pk-", "gsk_", "xai-", "hf_", "AIza"} {
		if strings.HasPrefix(word, prefix) {
			return prefix + "***"
		}
	}
	for run := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(run) >= 20 && strings.ContainsAny(run, "0123456789") && strings.ContainsFunc(run, unicode.IsLetter) {
			return word[:3] + "***"
		}
	}
	return word
}

// epoch is the least number that is a time and not a wait, in seconds since 1970.
const epoch = 1e9

// retryAfter reads what a service says about when to come again: seconds, a
// date, a time since 1970, or milliseconds in Azure's own header.
func (d *doer) retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := strings.TrimSpace(fallback(h.Get("Retry-After"), h.Get("llm_provider-retry-after"))) // LiteLLM hands the service's on
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		switch {
		case s > 0 && s < 1e6:
			return time.Duration(s * float64(time.Second))
		case s >= epoch && s < epoch*1e2:
			return max(time.Unix(int64(s), 0).Sub(d.now()), 0)
		case s >= epoch*1e3 && s < epoch*1e5:
			return max(time.UnixMilli(int64(s)).Sub(d.now()), 0)
		}
		return 0
	}
	if wait, err := time.ParseDuration(v); err == nil {
		return max(wait, 0)
	}
	for _, parse := range []func(string) (time.Time, error){http.ParseTime, func(v string) (time.Time, error) { return time.Parse(time.RFC3339, v) }} {
		if t, err := parse(v); err == nil {
			return max(t.Sub(d.now()), 0)
		}
	}
	return 0
}

// What a refusal says about when to come again: Google's RetryInfo, and the words of OpenAI, Groq and Azure.
var (
	waits     = pattern.New(`(?i)(?:"retryDelay":\s*"|\b(?:try|retry)\s+(?:again\s+)?(?:in|after)\s+)(\d.*)`)
	waitPart  = pattern.New(`^[\s,]*(?:and\s+)?(\d+(?:\.\d+)?)\s*([a-z]+)`)
	waitUnits = map[string]time.Duration{
		"ms": time.Millisecond, "millisecond": time.Millisecond, "s": time.Second, "sec": time.Second, "second": time.Second,
		"m": time.Minute, "min": time.Minute, "minute": time.Minute, "h": time.Hour, "hr": time.Hour, "hour": time.Hour,
	}
)

// saidWait reads from the body of a refusal how long to wait, 0 if it does not say.
func saidWait(body []byte) time.Duration {
	m := waits.FindStringSubmatch(string(body))
	if m == nil {
		return 0
	}
	text, wait := strings.ToLower(m[1]), 0.0
	for part := waitPart.FindStringSubmatch(text); part != nil; part = waitPart.FindStringSubmatch(text) {
		unit := fallback(waitUnits[part[2]], waitUnits[strings.TrimSuffix(part[2], "s")])
		n, err := strconv.ParseFloat(part[1], 64)
		if unit == 0 || err != nil {
			break
		}
		wait, text = wait+n*float64(unit), text[len(part[0]):]
	}
	if wait >= float64(1e6*time.Second) {
		return 0
	}
	return time.Duration(wait)
}

// body is a reply's body: bounded and watched by a timer. The chunks of a stream are read by [body.next].
type body struct {
	from   io.ReadCloser
	max    int64
	left   int64
	sse    events
	ready  bool   // all has come and is in out
	peeked []byte // that came and are to be read
	doer   *doer

	idle  time.Duration
	timer *time.Timer

	out    []byte                             // clean bytes not yet read
	chunks []sdk.ChatCompletionStreamResponse // of a stream, not yet read
	err    error                              // the first error that is not io.EOF
	eof    bool

	mu      sync.Mutex
	started bool // something came
	closed  bool
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.ready && len(b.out) == 0:
		return 0, io.EOF
	case b.ready:
		n := copy(p, b.out)
		b.out = b.out[n:]
		return n, nil
	}
	return b.fetch(p)
}

// whole reads a reply in one piece and makes it plain. What ends it too early is
// found by who reads it.
func (b *body) whole() error {
	all, err := io.ReadAll(readerFunc(b.fetch))
	if err != nil {
		_ = b.Close()
		return err
	}
	if b.out, err = b.doer.plain(all); err != nil {
		_ = b.Close()
		return err
	}
	b.ready = true
	return nil
}

// begins reports whether a body begins with one of these bytes, white space and a byte order mark apart: some proxies give every reply the type of JSON.
func (b *body) begins(with string) bool {
	buf := make([]byte, 512)
	for {
		n, err := b.fetch(buf)
		if at := bytes.IndexFunc(buf[:n], func(r rune) bool { return !strings.ContainsRune(" \t\r\n\ufeff", r) }); at >= 0 {
			b.peeked = buf[at:n]
			return strings.IndexByte(with, buf[at]) >= 0
		}
		if err != nil {
			return true // who reads it finds why
		}
	}
}

// page reports whether a body whose beginning was read is a web page, whatever type it has.
func (b *body) page() bool { return webPage.MatchString(string(b.peeked)) }

var webPage = pattern.New(`(?i)^(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+)?html\b`)

// readerFunc is a function that reads.
type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// fetch reads from the connection, keeping time and bound.
func (b *body) fetch(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(b.peeked) > 0 {
		n := copy(p, b.peeked)
		b.peeked = b.peeked[n:]
		return n, nil
	}
	if b.left <= 0 {
		b.err = &llm.Error{Class: llm.Garbage, Detail: fmt.Sprintf("the reply is larger than %d bytes", b.max)}
		return 0, b.err
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.from.Read(p)
	b.left -= int64(n)
	if n > 0 {
		b.alive()
		if !errors.Is(err, io.EOF) {
			err = nil // the next read fails as well; what has come is read first
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// alive puts the idle time off; until something came it was the first byte's.
func (b *body) alive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.started = true
	if !b.closed {
		b.timer.Reset(b.idle)
	}
}

// late says which deadline has passed when the timer fires.
func (b *body) late() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.started {
		return errIdle
	}
	return errFirst
}

// hurry shortens the idle time, when all that matters has come.
func (b *body) hurry(d time.Duration) {
	b.idle = min(b.idle, d)
	b.alive()
}

// Close implements io.Closer. A stream that is complete is read to its end
// first, for a moment, so that the connection can be used again.
func (b *body) Close() error {
	if b.sse.done && b.err == nil && !b.eof {
		b.hurry(50 * time.Millisecond)
		_, _ = io.CopyN(io.Discard, b.from, 4<<10)
	}
	b.mu.Lock()
	b.closed = true
	b.timer.Stop()
	b.mu.Unlock()
	return b.from.Close()
}
