package discordfake

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase/pattern"
)

var (
	mentionRE = pattern.New(`<@!?(\d+)>`)
	roleRE    = pattern.New(`<@&(\d+)>`)
	codeRE    = pattern.New("(?s)```.+?```|``.+?``|`[^`]+`") // code, in which mentions have no effect
)

// request is a REST request being answered.
type request struct {
	f      *Fake
	w      http.ResponseWriter
	r      *http.Request
	path   string // below the base
	vars   []string
	body   map[string]any
	raw    []byte
	files  []part
	status int
	token  bool // came with the bot's token
}

// route is one endpoint.
type route struct {
	method  string
	pattern string // with {} for ids
	spec    string // its path in the OpenAPI file, "" if bodies are not checked
	public  bool   // without the bot's token
	serve   func(*request)
}

func routes() []route {
	return []route{
		{"GET", "/gateway", "", true, (*request).getGateway},
		{"GET", "/gateway/bot", "", false, (*request).getGateway},
		{"GET", "/users/@me", "", false, (*request).getMe},
		{"GET", "/applications/@me", "", false, (*request).getApplication},
		{"POST", "/users/@me/channels", "/users/@me/channels", false, (*request).postDM},
		{"DELETE", "/users/@me/guilds/{}", "", false, (*request).leaveGuild},
		{"GET", "/guilds/{}", "", false, (*request).getGuild},
		{"GET", "/guilds/{}/members/{}", "", false, (*request).getMember},
		{"GET", "/guilds/{}/members", "", false, (*request).getMembers},
		{"GET", "/guilds/{}/onboarding", "", false, (*request).getOnboarding},
		{"GET", "/guilds/{}/channels", "", false, (*request).getGuildChannels},
		{"GET", "/channels/{}", "", false, (*request).getChannel},
		{"PATCH", "/channels/{}", "", false, (*request).patchChannel},
		{"GET", "/channels/{}/thread-members/{}", "", false, (*request).getThreadMember},
		{"GET", "/channels/{}/messages", "", false, (*request).getMessages},
		{"POST", "/channels/{}/messages", "/channels/{channel_id}/messages", false, (*request).postMessage},
		{"GET", "/channels/{}/messages/{}", "", false, (*request).getMessage},
		{"PATCH", "/channels/{}/messages/{}", "/channels/{channel_id}/messages/{message_id}", false, (*request).patchMessage},
		{"DELETE", "/channels/{}/messages/{}", "", false, (*request).deleteMessage},
		{"POST", "/channels/{}/messages/{}/threads", "/channels/{channel_id}/messages/{message_id}/threads", false, (*request).postThread},
		{"POST", "/channels/{}/typing", "", false, (*request).postTyping},
		{"PUT", "/channels/{}/messages/{}/reactions/{}/@me", "", false, (*request).putReaction},
		{"DELETE", "/channels/{}/messages/{}/reactions/{}/@me", "", false, (*request).putReaction},
		{"GET", "/applications/{}/commands", "", false, (*request).getCommands},
		{"PUT", "/applications/{}/commands", "/applications/{application_id}/commands", false, (*request).putCommands},
		{"POST", "/interactions/{}/{}/callback", "/interactions/{interaction_id}/{interaction_token}/callback", true, (*request).postCallback},
		{"POST", "/webhooks/{}/{}", "/webhooks/{webhook_id}/{webhook_token}", true, (*request).postFollowUp},
		{"GET", "/webhooks/{}/{}/messages/@original", "", true, (*request).getOriginal},
		{"PATCH", "/webhooks/{}/{}/messages/@original", "/webhooks/{webhook_id}/{webhook_token}/messages/@original", true, (*request).patchOriginal},
		{"DELETE", "/webhooks/{}/{}/messages/@original", "", true, (*request).deleteOriginal},
		{"POST", "/attachments/refresh-urls", "/attachments/refresh-urls", false, (*request).refreshURLs},
	}
}

// match returns the variable parts of a path.
func match(pattern, path string) ([]string, bool) {
	p, q := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(p) != len(q) {
		return nil, false
	}
	var vars []string
	for i := range p {
		switch {
		case p[i] == "{}" && q[i] != "" && !strings.HasPrefix(q[i], "@"):
			vars = append(vars, q[i])
		case p[i] != q[i]:
			return nil, false
		}
	}
	return vars, true
}

