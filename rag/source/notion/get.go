package notion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

const (
	maxAnswer = 32 << 20         // bytes that are read of an answer
	inPlace   = 10 * time.Second // longest wait that a request makes by itself
	again     = 5                // times that it does
)

// absent reports an answer that says that there is nothing, or nothing that is shared with the token.
func absent(err error) bool {
	switch rest.StatusOf(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusBadRequest:
		return true
	}
	return false
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

// ask makes a request, as slowly as the API wants: a page has many requests, and a short wait must not begin it again.
func (w *Workspace) ask(ctx context.Context, method string, u *url.URL, body []byte, into any) error {
	for try := 0; ; try++ {
		err := w.once(ctx, method, u, body, into)
		wait, ok := errors.AsType[*source.Wait](err)
		if !ok || wait.For > inPlace || try == again {
			return err
		}
		if err := rest.Sleep(ctx, wait.For); err != nil {
			return err
		}
	}
}

func (w *Workspace) once(ctx context.Context, method string, u *url.URL, body []byte, into any) error {
	if err := rest.Sleep(ctx, w.pace-time.Since(w.last)); err != nil {
		return err
	}
	w.last = time.Now()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask Notion: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+w.cfg.Token)
	req.Header.Set("Notion-Version", version)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	a, err := w.client.Do(req, maxAnswer, rest.Refusal) // limits: https://developers.notion.com/reference/request-limits
	if err != nil {
		return err
	}
	return rest.Decode(u.Host, a.Data, into)
}

// odd is the fault of an answer that is not one of Notion.
func (w *Workspace) odd(cause error) error { return rest.BadAnswer(w.api.Host, cause) }

// listFault tells people why a workspace cannot be read.
func (w *Workspace) listFault(err error) error {
	if errors.Is(err, rest.ErrTooLarge) {
		return w.odd(err)
	}
	return rest.Fault(w.cfg.URL, err, map[int]string{
		http.StatusUnauthorized: "source.token_refused", http.StatusForbidden: "source.token_lacks_rights", http.StatusNotFound: "source.not_shared",
	})
}

// itemFault is the error of a page. One that is not there is gone only if the workspace can still be listed.
func (w *Workspace) itemFault(ctx context.Context, it source.Item, err error) error {
	status := rest.StatusOf(err)
	switch {
	case errors.Is(err, rest.ErrTooLarge):
		return &source.Fault{Key: "source.too_large", Args: []any{it.ID}, Permanent: true}
	case status == 0:
		return err
	case status == http.StatusNotFound:
		if err := w.begin(ctx, &rest.Position{}); err != nil {
			return w.listFault(err)
		}
		return source.ErrGone
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return w.listFault(err)
	}
	return &source.Fault{Key: "source.status", Args: []any{it.ID, status}, Err: err}
}
