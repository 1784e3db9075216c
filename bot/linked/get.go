package linked

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"maru/bot"
	"maru/phrase/fit"
)

const (
	maxHops       = 5
	pageExtension = ".webpage" // identifies a website's page to the loader
)

// errLeaves reports a redirect that is not followed.
var errLeaves = errors.New("refused: a redirect without TLS, or too many redirects")

// follow limits redirects. Each address is checked again when it is dialled.
func follow(req *http.Request, via []*http.Request) error {
	if len(via) > maxHops || via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return errLeaves
	}
	return nil
}

// fetched is the content of a link.
type fetched struct {
	name string // determines the format for the loader
	data []byte

	picture bool // for a model that sees
}

// get fetches a link. An error is for people.
func (r *Reader) get(ctx context.Context, link, lang string) (fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Time)
	defer cancel()
	at := shown(link)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, direct(link), http.NoBody)
	if err != nil {
		return fetched{}, refuse(lang, "linked.away", err, at)
	}
	req.Header.Set("User-Agent", r.cfg.Agent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.8")
	req.Header.Set("Accept-Language", lang+",en;q=0.5")
	resp, err := r.client.Do(req)
	if err != nil {
		return fetched{}, r.failed(link, lang, scrub(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if err := refusal(resp, at, lang); err != nil {
		return fetched{}, err
	}
	name := fileName(resp)
	if resp.ContentLength > r.cfg.MaxFile {
		return fetched{}, bot.TooBig(lang, at, resp.ContentLength, r.cfg.MaxFile)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, r.cfg.MaxFile+1))
	switch {
	case err != nil:
		return fetched{}, r.failed(link, lang, scrub(err))
	case int64(len(data)) > r.cfg.MaxFile:
		return fetched{}, bot.TooBig(lang, at, 0, r.cfg.MaxFile)
	}
	c := fetched{name: named(name, resp.Header.Get("Content-Type"), data), data: inUTF8(resp.Header.Get("Content-Type"), data)}
	switch {
	case r.cfg.Sees && isPicture(c.name):
		c.name, c.picture, c.data = strings.TrimSuffix(c.name, pictureExtension), true, data
		return c, nil
	case isMedia(c.name):
		return fetched{}, refuse(lang, "linked.media", nil, at)
	case strings.HasSuffix(c.name, pageExtension):
		return c, pageRefusal(look(c.data), at, lang)
	}
	return c, nil
}

// scrub removes the address from an error, since its query may contain a key.
func scrub(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// refusal returns the error for people of a response without content.
func refusal(resp *http.Response, at, lang string) error {
	switch status := resp.StatusCode; {
	case status == http.StatusOK && signsIn(resp.Request.URL):
		return refuse(lang, "linked.login", nil, at)
	case status == http.StatusOK:
		return nil
	case status == http.StatusNotFound, status == http.StatusGone:
		return refuse(lang, "linked.gone", nil, at)
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return refuse(lang, "linked.login", nil, at)
	case status >= 500, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		return refuse(lang, "linked.away", nil, at)
	default:
		return refuse(lang, "linked.status", nil, at, status)
	}
}

// fileName returns the name of a response's content, from the server or from its address; "" for none.
func fileName(resp *http.Response) string {
	name := ""
	if _, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); err == nil {
		name = params["filename"]
	}
	if name == "" {
		if name = path.Base(resp.Request.URL.Path); name == "/" || name == "." {
			name = ""
		}
	}
	name = path.Base(strings.ReplaceAll(fit.OneLine(fit.Visible(name)), `\`, "/"))
	if name == "." || name == "/" || !utf8.ValidString(name) {
		return ""
	}
	return fit.Cut(name, maxName)
}

// inUTF8 converts a text with a declared other encoding to UTF-8. Text that is valid UTF-8 stays unchanged.
func inUTF8(contentType string, data []byte) []byte {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["charset"] == "" || utf8.Valid(data) {
		return data
	}
	in, err := charset.NewReaderLabel(params["charset"], bytes.NewReader(data))
	if err != nil {
		return data
	}
	out, err := io.ReadAll(in)
	if err != nil {
		return data
	}
	return out
}
