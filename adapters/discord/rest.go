package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"maru/bot"
)

const (
	maxAnswer   = 16 << 20 // bytes of an answer
	maxTries    = 4        // of one request
	callTimeout = 30 * time.Second
	grace       = 3 * time.Second // for a change that was sent and is not wanted any more
	userAgent   = "DiscordBot (https://github.com/maru, 1.0)"
)

// call is one request to the REST API.
type call struct {
	method string
	path   string // below the base, with a leading slash
	bucket string // the limiter's key, one for each method and path; "" for interaction answers, which are bound by no limit
	body   any
	files  []bot.Artifact // sent with the body, each as files[n]
	out    any            // decoded into, if not nil
	again  bool           // may be sent twice: it leads to the same
	urgent bool           // waits for its turn instead of failing
	public bool           // without the token: the token of an interaction is in the path
}

// rest makes requests. Its zero value is not usable; see newREST.
type rest struct {
	cfg    Config
	limit  *limiter
	denied *denials

	mu      sync.Mutex
	base    string   // "" until it is known
	bases   []string // candidates
	refused bool     // the token was refused
}

var version = regexp.MustCompile(`/v\d+$`)

// newREST makes a client; server is the guild that a channel belongs to, "" if it is not known.
func newREST(cfg Config, server func(channel string) string) *rest {
	r := &rest{cfg: cfg, limit: newLimiter(cfg.Now, cfg.Wait, server), denied: newDenials(cfg.Now)}
	u, err := apiURL(cfg.APIURL)
	if err != nil {
		return r // Validate has said so
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

// address returns the API's base, finding out which of the candidates it is:
// the first that knows where the gateway is.
func (r *rest) address(ctx context.Context) (string, error) {
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

// probe asks a candidate for the gateway; an error means that nobody answers.
func (r *rest) probe(ctx context.Context, base string) (bool, error) {
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
		return false, withoutURL(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var g struct {
		URL string `json:"url"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&g)
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return false, nil
	case resp.StatusCode == http.StatusUnauthorized: // it is there; the first call says what is wrong
		return true, nil
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests:
		return false, readError("GET /gateway", resp.StatusCode, nil)
	}
	return err == nil && resp.StatusCode < 300 && g.URL != "", nil
}

// do makes a request and retries what may be: 429 after the time that Discord
// names, and calls that may be sent twice after faults of the network or the
// service. All waiting ends with ctx.
func (r *rest) do(ctx context.Context, c call) error {
	body, err := c.encode()
	if err != nil {
		return fmt.Errorf("encode %s: %w", c.op(), err)
	}
	for try := 1; ; try++ {
		err := r.once(ctx, c, body)
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

// retry says whether and when a failed call is made again.
func (r *rest) retry(c call, err error, try int) (time.Duration, bool) {
	if try >= maxTries || errors.Is(err, errToken) {
		return 0, false
	}
	var e *apiError
	status := statusOf(err)
	switch {
	case errors.As(err, &e) && e.unsent:
		return 0, false
	case status == http.StatusTooManyRequests && c.bucket == "":
		return e.after, c.urgent
	case status == http.StatusTooManyRequests:
		return 0, c.urgent // the limiter knows how long
	case status >= 500, status == 0:
		return time.Duration(try*try) * 250 * time.Millisecond, c.again
	}
	return 0, false
}

// op names a call in errors and logs, without ids and tokens.
func (c call) op() string { return c.method + " " + routeOf(c.path) }

var (
	idPart    = regexp.MustCompile(`/\d{5,}`)
	tokenPart = regexp.MustCompile(`^(/(?:interactions|webhooks)/[^/]+)/[^/]+`)
)

func routeOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return tokenPart.ReplaceAllString(idPart.ReplaceAllString(path, "/{id}"), "$1/{token}")
}

func (r *rest) once(ctx context.Context, c call, body payload) error {
	if r.dead() && !c.public {
		return errToken
	}
	if err := r.denied.known(c); err != nil {
		return err
	}
	base, err := r.address(ctx)
	if err != nil {
		return err
	}
	slot, err := r.limit.acquire(ctx, c.bucket, c.urgent)
	if err != nil {
		var b busyError
		if errors.As(err, &b) {
			return &apiError{op: c.op(), status: http.StatusTooManyRequests, after: b.after, unsent: true}
		}
		return err
	}
	resp, answer, err := r.send(ctx, c, base, body) //nolint:bodyclose // send has read and closed it
	if err != nil {
		r.limit.release(slot, c.bucket, nil)
		return err
	}
	headers := resp.Header
	if resp.StatusCode >= http.StatusInternalServerError {
		headers = nil // what broke, or an edge before it, knows of no limit
	}
	r.limit.release(slot, c.bucket, headers)
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		r.denied.allow(c)
		if c.out != nil && len(answer) > 0 {
			if err := json.Unmarshal(answer, c.out); err != nil {
				return fmt.Errorf("%s: decode answer: %w", c.op(), err)
			}
		}
		return nil
	}
	return r.refusal(c, resp, answer)
}

// send makes one HTTP request and reads the answer. A change that was sent is not
// given up with its draft: Discord would carry it out all the same, perhaps
// after the answer. What then hangs must not hold up the answer, nor the
// program's end, for longer than grace.
func (r *rest) send(ctx context.Context, c call, base string, body payload) (*http.Response, []byte, error) {
	given := ctx
	if c.method == http.MethodPatch {
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
	req, err := http.NewRequestWithContext(ctx, c.method, base+c.path, rd)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: bad address", c.op())
	}
	if !c.public {
		req.Header.Set("Authorization", "Bot "+r.cfg.Token)
	}
	if body.raw != nil {
		req.Header.Set("Content-Type", body.kind)
	}
	req.Header.Set("User-Agent", userAgent)
	resp, err := r.cfg.HTTPClient.Do(req)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.op(), withoutURL(err))
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: read answer: %w", c.op(), withoutURL(err))
	}
	return resp, answer, nil
}

// refusal takes over what an answer other than 2xx says.
func (r *rest) refusal(c call, resp *http.Response, answer []byte) error {
	e := readError(c.op(), resp.StatusCode, answer)
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		var b struct {
			After  float64 `json:"retry_after"`
			Global bool    `json:"global"`
		}
		_ = json.Unmarshal(answer, &b) // HTML from the edge: the header counts
		e.after = max(time.Duration(b.After*float64(time.Second)), seconds(resp.Header.Get("Retry-After")))
		e.after = min(max(e.after, 100*time.Millisecond), time.Hour)
		global := b.Global || resp.Header.Get("X-RateLimit-Global") != ""
		r.limit.tooMany(c.bucket, e.after, global, resp.Header.Get("X-RateLimit-Scope") == "shared")
	case http.StatusUnauthorized:
		r.limit.refuse(c.bucket)
		if !c.public {
			r.mu.Lock()
			r.refused = true
			r.mu.Unlock()
			return fmt.Errorf("%w (%w)", errToken, e)
		}
	case http.StatusForbidden:
		r.limit.refuse(c.bucket)
		r.denied.note(c, e)
	}
	return e
}

// dead reports whether the token was refused: every further call with it would
// bring a ban nearer.
func (r *rest) dead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused
}

// withoutURL takes the address off an error of net/http: it may carry the token
// of an interaction.
func withoutURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}
