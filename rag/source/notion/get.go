package notion

import (
	"bytes"
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

const (
	maxAnswer = 32 << 20         // bytes that are read of an answer
	inPlace   = 10 * time.Second // longest wait that a request makes by itself
	again     = 5                // times that it does
)

// statusError is an answer without content.
type statusError int

// Error implements error.
func (e statusError) Error() string { return fmt.Sprintf("HTTP status %d", int(e)) }

// absent reports an answer that says that there is nothing, or nothing that is shared with the token.
func absent(err error) bool {
	status, ok := errors.AsType[statusError](err)
	return ok && (status == http.StatusNotFound || status == http.StatusForbidden || status == http.StatusBadRequest)
}

// get asks the API for something.
func (w *Workspace) get(ctx context.Context, path string, query url.Values, into any) error {
	u := w.api.JoinPath(path)
	u.RawQuery = query.Encode()
	return w.ask(ctx, http.MethodGet, u, nil, into)
}

// search asks for pages by when they were last edited.
func (w *Workspace) search(ctx context.Context, direction, cursor string, size int) (list[page], error) {
	body := map[string]any{
		"filter": map[string]string{"property": "object", "value": "page"}, "sort": map[string]string{"timestamp": "last_edited_time", "direction": direction}, "page_size": size,
	}
	if cursor != "" {
		body["start_cursor"] = cursor
	}
	data, err := json.Marshal(body)
	if err != nil {
		return list[page]{}, fmt.Errorf("search Notion: %w", err)
	}
	var a list[page]
	if err := w.ask(ctx, http.MethodPost, w.api.JoinPath("search"), data, &a); err != nil {
		return list[page]{}, err
	}
	if a.Object != "list" {
		return list[page]{}, w.odd(errors.New("a listing that is none"))
	}
	for _, p := range a.Results {
		if p.ID == "" || p.Edited.IsZero() {
			return list[page]{}, w.odd(errors.New("a page without its ID or time"))
		}
	}
	return a, nil
}

// ask makes a request, as slowly as the API wants: a page has many requests, and a short wait must not begin it anew.
func (w *Workspace) ask(ctx context.Context, method string, u *url.URL, body []byte, into any) error {
	for try := 0; ; try++ {
		err := w.once(ctx, method, u, body, into)
		rest, ok := errors.AsType[*source.Wait](err)
		if !ok || rest.For > inPlace || try == again {
			return err
		}
		if err := sleep(ctx, rest.For); err != nil {
			return err
		}
	}
}

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

func (w *Workspace) once(ctx context.Context, method string, u *url.URL, body []byte, into any) error {
	if err := sleep(ctx, w.pace-time.Since(w.last)); err != nil {
		return err
	}
	w.last = time.Now()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask Notion: %w", err)
	}
	req.Header.Set("User-Agent", w.cfg.Agent)
	req.Header.Set("Authorization", "Bearer "+w.cfg.Token)
	req.Header.Set("Notion-Version", version)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return &source.Fault{Key: "source.no_answer", Args: []any{u.Host}, Err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return &source.Fault{Key: "source.no_answer", Args: []any{u.Host}, Err: err}
	}
	if len(data) > maxAnswer {
		return errTooLarge
	}
	if err := json.Unmarshal(data, into); err != nil {
		return w.odd(err)
	}
	return nil
}

// errTooLarge reports a page, or an answer, with more than may be read.
var errTooLarge = errors.New("the page is too large")

// odd is the fault of an answer that is not one of Notion.
func (w *Workspace) odd(cause error) error {
	return &source.Fault{Key: "source.bad_answer", Args: []any{w.api.Host}, Err: cause}
}

// refusal is the error of an answer without content (https://developers.notion.com/reference/request-limits).
func refusal(resp *http.Response) error {
	status := resp.StatusCode
	n, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	switch told := err == nil && n >= 0; {
	case told && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable):
		return &source.Wait{For: time.Duration(min(n, 24*3600)) * time.Second, Err: statusError(status)}
	case status == http.StatusTooManyRequests:
		return &source.Wait{For: time.Minute, Err: statusError(status)}
	}
	return statusError(status)
}

// listFault tells people why a workspace cannot be read.
func (w *Workspace) listFault(err error) error {
	status, ok := errors.AsType[statusError](err)
	switch {
	case errors.As(err, new(*source.Wait)):
		return err
	case errors.Is(err, errTooLarge):
		return w.odd(err)
	case !ok:
		return err
	}
	fault := &source.Fault{Key: "source.status", Args: []any{w.cfg.URL}, Err: err}
	switch {
	case status == http.StatusUnauthorized:
		fault.Key = "source.token_refused"
	case status == http.StatusForbidden:
		fault.Key = "source.token_lacks_rights"
	case status == http.StatusNotFound:
		fault.Key = "source.not_shared"
	default:
		fault.Args = append(fault.Args, int(status))
	}
	return fault
}

// itemFault is the error of a page. One that is not there is gone only if the workspace can still be listed.
func (w *Workspace) itemFault(ctx context.Context, it source.Item, err error) error {
	status, ok := errors.AsType[statusError](err)
	switch {
	case errors.As(err, new(*source.Wait)):
		return err
	case errors.Is(err, errTooLarge):
		return &source.Fault{Key: "source.too_large", Args: []any{it.ID}, Permanent: true}
	case !ok:
		return err
	case status == http.StatusNotFound:
		if err := w.begin(ctx, &position{}); err != nil {
			return w.listFault(err)
		}
		return source.ErrGone
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return w.listFault(err)
	}
	return &source.Fault{Key: "source.status", Args: []any{it.ID, int(status)}, Err: err}
}
