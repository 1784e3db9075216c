package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"maru/adapters/lanes/conn"
	"maru/bot"
)

const (
	maxAnswer   = 16 << 20    // bytes of an answer
	edgeRest    = time.Minute // pause after a 429 of Cloudflare's that names no delay
	maxTries    = 4           // of one request
	callTimeout = 30 * time.Second
	grace       = 3 * time.Second // how long to wait for a sent call after its caller gave up
	userAgent   = "DiscordBot (https://github.com/maru, 1.0)"
)

// Call is one request to the REST API.
type Call struct {
	Method string
	Path   string // below the base, with a leading slash
	Bucket string // the limiter's key, one per method and path; "" for interaction answers, which have no limit
	Body   any
	Files  []bot.Artifact // sent with the body, each as files[n]
	Out    any            // decoded into, if not nil
	Again  bool           // idempotent
	Urgent bool           // waits for the rate limit instead of failing
	Within time.Duration  // how long a call waits for its own bucket, all tries together; 0: as long as for any other limit
	Public bool           // without the bot token: the path contains an interaction's token
}

// Config configures a client; all fields are required.
type Config struct {
	Token      string // of the bot, without "Bot "
	APIURL     string // base of the API; see BaseURL
	HTTPClient *http.Client
	Now        func() time.Time
	Wait       func(context.Context, time.Duration) error
	// Server returns the guild of a channel or guild ID, "" if it is unknown.
	Server func(id string) string
}

// Client makes requests. Its zero value is not usable; see New.
type Client struct {
	cfg    Config
	limit  *limiter
	denied *denials

	mu      sync.Mutex
	base    string   // "" until probed
	bases   []string // candidates
	refused bool     // the token was refused
}

var version = regexp.MustCompile(`/v\d+$`)

// New creates a client. It makes no request.
func New(cfg Config) *Client {
	r := &Client{cfg: cfg, limit: newLimiter(cfg.Now, cfg.Wait, cfg.Server), denied: newDenials(cfg.Now)}
	u, err := BaseURL(cfg.APIURL)
	if err != nil {
		return r // reported by Validate
	}
	given := u.String()
	if version.MatchString(u.Path) {
		r.base = given
		return r
	}
	below := given + "/api"
	if strings.HasSuffix(u.Path, "/api") {
		below = given
	}
	r.bases = []string{below + "/v10", below, below + "/v9"}
	if below != given {
		r.bases = append(r.bases, given+"/v10", given, given+"/v9")
	}
	return r
}

// address returns the API's base URL, probing the candidates for the first that knows the
// gateway.
func (r *Client) address(ctx context.Context) (string, error) {
	r.mu.Lock()
	base, bases := r.base, r.bases
	r.mu.Unlock()
	if base != "" || len(bases) == 0 {
		return base, nil
	}
	for _, b := range bases {
		ok, err := r.probe(ctx, b)
		if err != nil {
			return "", err
		}
		if ok {
			r.mu.Lock()
			r.base = b
			r.mu.Unlock()
			return b, nil
		}
	}
	return "", fmt.Errorf("find the API below %s: it does not answer GET /gateway; set DISCORD_API_URL to its address with the version, such as …/api/v10", bases[len(bases)-1])
}

