package opensearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	tries      = 5
	retryFirst = 200 * time.Millisecond // doubled each time, unless the cluster sends Retry-After
	retryLast  = 10 * time.Second
	maxAnswer  = 256 << 20 // bytes
)

// client calls the cluster's REST API. Every request is idempotent and may be retried: a write names its document.
type client struct {
	http *http.Client
	base *url.URL
	log  *slog.Logger
}

// Refused is an error response of the cluster.
type Refused struct {
	Status int
	Type   string // such as mapper_parsing_exception
	Reason string
}

// Error formats the cluster's error.
func (r *Refused) Error() string {
	return fmt.Sprintf("OpenSearch answers %d %s: %s", r.Status, r.Type, r.Reason)
}

func (r *Refused) lacksNori() bool {
	return r.Status == http.StatusBadRequest && strings.Contains(r.Reason, "nori")
}

// isTransient reports whether a retry may succeed.
func (r *Refused) isTransient() bool {
	return r.Status == http.StatusTooManyRequests || r.Status == http.StatusBadGateway || r.Status == http.StatusServiceUnavailable || r.Status == http.StatusGatewayTimeout
}

// request is an API request. The parts of path are escaped when it is sent; query and body may be nil.
type request struct {
	method string
	path   []string
	query  url.Values
	body   []byte // JSON
}

// do sends a request and decodes the response into out, which may be nil. It retries a busy cluster after its
// Retry-After.
func (c client) do(ctx context.Context, r request, out any) error {
	wait := retryFirst
	for try := 1; ; try++ {
		after, err := c.sendOnce(ctx, r, out)
		var refused *Refused
		again := err != nil && ctx.Err() == nil && (!errors.As(err, &refused) || refused.isTransient())
		if !again || try == tries {
			return err
		}
		if after <= 0 {
			after = wait
		}
		wait = min(2*wait, retryLast)
		c.log.InfoContext(ctx, "opensearch asked again", "method", r.method, "err", err, "wait", after.String())
		t := time.NewTimer(min(after, retryLast))
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
}

// sendOnce sends a request once. after is the cluster's Retry-After, 0 if there is none.
func (c client) sendOnce(ctx context.Context, r request, out any) (after time.Duration, err error) {
	u := c.base.JoinPath(escaped(r.path)...)
	u.User, u.RawQuery = nil, r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), bytes.NewReader(r.body))
	if err != nil {
		return 0, err
	}
	if c.base.User != nil {
		password, _ := c.base.User.Password()
		req.SetBasicAuth(c.base.User.Username(), password)
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, fmt.Errorf("read the answer: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return time.Duration(seconds) * time.Second, refusal(resp.StatusCode, answer)
	}
	if out == nil {
		return 0, nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return 0, fmt.Errorf("read the answer: %w", err)
	}
	return 0, nil
}

func escaped(path []string) []string {
	out := make([]string, len(path))
	for i, p := range path {
		out[i] = url.PathEscape(p)
	}
	return out
}

// refusal decodes an error response; a proxy's page is not JSON.
func refusal(status int, answer []byte) *Refused {
	var a struct {
		Error json.RawMessage `json:"error"`
	}
	var e struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
		Cause  *struct {
			Reason string `json:"reason"`
		} `json:"caused_by"`
	}
	r := &Refused{Status: status, Type: http.StatusText(status)}
	if json.Unmarshal(answer, &a) != nil || json.Unmarshal(a.Error, &e) != nil {
		return r
	}
	r.Type, r.Reason = e.Type, e.Reason
	if e.Cause != nil && e.Cause.Reason != "" {
		r.Reason += ": " + e.Cause.Reason
	}
	return r
}
