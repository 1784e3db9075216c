package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"maru/adapters/lanes/body"
	"maru/adapters/lanes/conn"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// Errors returned by Fetch.
var (
	errFileHost  = fmt.Errorf("slack: the file is not on Slack's file host: %w", bot.ErrElsewhere)
	errSignIn    = errors.New("slack: Slack answered with its sign-in page instead of the file: the app needs the files:read scope and must be in the channel")
	errRedirects = errors.New("slack: too many redirects")
)

const maxRedirects = 5

// fetch opens a file's content, at most limit bytes. The token is sent only to Slack's file
// host (or the host of the configured API): redirects elsewhere are followed without it, and
// only to Slack's hosts.
func (fs *Files) fetch(ctx context.Context, f bot.File, limit int64) (io.ReadCloser, error) {
	if limit > 0 && f.Size > limit {
		return nil, fmt.Errorf("fetch %s: %w", f.ID, bot.ErrTooLarge)
	}
	raw, err := fs.fileURL(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", f.ID, err)
	}
	fs.web.Freshen(ctx)
	resp, err := fs.download(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", f.ID, err)
	}
	if err := checkDownload(resp, f, limit); err != nil {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("fetch %s: %w", f.ID, err)
	}
	return body.New(resp.Body, limit).Whole(f.Size, errTruncated(resp, f)), nil
}

// errTruncated is the error for a response whose length differs from the announced size: the
// connection was cut off, or Slack served its sign-in page.
func errTruncated(resp *http.Response, f bot.File) error {
	if isHTML(f) && servesHTML(resp) {
		return &bot.DeliveryError{Op: "fetch", Code: "sign_in_page", Err: errors.Join(bot.ErrForbidden, errSignIn)}
	}
	return &bot.DeliveryError{Op: "fetch", Code: "not_whole", Err: errors.Join(bot.ErrUnavailable, io.ErrUnexpectedEOF)}
}

// ListOf returns the files of a message in a workspace, without those that Slack hides.
func ListOf(team string, ev payload.Object) []bot.File {
	var out []bot.File
	for _, f := range ev.List("files") {
		if f.Str("id") == "" || f.Str("mode") == "tombstone" || f.Str("mode") == "hidden_by_limit" {
			continue
		}
		out = append(out, Of(team, f))
	}
	return out
}

// Of converts Slack's description of a file.
func Of(team string, f payload.Object) bot.File {
	size, empty := f.Num("size"), f.Str("size") == "0"
	if mode := f.Str("mode"); mode != "" && mode != "hosted" {
		size, empty = 0, false // a canvas, post or e-mail downloads with a size other than the announced one
	}
	if f.Str("mimetype") == canvasType { // its name is "Untitled", whatever people called it
		return bot.File{ID: f.Str("id"), Name: cmp.Or(f.Str("title"), f.Str("name"), f.Str("id")), MIME: canvasType, Team: team, URL: cmp.Or(f.Str("url_private_download"), f.Str("url_private"))}
	}
	return bot.File{
		ID: f.Str("id"), Name: cmp.Or(f.Str("name"), f.Str("title"), f.Str("id")), MIME: f.Str("mimetype"),
		Size: size, Empty: empty, Team: team, URL: cmp.Or(f.Str("url_private_download"), f.Str("url_private")),
	}
}

// Attached is ListOf for a message that is not acknowledged yet. For another company's file
// Slack sends only the ID; its name is looked up within the time allowed for the author's
// name.
func (fs *Files) Attached(ctx context.Context, team string, ev payload.Object) []bot.File {
	files := ListOf(team, ev)
	ctx, cancel := context.WithTimeout(ctx, fs.web.NameWait())
	defer cancel()
	for i, f := range files {
		if f.URL != "" || f.Name != f.ID {
			continue
		}
		told, err := fs.fileInfo(ctx, f.ID)
		if err != nil {
			fs.web.Log.InfoContext(ctx, "slack file without a name", "file", f.ID, "code", cmp.Or(web.Code(err), "network"))
			continue
		}
		files[i] = Of(team, told)
		files[i].ID = f.ID
	}
	return files
}

// fileInfo loads a file's description from Slack.
func (fs *Files) fileInfo(ctx context.Context, id string) (payload.Object, error) {
	var r struct {
		File payload.Object `json:"file"`
	}
	err := fs.web.Call(ctx, "files.info", url.Values{"file": {id}}, &r)
	return r.File, err
}

