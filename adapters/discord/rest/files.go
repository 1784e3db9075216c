package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"maru/adapters/lanes/body"
	"maru/adapters/lanes/conn"
	"maru/bot"
)

var errFileHost = fmt.Errorf("discord: the file is not on Discord's file host: %w", bot.ErrElsewhere)

// errNotWhole reports a truncated download: its size differs from the announced one.
var errTruncated = &bot.DeliveryError{Op: "fetch", Code: "not_whole", Err: errors.Join(bot.ErrUnavailable, io.ErrUnexpectedEOF)}

// Fetch implements bot.Fetcher. It never sends the token: the URLs are signed, expire after a
// day and are then renewed.
func (r *Client) Fetch(ctx context.Context, f bot.File, limit int64) (io.ReadCloser, error) {
	if limit > 0 && f.Size > limit {
		return nil, fmt.Errorf("fetch %s: %w", f.ID, bot.ErrTooLarge)
	}
	resp, err := r.download(ctx, f.URL)
	if code := StatusOf(err); code == http.StatusNotFound || code == http.StatusForbidden {
		if fresh, ferr := r.freshURL(ctx, f.URL); ferr == nil {
			resp, err = r.download(ctx, fresh)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", f.ID, Delivery("fetch", err))
	}
	if limit > 0 && resp.ContentLength > limit {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("fetch %s: %w", f.ID, bot.ErrTooLarge)
	}
	return body.New(resp.Body, limit).Whole(f.Size, errTruncated), nil
}

// download opens a URL of Discord's file hosts; it refuses redirects.
func (r *Client) download(ctx context.Context, raw string) (*http.Response, error) {
	u, err := url.Parse(raw)
	if err != nil || !r.fileHost(u) {
		return nil, &bot.DeliveryError{Op: "fetch", Code: "host", Err: fmt.Errorf("%w: %w", bot.ErrForbidden, errFileHost)}
	}
	client := *r.cfg.HTTPClient
	client.Timeout = 0 // ctx bounds it: large files take long
	client.CheckRedirect = NoRedirect
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errFileHost
	}
	req.Header.Set("User-Agent", userAgent)
	resp, err := client.Do(req)
	if err != nil {
		return nil, conn.WithoutURL(err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, &Error{op: "GET file", status: resp.StatusCode}
	}
	return resp, nil
}

// fileHost reports whether files may be fetched from u: Discord's hosts, and that of a
// configured API.
func (r *Client) fileHost(u *url.URL) bool {
	if u.User != nil {
		return false
	}
	if u.Scheme == "https" && (u.Host == "cdn.discordapp.com" || u.Host == "media.discordapp.net") {
		return true
	}
	api, err := BaseURL(r.cfg.APIURL)
	return err == nil && r.cfg.APIURL != "" && !strings.HasSuffix(api.Hostname(), "discord.com") && u.Host == api.Host && u.Scheme == api.Scheme
}

// freshURL renews a file's expired URL.
func (r *Client) freshURL(ctx context.Context, old string) (string, error) {
	var answer struct {
		URLs []struct {
			Refreshed string `json:"refreshed"`
		} `json:"refreshed_urls"`
	}
	err := r.Do(ctx, Call{
		Method: http.MethodPost, Path: "/attachments/refresh-urls", Bucket: "files",
		Body: map[string]any{"attachment_urls": []string{old}}, Out: &answer, Again: true, Urgent: true,
	})
	if err != nil {
		return "", err
	}
	if len(answer.URLs) != 1 {
		return "", errFileHost
	}
	return answer.URLs[0].Refreshed, nil
}
