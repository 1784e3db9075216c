package confluence

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// absent reports an answer that says that there is nothing, or nothing that this account may see.
func absent(err error) bool {
	switch rest.StatusOf(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone:
		return true
	}
	return false
}

// get asks the API for something below the site and decodes it.
func (w *Wiki) get(ctx context.Context, most int64, path string, query url.Values, into any) error {
	u := w.base.JoinPath(path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return fmt.Errorf("ask Confluence: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	switch {
	case w.cfg.User != "":
		req.SetBasicAuth(w.cfg.User, w.cfg.Token)
	case w.cfg.Token != "":
		req.Header.Set("Authorization", "Bearer "+w.cfg.Token)
	}
	a, err := w.client.Do(req, most, w.refusal)
	if err != nil {
		return err
	}
	return rest.Decode(u.Host, a.Data, into)
}

// odd is the fault of an answer that is not one of Confluence.
func (w *Wiki) odd(cause error) error { return rest.BadAnswer(w.base.Host, cause) }

// refusal is the error of an answer without content. Cloud gives the moment of a limit's end in ISO 8601, without seconds
// (https://developer.atlassian.com/cloud/confluence/rate-limiting).
func (w *Wiki) refusal(resp *http.Response) error {
	err := rest.Refusal(resp)
	wait, limited := errors.AsType[*source.Wait](err)
	if !limited || resp.Header.Get("Retry-After") != "" {
		return err
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, resp.Header.Get("X-RateLimit-Reset")); err == nil {
			wait.For = max(at.Sub(w.cfg.Now()), time.Second)
		}
	}
	return wait
}

// listFault tells people why a space cannot be read.
func (w *Wiki) listFault(err error) error {
	if errors.Is(err, rest.ErrTooLarge) {
		return w.odd(err)
	}
	return rest.Fault(w.cfg.URL, err, map[int]string{
		http.StatusUnauthorized: "source.token_refused", http.StatusForbidden: "source.token_lacks_rights",
		http.StatusNotFound: "source.no_such_space", http.StatusMultipleChoices: "source.site_moved",
	})
}

// itemFault is the error of a page. One that is not there is gone only if its space can still be listed: a space that an
// account may not read any more answers in the same way.
func (w *Wiki) itemFault(ctx context.Context, it source.Item, err error) error {
	if errors.Is(err, rest.ErrTooLarge) {
		return &source.Fault{Key: "source.too_large", Args: []any{it.ID}, Permanent: true}
	}
	status := rest.StatusOf(err)
	switch status {
	case 0:
		return err
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone:
		if _, _, err := w.kind.list(ctx, &rest.Position{Whole: true}); err != nil {
			return w.listFault(err)
		}
		return source.ErrGone
	case http.StatusUnauthorized:
		return w.listFault(err)
	}
	return &source.Fault{Key: "source.status", Args: []any{it.ID, status}, Err: err}
}
