package builtin

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
	"strings"
	"time"

	"maru/agent/tool"
	"maru/phrase"
)

// Bounds of an answer from outside.
const (
	maxBody   = 1 << 20         // bytes
	patience  = 3 * time.Second // the longest Retry-After that is waited for
	userAgent = "maru/1 (team chat bot)"
)

// service is one HTTP API that a tool asks.
type service struct {
	name   string          // for models and logs
	people phrase.Sentence // its name for people
	key    string          // the variable of its key, "" if it needs none
	secret string          // the key itself, to be kept out of errors
	client *http.Client
	// meant, if set, reads of a refusal's body which status it comes to and which variable is at fault, for
	// services that say both with one status.
	meant func(status int, body []byte) (int, string)
}

// ask sends a request and decodes its JSON answer. body is nil for a GET. A
// request that was turned away for a short moment is sent once more.
func (s *service) ask(ctx context.Context, address string, header http.Header, body, into any) error {
	wait, err := s.once(ctx, address, header, body, into)
	if wait <= 0 {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return err
	case <-timer.C:
	}
	_, err = s.once(ctx, address, header, body, into)
	return err
}

// once sends a request; wait says when it is worth another try.
func (s *service) once(ctx context.Context, address string, header http.Header, body, into any) (wait time.Duration, err error) {
	req, err := request(ctx, address, header, body)
	if err != nil {
		return 0, s.unreachable(ctx, err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, s.unreachable(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return retryAfter(resp), s.refused(resp.StatusCode, data)
	case err != nil:
		return 0, s.unreachable(ctx, err)
	case len(data) > maxBody:
		return 0, s.garbled(errors.New("the answer is longer than 1 MiB"))
	}
	if err := json.Unmarshal(data, into); err != nil {
		return 0, s.garbled(errors.New("the answer is not the expected JSON"))
	}
	return 0, nil
}

func request(ctx context.Context, address string, header http.Header, body any) (*http.Request, error) {
	method, reader := http.MethodGet, io.Reader(http.NoBody)
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		method, reader = http.MethodPost, bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, reader)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", userAgent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	return req, nil
}

// retryAfter says how long a refused request should wait, 0 for no second try.
func retryAfter(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	wait := time.Duration(seconds) * time.Second
	if err != nil || seconds < 0 || wait > patience {
		return 0
	}
	return max(wait, 10*time.Millisecond)
}

// scrub makes an error safe to log: a url.Error carries the address with the
// key in its query, and a server may send the key back.
func (s *service) scrub(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	if s.secret == "" || (!strings.Contains(err.Error(), s.secret) && !strings.Contains(err.Error(), url.QueryEscape(s.secret))) {
		return err
	}
	return errors.New("the error contained the key and was left out")
}

func (s *service) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", s.name, s.scrub(err))
	}
	return &tool.Error{
		Code:   "unavailable",
		Model:  s.name + " cannot be reached now. Say so, and answer from what you know if that is enough.",
		People: phrase.Of("builtin.service.unreachable", s.people),
		Err:    s.scrub(err),
	}
}

func (s *service) garbled(err error) error {
	return &tool.Error{
		Code:   "unavailable",
		Model:  s.name + " sent an answer that cannot be read. Say so, and do not invent one.",
		People: phrase.Of("builtin.service.garbled", s.people),
		Err:    s.scrub(err),
	}
}

// refused makes an error of a status. The body is not shown: it is a stranger's
// text and may repeat the key.
func (s *service) refused(status int, body []byte) error {
	code, variable := status, s.key
	if s.meant != nil {
		code, variable = s.meant(status, body)
	}
	e := &tool.Error{
		Code:   "unavailable",
		Model:  fmt.Sprintf("%s is not available now (status %d). Say so, and answer from what you know if that is enough.", s.name, status),
		People: phrase.Of("builtin.service.unavailable", s.people),
		Err:    fmt.Errorf("%s: status %d", s.name, status),
	}
	closed := code == http.StatusUnauthorized || code == http.StatusForbidden
	switch {
	case closed && variable == "": // it has no key, and is refused for something else
	case closed && variable != s.key:
		e.Model = s.name + " is set up wrongly here. Trying again will not help: tell the person to ask an administrator."
		e.People = phrase.Of("builtin.service.setting", s.people, variable)
	case closed:
		e.Model = s.name + " refused our key. Trying again will not help: tell the person to ask an administrator."
		e.People = phrase.Of("builtin.service.key", s.people, variable)
	case code == http.StatusTooManyRequests:
		e.Code = "limit"
		e.Model = s.name + " allows no more requests for now. Do not call it again in this answer."
		e.People = phrase.Of("builtin.service.limit", s.people)
	case code == http.StatusNotFound:
		e.Code = "not_found"
		e.Model = s.name + " found nothing for this."
		e.People = phrase.Of("builtin.service.nothing", s.people)
	case code >= 400 && code < 500:
		e.Code = "bad_argument"
		e.Model = fmt.Sprintf("%s did not accept the request (status %d). Try other words once.", s.name, status)
	}
	return e
}

// join makes an address of a base, a path and a query.
func join(base, path string, query url.Values) string {
	return strings.TrimRight(base, "/") + path + "?" + query.Encode()
}