var apiPrefix = pattern.New(`^/api/v(9|10)(/.*)$`)

func (f *Fake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/gateway", f.serveGateway)
	mux.HandleFunc("/gateway/", f.serveGateway)
	mux.HandleFunc("/gateway-resume", f.serveGateway)
	mux.HandleFunc("/gateway-resume/", f.serveGateway)
	mux.HandleFunc("GET /attachments/{id}/{name}", f.serveFile)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		m := apiPrefix.FindStringSubmatch(r.URL.Path)
		if m == nil {
			http.NotFound(w, r)
			return
		}
		if m[2] == "/oauth2/token" && r.Method == http.MethodPost {
			f.serveToken(w, r)
			return
		}
		f.mu.Lock()
		done := f.asPerson(w, r, m[2])
		f.mu.Unlock()
		if !done {
			f.serveAPI(w, r, m[2])
		}
	})
	return mux
}

// serveFile serves an attachment and rejects requests with the token.
func (f *Fake) serveFile(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	content, ok := f.files[r.PathValue("id")]
	if r.Header.Get("Authorization") != "" {
		f.violate("the token was sent to the file host")
	}
	endless := f.endless[r.PathValue("id")]
	f.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	for endless {
		n, err := w.Write(content)
		if f.poured.Add(int64(n)); err != nil {
			return
		}
	}
	_, _ = w.Write(content)
}

func (f *Fake) serveAPI(w http.ResponseWriter, r *http.Request, path string) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 25<<20))
	if err != nil {
		return
	}
	q := &request{f: f, w: w, r: r, path: path, raw: raw}
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() {
		f.journal = append(f.journal, Call{Method: r.Method, Path: path, Body: q.body, Status: q.status, At: f.now()})
		f.notify()
	}()
	for _, rt := range routes() {
		vars, ok := match(rt.pattern, path)
		if !ok || rt.method != r.Method {
			continue
		}
		q.vars = vars
		q.handle(rt)
		return
	}
	f.violate("%s %s: no such endpoint", r.Method, path)
	q.fail(http.StatusNotFound, 0, "404: Not Found")
}

func (q *request) handle(rt route) {
	f := q.f
	fault, failing := f.fault(q.r.Method, q.path)
	if failing && !fault.Done {
		q.broken(fault)
		return
	}
	if auth := q.r.Header.Get("Authorization"); !rt.public {
		if auth != "Bot "+f.cfg.Token {
			q.fail(http.StatusUnauthorized, 0, "401: Unauthorized")
			return
		}
		q.token = true
	}
	if !q.read(rt) || !q.limitAll(rt) || !q.limit() {
		return
	}
	if failing {
		w := q.w
		q.w = nowhere{}
		rt.serve(q)
		q.w = w
		q.broken(fault)
		return
	}
	rt.serve(q)
}

// nowhere discards the response of a request that takes effect and fails.
type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) WriteHeader(int)             {}

func (f *Fake) fault(method, path string) (Fault, bool) {
	for i, x := range f.faults {
		if x.Method != "" && x.Method != method || !strings.Contains(path, x.Path) {
			continue
		}
		if x.Later > 0 {
			f.faults[i].Later--
			continue
		}
		f.faults[i].Times--
		if f.faults[i].Times == 0 {
			f.faults = append(f.faults[:i:i], f.faults[i+1:]...)
		}
		return x, true
	}
	return Fault{}, false
}

func (q *request) broken(x Fault) {
	switch {
	case x.Hang:
		q.status = -1
		if c, _, err := http.NewResponseController(q.w).Hijack(); err == nil {
			_ = c.Close()
		}
	case x.HTML:
		q.w.Header().Set("Content-Type", "text/html")
		if x.After > 0 {
			q.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(x.After))))
		}
		q.status = x.Status
		q.w.WriteHeader(x.Status)
		_, _ = io.WriteString(q.w, "<html><body>cloudflare</body></html>")
	case x.Status == http.StatusTooManyRequests:
		q.tooMany(x.After, false)
	default:
		q.fail(x.Status, x.Code, "fault")
	}
}

