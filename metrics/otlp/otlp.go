// Package otlp posts to an OpenTelemetry collector over OTLP/HTTP in its JSON encoding. It has the request, its headers
// and the words that all signals share; what is sent is made by maru/metrics/spans and maru/metrics/push.
//
// It must not know runs or figures. The OpenTelemetry SDK is not linked: see docs/decisions/0005-libraries.md.
package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Client posts one signal.
type Client struct {
	URL      string            // of the endpoint, its path included: http://127.0.0.1:4318/v1/traces
	Headers  map[string]string // such as a key
	Resource map[string]string // service.name and others
	Version  string            // of the program
	Gzip     bool              // bodies are compressed
	HTTP     *http.Client      // nil: http.DefaultClient
}

// Bounds of a request.
const (
	sendTime = 10 * time.Second // of one try
	LastTime = 3 * time.Second  // for what is sent once the program stops
	maxReply = 64 << 10
)

// Attribute is a key with a value.
type Attribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// Text returns an attribute with a text.
func Text(key, value string) Attribute {
	return Attribute{key, map[string]any{"stringValue": value}}
}

// Number returns an attribute with a whole number.
func Number(key string, n int) Attribute {
	return Attribute{key, map[string]any{"intValue": strconv.Itoa(n)}} // 64-bit integers are strings in JSON
}

// Nano writes a time as OTLP does.
func Nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// resource returns what every request says about the program.
func (c Client) resource() map[string]any {
	out := make([]Attribute, 0, len(c.Resource)+1)
	for _, k := range slices.Sorted(maps.Keys(c.Resource)) {
		out = append(out, Text(k, c.Resource[k]))
	}
	return map[string]any{"attributes": append(out, Text("service.version", c.Version))}
}

// scope says which part of the program speaks.
func (c Client) scope() map[string]any { return map[string]any{"name": "maru", "version": c.Version} }

// Signal names the members of a request for one kind of data, and the kind in the names of its settings.
type Signal struct{ Resources, Scopes, Items, Name string }

// The signals that are sent.
var (
	Traces  = Signal{"resourceSpans", "scopeSpans", "spans", "TRACES"}
	Metrics = Signal{"resourceMetrics", "scopeMetrics", "metrics", "METRICS"}
)

// Post sends items. The error is a [*Refused] where the collector answers anything but success.
func (c Client) Post(ctx context.Context, s Signal, items any) error {
	body, err := json.Marshal(map[string]any{s.Resources: []any{map[string]any{
		"resource": c.resource(), s.Scopes: []any{map[string]any{"scope": c.scope(), s.Items: items}},
	}}})
	if err != nil {
		return fmt.Errorf("encode %s: %w", s.Items, err)
	}
	if c.Gzip {
		body = compressed(body)
	}
	ctx, cancel := whole(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send %s: %w", s.Items, err)
	}
	for k, v := range c.Headers {
		req.Header.Set(k, v)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("send %s: %w", s.Items, err)
	}
	defer func() { _ = resp.Body.Close() }()                        // nothing to save
	reply, _ := io.ReadAll(io.LimitReader(resp.Body, maxReply))     // a truncated reply is enough
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply)) // for the connection's sake
	if resp.StatusCode/100 != 2 {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 without
		return &Refused{Status: resp.StatusCode, After: time.Duration(seconds) * time.Second}
	}
	return rejected(reply)
}

// compressed returns a body with gzip.
func compressed(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// rejected reads what a collector says of data that it took in part.
func rejected(reply []byte) error {
	var said struct {
		PartialSuccess struct {
			RejectedSpans      json.Number `json:"rejectedSpans"`
			RejectedDataPoints json.Number `json:"rejectedDataPoints"`
			ErrorMessage       string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(reply, &said) != nil {
		return nil // success is in the status; its body may be empty or of another kind
	}
	p := said.PartialSuccess
	for _, n := range []json.Number{p.RejectedSpans, p.RejectedDataPoints} {
		if count, err := n.Int64(); err == nil && count > 0 {
			return &Refused{Status: http.StatusOK, Rejected: count, Why: cut(p.ErrorMessage)}
		}
	}
	return nil
}

// cut bounds the words of a collector.
func cut(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "…"
	}
	return s
}

// Refused is an answer other than full success.
type Refused struct {
	Status   int
	After    time.Duration // Retry-After
	Rejected int64         // spans or points, of an answer that took the others
	Why      string        // the collector's words
}

// Error implements error.
func (r *Refused) Error() string {
	if r.Rejected > 0 {
		return fmt.Sprintf("the collector rejects %d of what was sent: %q", r.Rejected, r.Why)
	}
	return fmt.Sprintf("the collector answers %d", r.Status)
}

// Passes reports whether the same request may succeed later, as OTLP has it.
func (r *Refused) Passes() bool {
	return r.Status == http.StatusTooManyRequests || r.Status == http.StatusBadGateway || r.Status == http.StatusServiceUnavailable || r.Status == http.StatusGatewayTimeout
}

// Fix says what an operator can do about a failed [Client.Post].
func (c Client) Fix(s Signal, err error) string {
	own := "OTEL_EXPORTER_OTLP_" + s.Name
	no := new(Refused)
	switch {
	case !errors.As(err, &no):
		return "check the address in OTEL_EXPORTER_OTLP_ENDPOINT or " + own + "_ENDPOINT and that the collector runs"
	case no.Status == http.StatusUnauthorized || no.Status == http.StatusForbidden:
		return "check OTEL_EXPORTER_OTLP_HEADERS or " + own + "_HEADERS"
	case no.Status == http.StatusNotFound || no.Status == http.StatusMethodNotAllowed:
		return "add a pipeline of " + strings.ToLower(s.Name) + " to the collector, or set OTEL_" + s.Name + "_EXPORTER=none"
	case no.Status == http.StatusUnsupportedMediaType && c.Gzip:
		return "the collector must take OTLP over HTTP in JSON, with gzip; if it does not, set OTEL_EXPORTER_OTLP_COMPRESSION=none"
	case no.Status == http.StatusUnsupportedMediaType:
		return "the collector must take OTLP over HTTP in JSON"
	}
	return "see the log of the collector"
}

// whole returns the context of one request: the end of ctx leaves it LastTime, since a request that is cut off may have been
// taken, and would be sent twice. A deadline of ctx is kept.
func whole(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithTimeout(ctx, sendTime)
	}
	one, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	stop := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(LastTime, cancel)
		context.AfterFunc(one, func() { late.Stop() })
	})
	return one, func() {
		stop()
		cancel()
	}
}