// probe requests the gateway from a candidate; an error means no response.
func (r *Client) probe(ctx context.Context, base string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/gateway", nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Authorization", "Bot "+r.cfg.Token)
	resp, err := r.cfg.HTTPClient.Do(req)
	if err != nil {
		return false, conn.WithoutURL(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var g struct {
		URL string `json:"url"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&g)
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return false, nil
	case resp.StatusCode == http.StatusUnauthorized: // it exists; the first call reports the fault
		return true, nil
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests:
		return false, readError("GET /gateway", resp.StatusCode, nil)
	}
	return err == nil && resp.StatusCode < 300 && g.URL != "", nil
}

// Do makes a request and retries: a 429 after Discord's delay, and idempotent calls after
// network or service errors. All waiting ends with ctx.
func (r *Client) Do(ctx context.Context, c Call) error {
	body, err := c.encode()
	if err != nil {
		return fmt.Errorf("encode %s: %w", c.op(), err)
	}
	var p *patience
	if c.Within > 0 {
		p = &patience{left: c.Within}
	}
	for try := 1; ; try++ {
		err := r.once(ctx, c, p, body)
		if err == nil || ctx.Err() != nil {
			return err
		}
		after, retry := r.retry(c, err, try)
		if !retry {
			return err
		}
		if after > 0 {
			if r.cfg.Wait(ctx, after) != nil {
				return err
			}
		}
	}
}

// retry returns whether and when to retry a failed call.
func (r *Client) retry(c Call, err error, try int) (time.Duration, bool) {
	if try >= maxTries || errors.Is(err, ErrToken) {
		return 0, false
	}
	var e *Error
	status := StatusOf(err)
	switch {
	case errors.As(err, &e) && (e.unsent || e.forbiddenAtEdge()):
		return 0, false
	case status == http.StatusTooManyRequests && c.Bucket == "":
		return e.after, c.Urgent
	case status == http.StatusTooManyRequests:
		return 0, c.Urgent // the limiter knows the delay
	case status >= 500, status == 0:
		return time.Duration(try*try) * 250 * time.Millisecond, c.Again
	}
	return 0, false
}

// op names a call in errors and logs, without IDs and tokens.
func (c Call) op() string { return c.Method + " " + routeOf(c.Path) }

var (
	idPart    = regexp.MustCompile(`/\d{5,}`)
	tokenPart = regexp.MustCompile(`^(/(?:interactions|webhooks)/[^/]+)/[^/]+`)
)

func routeOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return tokenPart.ReplaceAllString(idPart.ReplaceAllString(path, "/{id}"), "$1/{token}")
}

func (r *Client) once(ctx context.Context, c Call, p *patience, body payload) error {
	if r.Dead() && !c.Public {
		return ErrToken
	}
	if err := r.denied.known(c); err != nil {
		return err
	}
	base, err := r.address(ctx)
	if err != nil {
		return err
	}
	slot, err := r.limit.acquire(ctx, c.Bucket, c.Urgent, p)
	if err != nil {
		var b busyError
		if errors.As(err, &b) {
			return &Error{op: c.op(), status: http.StatusTooManyRequests, after: b.after, unsent: true}
		}
		return err
	}
	resp, answer, err := r.send(ctx, c, base, body) //nolint:bodyclose // send has read and closed it
	if err != nil {
		r.limit.release(slot, c.Bucket, nil)
		return err
	}
	headers := resp.Header
	if resp.StatusCode >= http.StatusInternalServerError {
		headers = nil // a failing server or edge sends no limits
	}
	r.limit.release(slot, c.Bucket, headers)
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		r.denied.allow(c)
		if c.Out != nil && len(answer) > 0 {
			if err := json.Unmarshal(answer, c.Out); err != nil {
				return fmt.Errorf("%s: decode answer: %w", c.op(), err)
			}
		}
		return nil
	}
	return r.refusal(c, resp, answer)
}

// send makes one HTTP request and reads the response. A sent change is not cancelled with its
// draft: Discord would execute it anyway, perhaps after the answer. A hanging call delays the
// answer, or the shutdown, by at most grace.
func (r *Client) send(ctx context.Context, c Call, base string, body payload) (*http.Response, []byte, error) {
	given := ctx
	if c.Method == http.MethodPatch {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	defer context.AfterFunc(given, func() {
		if r.cfg.Wait(ctx, grace) == nil {
			cancel()
		}
	})()
	var rd io.Reader
	if body.raw != nil {
		rd = bytes.NewReader(body.raw)
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, base+c.Path, rd)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: bad address", c.op())
	}
	if !c.Public {
		req.Header.Set("Authorization", "Bot "+r.cfg.Token)
	}
	if body.raw != nil {
		req.Header.Set("Content-Type", body.kind)
	}
	req.Header.Set("User-Agent", userAgent)
	resp, err := r.cfg.HTTPClient.Do(req)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.op(), conn.WithoutURL(err))
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: read answer: %w", c.op(), conn.WithoutURL(err))
	}
	return resp, answer, nil
}

// refusal converts an error response.
func (r *Client) refusal(c Call, resp *http.Response, answer []byte) error {
	e := readError(c.op(), resp.StatusCode, answer)
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		var b struct {
			After  *float64 `json:"retry_after"`
			Global bool     `json:"global"`
		}
		global := json.Unmarshal(answer, &b) == nil && b.Global || resp.Header.Get("X-RateLimit-Global") != ""
		e.after = seconds(resp.Header.Get("Retry-After"))
		switch {
		case b.After != nil:
			e.after = max(e.after, time.Duration(*b.After*float64(time.Second)))
		case e.edge || e.code == 0: // Cloudflare, in front of the API, blocks the address: any call would prolong that
			global, e.after = true, cmp.Or(e.after, edgeRest)
		}
		e.after = min(max(e.after, 100*time.Millisecond), time.Hour)
		r.limit.tooMany(c.Bucket, e.after, global, resp.Header.Get("X-RateLimit-Scope") == "shared")
	case http.StatusUnauthorized:
		r.limit.refuse(c.Bucket)
		if !c.Public {
			r.mu.Lock()
			r.refused = true
			r.mu.Unlock()
			return fmt.Errorf("%w (%w)", ErrToken, e)
		}
	case http.StatusForbidden:
		r.limit.refuse(c.Bucket)
		r.denied.note(c, e)
	}
	return e
}

// Revive allows calls with the token after it was refused.
func (r *Client) Revive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = false
}

// Dead reports whether the token was refused: more calls with it would risk a ban.
func (r *Client) Dead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused
}
