package drive

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

// refused is an answer without content.
type refused struct {
	status int
	reason string // Google's word for it, "" if it gives none
}

// Error implements error.
func (e refused) Error() string { return fmt.Sprintf("HTTP status %d %s", e.status, e.reason) }

// errLarge says that an answer has more bytes than are read.
var errLarge = errors.New("too large")

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
	req.Header.Set("User-Agent", f.cfg.Agent)
	req.Header.Set("Authorization", "Bearer "+text)
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, &source.Fault{Key: "source.no_answer", Args: []any{u.Host}, Err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	if err := f.refusal(resp); err != nil {
		if resp.StatusCode == http.StatusUnauthorized { // revoked before its time: the next request signs in anew
			f.mu.Lock()
			delete(f.tokens, scope)
			f.mu.Unlock()
		}
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, &source.Fault{Key: "source.no_answer", Args: []any{u.Host}, Err: err}
	}
	if int64(len(data)) > most {
		return nil, errLarge
	}
	return data, nil
}

// ask asks for JSON.
func (f *Folder) ask(ctx context.Context, scope string, u *url.URL, q url.Values, into any) error {
	data, err := f.get(ctx, scope, u, q, maxList)
	if err == nil {
		err = json.Unmarshal(data, into)
		if err != nil {
			err = &source.Fault{Key: "source.bad_answer", Args: []any{u.Host}, Err: err}
		}
	}
	return err
}

// refusal is the error of an answer without content
// (https://developers.google.com/workspace/drive/api/guides/handle-errors).
func (f *Folder) refusal(resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	e := refused{status: resp.StatusCode}
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
	limited := e.status == http.StatusTooManyRequests || e.status == http.StatusServiceUnavailable
	if e.status == http.StatusForbidden {
		switch e.reason {
		case "userRateLimitExceeded", "rateLimitExceeded", "dailyLimitExceeded", "quotaExceeded":
			limited = true
		}
	}
	if !limited {
		return e
	}
	after := time.Minute
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n >= 0 {
		after = time.Duration(min(n, 24*3600)) * time.Second
	}
	return &source.Wait{For: after, Err: e}
}

// statusOf is the status of a refusal, 0 for other errors and for limits.
func statusOf(err error) int {
	var e refused
	if errors.As(err, new(*source.Wait)) || !errors.As(err, &e) {
		return 0
	}
	return e.status
}

// listFault tells people why a folder cannot be read.
func (f *Folder) listFault(err error) error {
	switch status := statusOf(err); status {
	case 0:
		return err
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound: // the token endpoint answers 400 to a deleted key
		return &source.Fault{Key: "source.drive_refused", Args: []any{f.cfg.URL, f.signer.mail}, Err: err, Permanent: true}
	default:
		return &source.Fault{Key: "source.status", Args: []any{f.cfg.URL, status}, Err: err}
	}
}
