package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// answer is an answer of the API.
type answer struct {
	data []byte
	tag  string   // for the next request
	next *url.URL // of the next page, nil after the last one
}

// get asks the API for something of at most so many bytes, unless it still has the tag known.
func (r *Repository) get(ctx context.Context, u *url.URL, known string, most int64) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return answer{}, fmt.Errorf("ask GitHub: %w", err)
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", version)
	if r.cfg.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.cfg.Token)
	}
	if known != "" {
		req.Header.Set("If-None-Match", known)
	}
	a, err := r.client.Do(req, most, r.refusal)
	if errors.Is(err, rest.ErrTooLarge) {
		err = tooLarge(r.cfg.URL + strings.TrimPrefix(u.Path, r.api.Path))
	}
	if err != nil {
		return answer{}, err
	}
	return answer{data: a.Data, tag: a.Header.Get("ETag"), next: r.next(a.Header.Get("Link"))}, nil
}

// tooLarge is the fault of what has more bytes than may be read.
func tooLarge(what string) error {
	return &source.Fault{Key: "source.too_large", Args: []any{what}, Permanent: true}
}

// refusal is the error of an answer without content. A limit is a 403 or 429 with Retry-After, or with nothing remaining
// (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
func (r *Repository) refusal(resp *http.Response) error {
	status, h := resp.StatusCode, resp.Header
	after, told := rest.RetryAfter(h)
	spent := h.Get("X-RateLimit-Remaining") == "0"
	if at, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && spent && !told {
		after = max(time.Unix(at, 0).Sub(r.cfg.Now()), time.Second)
	}
	switch {
	case status == http.StatusNotModified:
		return source.ErrUnchanged
	case status == http.StatusForbidden && (told || spent), status == http.StatusTooManyRequests && spent:
		return &source.Wait{For: after, Err: rest.Status(status)}
	}
	return rest.Refusal(resp)
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
	return rest.Fault(r.cfg.URL, err, map[int]string{
		http.StatusUnauthorized: "source.git_refused", http.StatusForbidden: "source.git_refused", http.StatusNotFound: "source.no_such_repository",
		http.StatusGone: "source.no_issues", http.StatusMultipleChoices: "source.repository_moved",
	})
}

// itemFault is the error of an issue. One that is not there is gone only if the issues of its repository can still be
// listed: a repository that a token may not read any more, or without issues, answers in the same way.
func (r *Repository) itemFault(ctx context.Context, it source.Item, err error) error {
	status := rest.StatusOf(err)
	switch {
	case status == 0:
		return err
	case status == http.StatusGone, status == http.StatusNotFound, status >= 300 && status < 400:
		if _, _, err := r.changed(ctx, position{Page: 1}); err != nil {
			return err
		}
		return source.ErrGone
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return r.listFault(err)
	}
	return &source.Fault{Key: "source.status", Args: []any{it.ID, status}, Err: err}
}
