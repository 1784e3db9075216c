package confluence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"maru/rag/source"
)

// statusError is an answer without content.
type statusError int

// Error implements error.
func (e statusError) Error() string { return fmt.Sprintf("HTTP status %d", int(e)) }

// absent reports an answer that says that there is nothing, or nothing that this account may see.
func absent(err error) bool {
	status, ok := errors.AsType[statusError](err)
	return ok && (status == http.StatusNotFound || status == http.StatusForbidden || status == http.StatusGone)
}

// get asks the API for something below the site and decodes it.
func (w *Wiki) get(ctx context.Context, most int64, path string, query url.Values, into any) error {
	u := w.base.JoinPath(path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return fmt.Errorf("ask Confluence: %w", err)
	}
	req.Header.Set("User-Agent", w.cfg.Agent)
	req.Header.Set("Accept", "application/json")
	switch {
	case w.cfg.User != "":
		req.SetBasicAuth(w.cfg.User, w.cfg.Token)
	case w.cfg.Token != "":
		req.Header.Set("Authorization", "Bearer "+w.cfg.Token)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return &source.Fault{Key: "source.no_answer", Args: []any{u.Host}, Err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return w.refusal(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return &source.Fault{Key: "source.no_answer", Args: []any{u.Host}, Err: err}
	case int64(len(data)) > most:
		return errTooLarge
	}
	if err := json.Unmarshal(data, into); err != nil {
		return w.odd(err)
	}
	return nil
}

// errTooLarge reports an answer with more bytes than may be read.
var errTooLarge = errors.New("the answer is too large")

// odd is the fault of an answer that is not one of Confluence.
func (w *Wiki) odd(cause error) error {
	return &source.Fault{Key: "source.bad_answer", Args: []any{w.base.Host}, Err: cause}
}

// refusal is the error of an answer without content
// (https://developer.atlassian.com/cloud/confluence/rate-limiting).
func (w *Wiki) refusal(resp *http.Response) error {
	status := resp.StatusCode
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "" {
		return &source.Wait{For: w.wait(resp.Header), Err: statusError(status)}
	}
	return statusError(status)
}

// wait reads how long the site asks to be left alone. Cloud gives the moment of the reset in ISO 8601, without seconds.
func (w *Wiki) wait(h http.Header) time.Duration {
	if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n >= 0 {
		return time.Duration(min(n, 24*3600)) * time.Second
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, h.Get("X-RateLimit-Reset")); err == nil {
			return max(at.Sub(w.cfg.Now()), time.Second)
		}
	}
	return time.Minute
}

// listFault tells people why a space cannot be read.
func (w *Wiki) listFault(err error) error {
	status, ok := errors.AsType[statusError](err)
	if !ok || errors.As(err, new(*source.Wait)) {
		if errors.Is(err, errTooLarge) {
			return w.odd(err)
		}
		return err
	}
	fault := &source.Fault{Key: "source.status", Args: []any{w.cfg.URL}, Err: err}
	switch {
	case status == http.StatusUnauthorized:
		fault.Key = "source.token_refused"
	case status == http.StatusForbidden:
		fault.Key = "source.token_lacks_rights"
	case status == http.StatusNotFound:
		fault.Key = "source.no_such_space"
	case status >= 300 && status < 400:
		fault.Key = "source.site_moved"
	default:
		fault.Args = append(fault.Args, int(status))
	}
	return fault
}

// itemFault is the error of a page. One that is not there is gone only if its space can still be listed: a space that an
// account may not read any more answers in the same way.
func (w *Wiki) itemFault(ctx context.Context, it source.Item, err error) error {
	if errors.Is(err, errTooLarge) {
		return &source.Fault{Key: "source.too_large", Args: []any{it.ID}, Permanent: true}
	}
	status, ok := errors.AsType[statusError](err)
	if !ok || errors.As(err, new(*source.Wait)) {
		return err
	}
	switch status {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone:
		if _, _, err := w.kind.list(ctx, &position{Whole: true}); err != nil {
			return w.listFault(err)
		}
		return source.ErrGone
	case http.StatusUnauthorized:
		return w.listFault(err)
	}
	return &source.Fault{Key: "source.status", Args: []any{it.ID, int(status)}, Err: err}
}
