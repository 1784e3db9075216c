package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/agent/graph"
	"maru/agent/workflow"
)

// Bounds of http_request.
const (
	maxBody      = 256 << 10 // bytes of a reply that are kept
	requestTime  = 20 * time.Second
	maxRedirects = 3
)

type httpConfig struct {
	Method   string            `json:"method"`
	URL      string            `json:"url"`
	Hosts    []string          `json:"hosts"`
	Headers  map[string]string `json:"headers"`
	Body     any               `json:"body"`
	Approval string            `json:"approval"`
	Output   string            `json:"output"`
}

func httpRequest() workflow.Type {
	return workflow.Type{
		Name: "http_request", Mappable: true, Summary: "Asks a web service on one of the hosts it names.",
		Doc: "The host must be in `hosts`, after every redirect too, and the address it resolves to must be public, or one that the operator allows (`MARU_HTTP_INSIDE`): that is checked when it is dialled. The result is `{status, body}`, the body as data if it is JSON. The call is recorded and not repeated; its `Idempotency-Key` stays the same. " +
			"After outsiders' words a request asks a person first if it holds a word that neither they nor the workflow's author wrote. Without their yes it is not sent: `status` is 0, and `error` says so.",
		Writes: []string{"last_output", "error", "results", outside, words},
		Config: schemaOf(`
			"method": {"enum": ["GET", "POST", "PUT", "PATCH", "DELETE"], "description": "default GET"},
			"url": {"type": "string", "minLength": 1, "description": "a template; http or https"},
			"hosts": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "string", "minLength": 1}, "description": "host or host:port, exactly"},
			"headers": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 30},
			"body": {"description": "its texts are templates; anything but a text is sent as JSON"},
			"approval": {"enum": ["auto", "always", "never"], "description": "auto: as whose words the turn has read demands"},
			`+outputSchema, "url", "hosts"),
		Make: makeHTTP,
	}
}

func makeHTTP(p workflow.Place) (workflow.Bound, error) {
	c, err := decode[httpConfig](p)
	if err != nil {
		return workflow.Bound{}, err
	}
	c.Method = cmp.Or(c.Method, http.MethodGet)
	f := form{p: p}
	n := &httpNode{c: c, schema: p.Schema, headers: map[string]*template{}, out: f.target("/output", c.Output), url: f.text("/url", c.URL)}
	for i, h := range c.Hosts {
		f.fault(fmt.Sprintf("/hosts/%d", i), checkHost(h))
	}
	f.fault("/url", n.reachable())
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		n.headers[name] = f.text("/headers/"+pointerWord(name), c.Headers[name])
	}
	if c.Body != nil {
		n.body = f.pattern("/body", c.Body)
	}
	return f.bound(workflow.Bound{Run: n.run, Writes: n.out.writes("error", outside, words)})
}

// checkHost returns why a host can never match a request: hosts are compared literally, without a scheme, a path or a
// pattern.
func checkHost(h string) error {
	u, err := url.Parse("//" + h)
	if err != nil || u.Host != h || u.Hostname() == "" || strings.ContainsAny(h, "*? {}") {
		return fault("definition.http_host", h)
	}
	return nil
}

// reachable returns why a URL without templates can never be requested.
func (n *httpNode) reachable() error {
	if n.url == nil || len(n.url.parts) != 1 || n.url.parts[0].expr != nil {
		return nil // known when it is asked
	}
	u, err := url.Parse(strings.TrimSpace(n.c.URL))
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil:
		return fault("definition.http_url", n.c.URL)
	case !n.allows(u):
		return fault("definition.http_not_named", u.Host)
	}
	return nil
}

type httpNode struct {
	c       httpConfig
	schema  *graph.Schema
	out     output
	url     *template
	headers map[string]*template
	body    *pattern
}

// fetched is what is recorded of a request.
type fetched struct {
	Host   string `json:"host,omitempty"` // that was asked first
	Status int    `json:"status"`
	Body   string `json:"body"`
	Cut    bool   `json:"cut,omitempty"`
}