// fileURL returns the download URL; it is looked up for a file that came without one, as in
// shared channels.
func (fs *Files) fileURL(ctx context.Context, f bot.File) (*url.URL, error) {
	raw := f.URL
	if raw == "" {
		told, err := fs.fileInfo(ctx, f.ID)
		if err != nil {
			return nil, web.Delivery("files.info", err)
		}
		raw = Of("", told).URL
	}
	u, err := url.Parse(raw)
	if err != nil || !fs.fileHost(u) {
		return nil, errFileHost
	}
	return u, nil
}

// fileHost reports whether the token may be sent to u.
func (fs *Files) fileHost(u *url.URL) bool {
	if u.Scheme == "https" && (u.Host == "files.slack.com" || u.Host == "files.slack-gov.com") {
		return true
	}
	return fs.web.Base.Host != "slack.com" && u.Host == fs.web.Base.Host && u.Scheme == fs.web.Base.Scheme
}

// slackHost reports whether u is a host of Slack's. Following a redirect anywhere else would
// allow server-side request forgery against our own network.
func (fs *Files) slackHost(u *url.URL) bool {
	if fs.fileHost(u) {
		return true
	}
	for _, domain := range []string{".slack.com", ".slack-edge.com", ".slack-files.com", ".slack-gov.com"} {
		if u.Scheme == "https" && strings.HasSuffix(u.Host, domain) {
			return true
		}
	}
	return false
}

// download follows redirects itself and decides at each hop whether to send the token.
func (fs *Files) download(ctx context.Context, u *url.URL) (*http.Response, error) {
	client := *fs.web.HTTPClient
	client.Timeout = 0 // ctx bounds it: large files take long
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for range maxRedirects {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return nil, errFileHost
		}
		if fs.fileHost(u) {
			req.Header.Set("Authorization", "Bearer "+fs.web.Token())
		}
		resp, err := client.Do(req)
		if err != nil {
			return nil, &bot.DeliveryError{Op: "fetch", Code: "network", Err: errors.Join(bot.ErrUnavailable, conn.WithoutURL(err))}
		}
		if resp.StatusCode < 300 || resp.StatusCode > 399 || resp.Header.Get("Location") == "" {
			return resp, nil
		}
		_ = resp.Body.Close()
		next, err := u.Parse(resp.Header.Get("Location"))
		switch {
		case err != nil:
			return nil, errFileHost
		case next.Query().Has("redir"):
			return nil, errSignIn
		case !fs.slackHost(next):
			return nil, errFileHost
		}
		u = next
	}
	return nil, errRedirects
}

// checkDownload rejects responses other than the file: an error page, the sign-in page that
// Slack serves with status 200, or a file over the limit.
func checkDownload(resp *http.Response, f bot.File, limit int64) error {
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return &bot.DeliveryError{Op: "fetch", Code: "file_not_found", Err: bot.ErrGone}
	case http.StatusUnauthorized, http.StatusForbidden:
		return &bot.DeliveryError{Op: "fetch", Code: "access_denied", Err: bot.ErrForbidden}
	default:
		after, _ := strconv.Atoi(resp.Header.Get("Retry-After")) //nolint:errcheck // 0: no delay given
		return &bot.DeliveryError{
			Op: "fetch", Code: fmt.Sprintf("http_%d", resp.StatusCode), After: time.Duration(max(after, 0)) * time.Second, Err: bot.ErrUnavailable,
		}
	}
	if servesHTML(resp) && !isHTML(f) {
		return &bot.DeliveryError{Op: "fetch", Code: "sign_in_page", Err: errors.Join(bot.ErrForbidden, errSignIn)}
	}
	if limit > 0 && resp.ContentLength > limit {
		return bot.ErrTooLarge
	}
	return nil
}

// canvasType is the media type of canvases, which are downloaded as HTML.
const canvasType = "application/vnd.slack-docs"

func servesHTML(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && kind == "text/html"
}

func isHTML(f bot.File) bool {
	kind, _, err := mime.ParseMediaType(f.MIME)
	ext := strings.ToLower(path.Ext(f.Name))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml" || kind == canvasType) || ext == ".html" || ext == ".htm" || ext == ".xhtml"
}
