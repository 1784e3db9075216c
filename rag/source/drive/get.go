package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// refused is an answer without content.
type refused struct {
	rest.Status

	reason string // Google's word for it, "" if it gives none
}

// Error implements error.
func (e refused) Error() string { return e.Status.Error() + " " + e.reason }

// Unwrap returns the status.
func (e refused) Unwrap() error { return e.Status }

// get asks for something of at most so many bytes.
func (f *Folder) get(ctx context.Context, scope string, u *url.URL, q url.Values, most int64) ([]byte, error) {
	text, err := f.token(ctx, scope)
	if err != nil {
		return nil, err
	}
	at := *u
	at.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask Google: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+text)
	a, err := f.client.Do(req, most, refusal)
	if rest.StatusOf(err) == http.StatusUnauthorized { // revoked before its time: the next request signs in again
		f.mu.Lock()
		delete(f.tokens, scope)
		f.mu.Unlock()
	}
	return a.Data, err
}

// ask asks for JSON.
func (f *Folder) ask(ctx context.Context, scope string, u *url.URL, q url.Values, into any) error {
	data, err := f.get(ctx, scope, u, q, maxList)
	if err != nil {
		return err
	}
	return rest.Decode(u.Host, data, into)
}

// refusal is the error of an answer without content
// (https://developers.google.com/workspace/drive/api/guides/handle-errors).
func refusal(resp *http.Response) error {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	e := refused{Status: rest.Status(resp.StatusCode)}
	if data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20)); err == nil && json.Unmarshal(data, &body) == nil {
		var api struct {
			Errors []struct {
				Reason string `json:"reason"`
			} `json:"errors"`
		}
		if json.Unmarshal(body.Error, &api) == nil && len(api.Errors) > 0 {
			e.reason = api.Errors[0].Reason
		} else {
			_ = json.Unmarshal(body.Error, &e.reason) // the token endpoint says it in a word, or not
		}
	}
	limited := e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
	if e.Status == http.StatusForbidden {
		switch e.reason {
		case "userRateLimitExceeded", "rateLimitExceeded", "dailyLimitExceeded", "quotaExceeded":
			limited = true
		}
	}
	if !limited {
		return e
	}
	after, _ := rest.RetryAfter(resp.Header)
	return &source.Wait{For: after, Err: e}
}

// listFault tells people why a folder cannot be read.
func (f *Folder) listFault(err error) error {
	switch status := rest.StatusOf(err); status {
	case 0:
		return err
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound: // the token endpoint answers 400 to a deleted key
		return &source.Fault{Key: "source.drive_refused", Args: []any{f.cfg.URL, f.signer.mail}, Err: err, Permanent: true}
	default:
		return &source.Fault{Key: "source.status", Args: []any{f.cfg.URL, status}, Err: err}
	}
}