// read decodes the body and checks it.
func (q *request) read(rt route) bool {
	if len(q.raw) == 0 {
		return true
	}
	if kind, param, err := mime.ParseMediaType(q.r.Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" {
		if !q.readForm(param["boundary"]) {
			return false
		}
	} else if q.r.Header.Get("Content-Type") != "application/json" {
		q.violate("content type %q", q.r.Header.Get("Content-Type"))
		q.fail(http.StatusBadRequest, 50035, "Invalid Form Body")
		return false
	}
	var body any
	if json.Unmarshal(q.raw, &body) != nil {
		q.violate("body is not JSON")
		q.fail(http.StatusBadRequest, 50109, "The request body contains invalid JSON.")
		return false
	}
	q.body, _ = body.(map[string]any)
	if rt.spec != "" && q.f.spec != nil {
		if err := q.f.spec.check(rt.method, rt.spec, q.raw); err != nil {
			q.invalid("OpenAPI: " + err.Error())
			return false
		}
	}
	return true
}

func (q *request) violate(format string, args ...any) {
	q.f.violate("%s %s: %s", q.r.Method, q.path, fmt.Sprintf(format, args...))
}

// invalid refuses a body and writes the reason down.
func (q *request) invalid(why string) {
	q.violate("%s", why)
	q.fail(http.StatusBadRequest, 50035, "Invalid Form Body")
}

func (q *request) fail(status, code int, text string) {
	q.send(status, map[string]any{"message": text, "code": code})
}

func (q *request) ok(v any) { q.send(http.StatusOK, v) }

func (q *request) none() {
	q.status = http.StatusNoContent
	q.w.WriteHeader(http.StatusNoContent)
}

func (q *request) send(status int, v any) {
	q.status = status
	q.w.Header().Set("Content-Type", "application/json")
	q.w.WriteHeader(status)
	_ = json.NewEncoder(q.w).Encode(v) // the client is gone
}

// limitAll enforces the rate of all routes but interactions', in any second.
func (q *request) limitAll(rt route) bool {
	f := q.f
	if f.cfg.GlobalRate == 0 || rt.public {
		return true
	}
	const window = time.Second
	now := f.now()
	f.lately = slices.DeleteFunc(f.lately, func(t time.Time) bool { return now.Sub(t) >= window })
	f.lately = append(f.lately, now)
	if len(f.lately) <= f.cfg.GlobalRate {
		return true
	}
	q.w.Header().Set("X-RateLimit-Global", "true")
	q.tooMany(window.Seconds(), true)
	return false
}

// limit enforces 5 requests in 5 seconds for sends and for edits of a channel. Bucket names do not contain the
// channel, as on Discord.
func (q *request) limit() bool {
	f := q.f
	if !f.cfg.RateLimits || len(q.vars) == 0 || !strings.HasPrefix(q.path, "/channels/") || q.r.Method == http.MethodGet {
		return true
	}
	const most, window = 5, 5 * time.Second
	name := q.r.Method + " " + strconv.Itoa(len(q.vars))
	if f.cfg.OneBucket {
		name = "all"
	}
	key := name + " " + q.vars[0]
	now := f.now()
	var recent []time.Time
	for _, t := range f.buckets[key] {
		if now.Sub(t) < window {
			recent = append(recent, t)
		}
	}
	reset := window
	if len(recent) > 0 {
		reset = window - now.Sub(recent[0])
	}
	h := q.w.Header()
	h.Set("X-RateLimit-Bucket", name)
	h.Set("X-RateLimit-Limit", strconv.Itoa(most))
	told := (reset + time.Millisecond - 1).Truncate(time.Millisecond) // rounded up, so that clients do not retry early
	h.Set("X-RateLimit-Reset-After", strconv.FormatFloat(told.Seconds(), 'f', 3, 64))
	if len(recent) >= most {
		h.Set("X-RateLimit-Remaining", "0")
		q.tooMany(reset.Seconds(), false)
		f.buckets[key] = recent
		return false
	}
	recent = append(recent, now)
	f.buckets[key] = recent
	h.Set("X-RateLimit-Remaining", strconv.Itoa(most-len(recent)))
	return true
}

func (q *request) tooMany(after float64, global bool) {
	q.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after))))
	scope := "user"
	if global {
		scope = "global"
	}
	q.w.Header().Set("X-RateLimit-Scope", scope)
	q.send(http.StatusTooManyRequests, map[string]any{"message": "You are being rate limited.", "retry_after": after, "global": global})
}
