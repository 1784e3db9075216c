package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"maru/rag/source"
)

// answer is an answer of the API.
type answer struct {
	data []byte
	tag  string   // for the next request
	next *url.URL // of the next page, nil after the last one
}

// statusError is an answer without content.
type statusError int

// Error implements error.
func (e statusError) Error() string { return fmt.Sprintf("HTTP status %d", int(e)) }

// get asks the API for something of at most so many bytes, unless it still has the tag known.
func (r *Repository) get(ctx context.Context, u *url.URL, known string, most int64) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return answer{}, fmt.Errorf("ask GitHub: %w", err)
	}
	req.Header.Set("User-Agent", r.cfg.Agent)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", version)
	if r.cfg.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.cfg.Token)
	}
	if known != "" {
		req.Header.Set("If-None-Match", known)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return answer{}, &source.Fault{Key: "source.no_answer", Args: []any{u.Host}, Err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	if err := r.refusal(resp); err != nil {
		return answer{}, err
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return answer{}, &source.Fault{Key: "source.no_answer", Args: []any{u.Host}, Err: err}
	}
	if int64(len(data)) > most {
		return answer{}, tooLarge(r.cfg.URL + strings.TrimPrefix(u.Path, r.api.Path))
	}
	return answer{data: data, tag: resp.Header.Get("ETag"), next: r.next(resp.Header.Get("Link"))}, nil
}

// tooLarge is the fault of what has more bytes than may be read.
func tooLarge(what string) error {
	return &source.Fault{Key: "source.too_large", Args: []any{what}, Permanent: true}
}

// refusal is the error of an answer without content. A limit is a 403 or 429 with Retry-After, or with nothing remaining
// (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
func (r *Repository) refusal(resp *http.Response) error {
	status, h := resp.StatusCode, resp.Header
	limited := status == http.StatusTooManyRequests || status == http.StatusForbidden && (h.Get("Retry-After") != "" || h.Get("X-RateLimit-Remaining") == "0")
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusNotModified:
		return source.ErrUnchanged
	case limited, status == http.StatusServiceUnavailable && h.Get("Retry-After") != "":
		return &source.Wait{For: r.wait(h), Err: statusError(status)}
	}
	return statusError(status)
}

// wait reads how long the API asks to be left alone.
func (r *Repository) wait(h http.Header) time.Duration {
	if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n >= 0 {
		return time.Duration(min(n, 24*3600)) * time.Second
	}
	if at, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && h.Get("X-RateLimit-Remaining") == "0" {
		return max(time.Unix(at, 0).Sub(r.cfg.Now()), time.Second)
	}
	return time.Minute
}

// nextLink finds the next page in a header Link (RFC 8288).
var nextLink = regexp.MustCompile(`<([^>]+)>;[^,]*rel="next"`)

// next reads the header Link. An address of another host is not followed: it would get the token.
func (r *Repository) next(link string) *url.URL {
	found := nextLink.FindStringSubmatch(link)
	if found == nil {
		return nil
	}
	u, err := url.Parse(found[1])
	if err != nil || u.Host != r.api.Host || u.Scheme != r.api.Scheme {
		return nil
	}
	return u
}

// listFault tells people why a repository cannot be read.
func (r *Repository) listFault(err error) error {
	var status statusError
	if !errors.As(err, &status) || errors.As(err, new(*source.Wait)) {
		return err
	}
	key := "source.status"
	args := []any{r.cfg.URL}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		key = "source.git_refused"
	case status == http.StatusNotFound:
		key = "source.no_such_repository"
	case status == http.StatusGone:
		key = "source.no_issues"
	case status >= 300 && status < 400:
		key = "source.repository_moved"
	default:
		args = append(args, int(status))
	}
	return &source.Fault{Key: key, Args: args, Err: err}
}

// itemFault is the error of an issue. One that is not there is gone only if the issues of its repository can still be
// listed: a repository that a token may not read any more, or without issues, answers in the same way.
func (r *Repository) itemFault(ctx context.Context, it source.Item, err error) error {
	var status statusError
	if !errors.As(err, &status) || errors.As(err, new(*source.Wait)) {
		return err
	}
	switch {
	case status == http.StatusGone, status == http.StatusNotFound, status >= 300 && status < 400:
		if _, _, err := r.changed(ctx, position{Page: 1}); err != nil {
			return err
		}
		return source.ErrGone
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return r.listFault(err)
	}
	return &source.Fault{Key: "source.status", Args: []any{it.ID, int(status)}, Err: err}
}
