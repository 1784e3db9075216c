package opensearch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/rag"
)

const (
	tries      = 5                      // of a delete that others' writes overtake
	retryFirst = 200 * time.Millisecond // doubled each time, unless the cluster sends Retry-After
	retryLast  = 5 * time.Second
	briefly    = 3 * time.Second  // waits between tries of what a person waits for
	busy       = 15 * time.Second // and of a write that a busy cluster refuses
	restart    = time.Minute      // and of a write while the cluster is away: a restart takes less
	answerTime = 30 * time.Second // for an answer, and a second more for each answerSize of the request
	answerSize = 512 << 10
	maxAnswer  = 256 << 20 // bytes
)

// client calls the cluster's REST API. Every request is idempotent and may be retried: a write names its document.
type client struct {
	http *http.Client
	base *url.URL
	log  *slog.Logger
	wait func(ctx context.Context, d time.Duration) error
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

// Is matches [rag.ErrTooLarge] and [rag.ErrUnavailable].
func (r *Refused) Is(target error) bool {
	return target == rag.ErrTooLarge && (r.Status == http.StatusRequestEntityTooLarge || r.neverFits()) || target == rag.ErrUnavailable && r.isAway()
}

// neverFits reports that one write needs more memory than the node gives to all writes at once, a tenth of its heap.
func (r *Refused) neverFits() bool {
	const needs, most = "coordinating_operation_bytes=", "max_coordinating_and_primary_bytes="
	var want, have int64
	for field := range strings.FieldsFuncSeq(r.Reason, func(c rune) bool { return strings.ContainsRune(" ,[]", c) }) {
		if s, ok := strings.CutPrefix(field, needs); ok {
			want, _ = strconv.ParseInt(s, 10, 64)
		} else if s, ok := strings.CutPrefix(field, most); ok {
			have, _ = strconv.ParseInt(s, 10, 64)
		}
	}
	return have > 0 && want > have
}

// isAway reports that no node can answer now.
func (r *Refused) isAway() bool {
	return r.Status == http.StatusBadGateway || r.Status == http.StatusServiceUnavailable || r.Status == http.StatusGatewayTimeout
}

// is reports whether an error is the cluster's refusal of one of these types.
func is(err error, kinds ...string) bool {
	var r *Refused
	return errors.As(err, &r) && slices.Contains(kinds, r.Type)
}

// forbids reports whether the cluster refuses this user.
func forbids(err error) bool {
	var r *Refused
	return errors.As(err, &r) && r.Status == http.StatusForbidden
}

// request is an API request. The parts of path are escaped when it is sent; query and body may be nil.
type request struct {
	method  string
	path    []string
	query   url.Values
	body    []byte // JSON
	patient bool   // nobody waits for it as for an answer: it outlasts a restart of the cluster
}

// patience returns how long a request may wait between its tries after an error; 0 ends it.
func (r request) patience(err error) time.Duration {
	var refused *Refused
	switch {
	case errors.As(err, &refused) && (refused.neverFits() || refused.Status != http.StatusTooManyRequests && !refused.isAway()), errors.Is(err, errSlow), isTLS(err):
		return 0
	case !r.patient:
		return briefly
	case refused != nil && !refused.isAway():
		return busy
	}
	return restart
}

// errSlow reports a time-out of ours. The cluster may be at work on the request still: a second one would only add to that.
var errSlow = errors.New("OpenSearch does not answer in time; it may be at work on the request still")

// isTLS reports an error that a retry meets again.
func isTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch)
}

// do sends a request and decodes the response into out, which may be nil. It retries while the cluster is away or busy,
// after its Retry-After.
func (c client) do(ctx context.Context, r request, out any) error {
	var waited time.Duration
	for next := retryFirst; ; next = min(2*next, retryLast) {
		after, err := c.sendOnce(ctx, r, out)
		if err == nil || ctx.Err() != nil {
			return err
		}
		after = min(cmp.Or(after, next), retryLast)
		if waited += after; waited > r.patience(err) {
			return c.explain(err)
		}
		c.log.InfoContext(ctx, "opensearch asked again", "method", r.method, "err", err, "wait", after.String())
		if err := c.wait(ctx, after); err != nil {
			return err
		}
	}
}

// explain adds what a lasting error means.
func (c client) explain(err error) error {
	var refused *Refused
	switch {
	case errors.As(err, &refused), errors.Is(err, errSlow):
		return err
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%w; the cluster speaks http, not https", err)
	case isTLS(err):
		return fmt.Errorf("%w; set SSL_CERT_FILE to a file with the certificate of the cluster's authority", err)
	}
	return fmt.Errorf("%w: %w", rag.ErrUnavailable, err)
}

// sleep waits unless ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// sendOnce sends a request once. after is the cluster's Retry-After, 0 if there is none.
func (c client) sendOnce(ctx context.Context, r request, out any) (after time.Duration, err error) {
	u := c.base.JoinPath(escaped(r.path)...)
	u.User, u.RawQuery = nil, r.query.Encode()
	limit := answerTime + time.Duration(len(r.body)/answerSize)*time.Second
	timed, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	defer func() {
		if err != nil && ctx.Err() == nil && errors.Is(context.Cause(timed), errSlow) {
			err = fmt.Errorf("%w (%s)", errSlow, limit)
		}
	}()
	req, err := http.NewRequestWithContext(timed, r.method, u.String(), bytes.NewReader(r.body))
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

// refusal decodes an error response: an object, a sentence, or a page of a proxy.
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
	switch {
	case json.Unmarshal(answer, &a) == nil && json.Unmarshal(a.Error, &e) == nil:
		r.Type, r.Reason = e.Type, e.Reason
		if e.Cause != nil && e.Cause.Reason != "" {
			r.Reason += ": " + e.Cause.Reason
		}
	case json.Unmarshal(a.Error, &r.Reason) == nil:
	case status == http.StatusRequestEntityTooLarge:
		r.Reason = "it is above http.max_content_length"
	default:
		r.Reason = strings.TrimSpace(strings.ToValidUTF8(string(answer[:min(len(answer), 200)]), ""))
	}
	return r
}
