package website

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

const (
	maxHops       = 5
	maxRobots     = 512 << 10 // bytes that are read of robots.txt
	maxDelay      = 10 * time.Second
	pageExtension = ".webpage"
)

// answer is an answer of a server.
type answer struct {
	data   []byte
	header http.Header
	to     *url.URL // where it leads, nil for an answer with content
}

// isGone reports whether a server said that there is no such page.
func isGone(err error) bool { return errors.Is(err, source.ErrGone) }

// get asks for an address, as slowly as the site wants.
func (s *Site) get(ctx context.Context, u *url.URL, v validators) (answer, error) {
	if err := s.delay(ctx); err != nil {
		return answer{}, err
	}
	return s.request(ctx, u, v, s.cfg.MaxBytes)
}

// delay waits as robots.txt asks for.
func (s *Site) delay(ctx context.Context) error {
	if s.robots == nil || s.robots.delay <= 0 {
		return nil
	}
	wait := min(s.robots.delay, maxDelay) - time.Since(s.last)
	s.last = time.Now().Add(max(wait, 0))
	if wait <= 0 {
		return nil
	}
	return rest.Sleep(ctx, wait)
}

func (s *Site) request(ctx context.Context, u *url.URL, v validators, most int64) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return answer{}, source.ErrGone
	}
	if v.Tag != "" {
		req.Header.Set("If-None-Match", v.Tag)
	}
	if v.Modified != "" {
		req.Header.Set("If-Modified-Since", v.Modified)
	}
	var to *url.URL
	a, err := s.client.Do(req, most, func(resp *http.Response) error {
		if resp.StatusCode < 300 || resp.StatusCode == http.StatusNotModified || resp.StatusCode >= 400 {
			return refusal(resp, u)
		}
		next, err := u.Parse(resp.Header.Get("Location"))
		if err != nil {
			return &source.Fault{Key: "source.status", Args: []any{u.String(), resp.StatusCode}, Permanent: true}
		}
		to = tidy(next)
		return nil
	})
	if errors.Is(err, rest.ErrTooLarge) {
		err = &source.Fault{Key: "source.too_large", Args: []any{u.String()}, Permanent: true}
	}
	return answer{data: a.Data, header: a.Header, to: to}, err
}

// refusal is the error of an answer without content.
func refusal(resp *http.Response, u *url.URL) error {
	status := resp.StatusCode
	switch {
	case status == http.StatusNotModified:
		return source.ErrUnchanged
	case status == http.StatusNotFound, status == http.StatusGone:
		return source.ErrGone
	}
	if err := rest.Refusal(resp); errors.As(err, new(*source.Wait)) {
		return err
	}
	key := "source.status"
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		key = "source.closed"
	}
	permanent := status < 500 && status != http.StatusRequestTimeout
	return &source.Fault{Key: key, Args: []any{u.String(), status}, Err: rest.Status(status), Permanent: permanent}
}

// rules reads robots.txt once. A site whose rules cannot be read is not read either (RFC 9309, 2.3.1.4).
func (s *Site) rules(ctx context.Context) error {
	if s.robots != nil {
		return nil
	}
	u := &url.URL{Scheme: s.start.Scheme, Host: s.start.Host, Path: "/robots.txt"}
	a, err := s.request(ctx, u, validators{}, maxRobots)
	for hops := 0; err == nil && a.to != nil && hops < maxHops; hops++ {
		a, err = s.request(ctx, a.to, validators{}, maxRobots)
	}
	var fault *source.Fault
	switch {
	case isGone(err), errors.As(err, &fault) && fault.Permanent, err == nil && a.to != nil:
		s.robots = &robots{} // there are none
	case err != nil:
		return err
	default:
		s.robots = parseRobots(bytes.NewReader(a.data))
	}
	return nil
}

// extensionOf names the format of an answer, "" for none that is read.
func extensionOf(contentType, address string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = ""
	}
	const office = "application/vnd.openxmlformats-officedocument."
	switch kind {
	case "text/html", "application/xhtml+xml":
		return pageExtension
	case "text/markdown":
		return ".md"
	case "application/pdf":
		return ".pdf"
	case office + "wordprocessingml.document":
		return ".docx"
	case office + "spreadsheetml.sheet":
		return ".xlsx"
	case office + "presentationml.presentation":
		return ".pptx"
	}
	ext := strings.ToLower(path.Ext(address))
	if source.Readable(ext) {
		return ext
	}
	if kind == "text/plain" {
		return ".txt"
	}
	return ""
}
