// Package rest is what sources behind REST APIs have in common: requests whose token goes to one host alone and whose answers
// are bounded, refusals as errors, and the position of a listing that names everything in turns.
//
// It knows no service: addresses, headers, limits and the sentences about refusals are its callers'.
package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"maru/rag/source"
)

const (
	longest = 24 * time.Hour // wait that a service may ask for
	untold  = time.Minute    // wait where it gives none
)

// ErrTooLarge reports an answer with more bytes than may be read.
var ErrTooLarge = errors.New("the answer is too large")

// Status is the status of an answer without content.
type Status int

// Error implements error.
func (s Status) Error() string { return fmt.Sprintf("HTTP status %d", int(s)) }

// StatusOf returns the status of a refusal: 0 for other errors, and for a request to wait, which tells nothing of what was
// asked for.
func StatusOf(err error) int {
	status, ok := errors.AsType[Status](err)
	if !ok || errors.As(err, new(*source.Wait)) {
		return 0
	}
	return int(status)
}

// ParseURL reads the address of a source. Only http and https are taken, http with a token only on this machine.
func ParseURL(address string, token bool) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &source.Fault{Key: "source.bad_url", Args: []any{address}, Err: err, Permanent: true}
	}
	if token && u.Scheme == "http" && !Loopback(u) {
		return nil, &source.Fault{Key: "source.not_https", Args: []any{address}, Permanent: true}
	}
	return u, nil
}

// Loopback reports whether an address is on this machine.
func Loopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Client makes requests. Its zero value is not usable; see [New].
type Client struct {
	http  *http.Client
	agent string
}

// New returns a client that follows no redirects: a token goes to one host alone. agent is sent as User-Agent.
func New(c *http.Client, agent string) *Client {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{http: &own, agent: agent}
}

// Answer is an answer with content.
type Answer struct {
	Data   []byte
	Header http.Header
}

// Do makes a request and reads at most that many bytes. For a status other than 200 it returns what refusal makes of the
// response. Other errors are [ErrTooLarge] and those of [source.Unanswered].
func (c *Client) Do(req *http.Request, most int64, refusal func(*http.Response) error) (Answer, error) {
	req.Header.Set("User-Agent", c.agent)
	resp, err := c.http.Do(req)
	if err != nil {
		return Answer{}, source.Unanswered(req.URL.Host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return Answer{Header: resp.Header}, refusal(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return Answer{}, source.Unanswered(req.URL.Host, err)
	case int64(len(data)) > most:
		return Answer{}, ErrTooLarge
	}
	return Answer{Data: data, Header: resp.Header}, nil
}

// Refusal is the error of a response without content: a [*source.Wait] for 429, and for 503 with Retry-After, else its
// [Status].
func Refusal(resp *http.Response) error {
	after, told := RetryAfter(resp.Header)
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable && told {
		return &source.Wait{For: after, Err: Status(resp.StatusCode)}
	}
	return Status(resp.StatusCode)
}

// RetryAfter reads the header of that name, seconds or a date (RFC 9110, 10.2.3): a minute, and false, without it.
func RetryAfter(h http.Header) (time.Duration, bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return time.Duration(min(n, int(longest/time.Second))) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), longest), true
	}
	return untold, false
}

// Decode decodes the JSON that a host answered.
func Decode(host string, data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return BadAnswer(host, err)
	}
	return nil
}

// BadAnswer is the fault of a host whose answer is not as its API describes.
func BadAnswer(host string, cause error) error {
	return &source.Fault{Key: "source.bad_answer", Args: []any{host}, Err: cause}
}

// Fault tells people why a site cannot be read: keys are the sentences by status, that of 300 for every redirect. An error
// without a status stays.
func Fault(site string, err error, keys map[int]string) error {
	status := StatusOf(err)
	if status == 0 {
		return err
	}
	of := status
	if status >= 300 && status < 400 {
		of = http.StatusMultipleChoices
	}
	if key, told := keys[of]; told {
		return &source.Fault{Key: key, Args: []any{site}, Err: err}
	}
	return &source.Fault{Key: "source.status", Args: []any{site, status}, Err: err}
}

// Sleep waits, or returns the error of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
