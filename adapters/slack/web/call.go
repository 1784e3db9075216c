package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"
)

// maxResponse bounds a Web API response that the adapter decodes itself.
const maxResponse = 16 << 20

// Call makes one request to the Web API and decodes the response leniently: with the client
// library's typed blocks, one unknown block would make a whole page of a thread unreadable.
// Errors have the client library's types.
func (w *Client) Call(ctx context.Context, method string, v url.Values, out any) error {
	for healed := 0; ; healed++ {
		used := w.Freshen(ctx)
		err := w.callOnce(ctx, method, v, out)
		if err == nil || healed == maxHeals || !w.retryWithNewToken(ctx, used, err) {
			w.noteResult(ctx, method, err)
			return err
		}
	}
}

func (w *Client) callOnce(ctx context.Context, method string, v url.Values, out any) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.Base.String()+method, strings.NewReader(v.Encode()))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+w.Token())
	resp, err := w.HTTPClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusTooManyRequests {
		after, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil || after < 1 {
			after = 1
		}
		return &slack.RateLimitedError{RetryAfter: time.Duration(after) * time.Second}
	}
	if resp.StatusCode != http.StatusOK {
		return slack.StatusCodeError{Code: resp.StatusCode, Status: resp.Status}
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("%s: read answer: %w", method, err)
	}
	var head slack.SlackResponse
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("%s: answer is not JSON: %w", method, err)
	}
	if err := head.Err(); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%s: read answer: %w", method, err)
	}
	if method == MethodWho {
		w.warnScopes(ctx, resp.Header.Get("X-OAuth-Scopes"))
	}
	return nil
}