var (
	errNoHTTP = errors.New("workflow: web requests are not set up for this run")
	errURL    = errors.New("the URL must be http or https, without a user")
	errHost   = errors.New("the host is not among those that the node names")
	errTLS    = errors.New("refused: the service redirects from https to http")
	errAround = fmt.Errorf("refused: the service redirects more than %d times", maxRedirects)
)

func (n *httpNode) run(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	if x.HTTP == nil {
		return nil, errNoHTTP
	}
	if ok, err := n.allowed(ctx, s, x); err != nil {
		return nil, err
	} else if !ok {
		return n.refused(s)
	}
	got, err := graph.Repeatable(ctx, "http", func(ctx context.Context, key string) (fetched, error) {
		req, err := n.request(ctx, scopeOf(s, x), key)
		if err != nil {
			return fetched{}, err
		}
		return n.send(x.HTTP, req)
	})
	if err != nil {
		return nil, err
	}
	var body any = got.Body
	if v, err := graph.Normalize(jsonText(got.Body)); err == nil {
		body = v
	}
	writes, err := n.out.write(s, map[string]any{"status": got.Status, "body": body, "cut": got.Cut})
	if err != nil {
		return nil, err
	}
	if writes, err = noted(n.schema, writes, Words{Gave: Gave{Text: got.Body}}); err != nil {
		return nil, err
	}
	return fromOutside(n.schema, writes, got.Host)
}

func (n *httpNode) request(ctx context.Context, sc scope, key string) (*http.Request, error) {
	address, err := n.url.render(sc)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil {
		return nil, fmt.Errorf("http_request: %w", errURL)
	}
	if !n.allows(u) {
		return nil, fmt.Errorf("http_request: %w: %s", errHost, u.Host)
	}
	body, kind, err := n.content(sc)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, n.c.Method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, errors.New("http_request: the URL cannot be used")
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if n.c.Method != http.MethodGet {
		req.Header.Set("Idempotency-Key", key)
	}
	for name, t := range n.headers {
		v, err := t.render(sc)
		if err != nil {
			return nil, err
		}
		req.Header.Set(name, strings.Map(printable, v))
	}
	return req, nil
}

// printable keeps a value from becoming a second header.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

func (n *httpNode) content(sc scope) (body, kind string, err error) {
	if n.body == nil {
		return "", "", nil
	}
	v, err := n.body.value(sc)
	if err != nil {
		return "", "", err
	}
	if text, ok := v.(string); ok {
		return text, "text/plain; charset=utf-8", nil
	}
	return textOf(v), "application/json", nil
}

func (n *httpNode) allows(u *url.URL) bool {
	return slices.ContainsFunc(n.c.Hosts, func(h string) bool {
		return strings.EqualFold(h, u.Host) || (strings.EqualFold(h, u.Hostname()) && u.Port() == "")
	})
}

// send sends the request; redirects stay within the hosts and never give up
// TLS.
func (n *httpNode) send(client *http.Client, req *http.Request) (fetched, error) {
	guarded := *client
	guarded.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		switch {
		case len(via) > maxRedirects:
			return errAround
		case via[0].URL.Scheme == "https" && next.URL.Scheme != "https":
			return errTLS
		case !n.allows(next.URL):
			return fmt.Errorf("%w: redirected to %s", errHost, next.URL.Host)
		}
		return nil
	}
	guarded.Timeout = cmp.Or(guarded.Timeout, requestTime)
	resp, err := guarded.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // without the URL, which may hold a key
		}
		return fetched{}, fmt.Errorf("http_request to %s: %w", req.URL.Host, err)
	}
	defer func() { _ = resp.Body.Close() }() // read to its bound: nothing is lost
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return fetched{}, fmt.Errorf("http_request to %s: read the reply: %w", req.URL.Host, err)
	}
	got := fetched{Host: req.URL.Host, Status: resp.StatusCode, Cut: len(text) > maxBody}
	text = text[:min(len(text), maxBody)]
	for got.Cut && len(text) > 0 && !utf8.Valid(text[max(0, len(text)-utf8.UTFMax):]) {
		text = text[:len(text)-1]
		if len(text) < maxBody-utf8.UTFMax {
			break
		}
	}
	got.Body = strings.ToValidUTF8(string(text), "\uFFFD")
	return got, nil
}
