// Package openai speaks to any endpoint with OpenAI's chat and embedding API:
// OpenAI, Azure OpenAI, vLLM, Ollama, llama.cpp. It is the only user of
// go-openai, which builds requests and reads whole replies; chunks, deadlines, bounds, error
// classes and the oddities of servers are handled here, one level below it, in
// the HTTP client that it is given (doer.go).
//
// It knows nothing of agents, tools or documents, and does not retry: that is
// [maru/agent/llm.Retry]'s.
package openai

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/sashabaranov/go-openai"
)

// Config says which endpoint to use and how long to wait for it. The zero value
// of a field means its default.
type Config struct {
	BaseURL    string // default https://api.openai.com/v1; Azure: https://NAME.openai.azure.com
	APIKey     string // may be empty for a BaseURL of one's own
	Model      string // chat model; Azure: the deployment
	Azure      bool
	APIVersion string // Azure only

	EmbeddingModel string
	Dimensions     int // of the vectors; 0: whatever the first reply has, and no other
	Batch          int // most texts in one embedding call, default 16; fewer once the endpoint refused that many
	// What is put before a question and a passage: "" what the model's family is documented to
	// need, [NoPrefix] nothing.
	QueryPrefix, PassagePrefix string

	MaxTokens int // of every reply, 0 for no bound
	Context   int // tokens of prompt and reply together; 0: as the endpoint tells, or turns out to take

	// Whole refuses a prompt that does not fit into the context, with the class ContextLength,
	// where it would be shortened: another model may have the room.
	Whole bool

	// Settings begins the names of the settings that errors advise on, default OPENAI: the prefix
	// of variables, or the group of a role in the YAML file, such as models.plan.
	Settings string

	First   time.Duration // until the first byte of a reply, default 90 s
	Idle    time.Duration // between two pieces of a reply, default 30 s
	Total   time.Duration // for one whole call, default 5 min
	MaxBody int64         // bytes of one reply, default 16 MiB

	// Refusals are what the endpoint's models turned out not to take; nil: those of this model's
	// own, as long as it lives.
	Refusals *Refusals
	Log      *slog.Logger // of what an operator should change; nil: nobody is told

	Vision Vision // default [VisionAuto]

	// HTTP makes the requests; nil: a client of its own, which honours the
	// proxy settings of the environment and follows no redirect.
	HTTP *http.Client
	// Now is the clock for Retry-After dates; nil: time.Now.
	Now func() time.Time
}

const defaultBase = "https://api.openai.com/v1"

func (c Config) withDefaults() Config {
	c.BaseURL = strings.TrimRight(strings.TrimSpace(c.BaseURL), "/")
	c.APIKey = strings.TrimSpace(c.APIKey)
	c.Settings = fallback(c.Settings, "OPENAI")
	if c.BaseURL == "" {
		c.BaseURL = defaultBase
	}
	if c.Azure {
		c.BaseURL = strings.TrimSuffix(c.BaseURL, "/openai")
		c.APIVersion = fallback(c.APIVersion, "2024-10-21")
	}
	if c.Batch <= 0 {
		c.Batch = 16
	}
	c.First = fallback(c.First, 90*time.Second)
	c.Idle = fallback(c.Idle, 30*time.Second)
	c.Total = fallback(c.Total, 5*time.Minute)
	c.MaxBody = fallback(c.MaxBody, 16<<20)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Vision = fallback(c.Vision, VisionAuto)
	if c.Refusals == nil {
		c.Refusals = RefusalsIn("")
	}
	return c
}

func fallback[T comparable](v, other T) T {
	var zero T
	if v == zero {
		return other
	}
	return v
}

// Setting names one of the settings of the endpoint: "BASE_URL", "API_KEY" or "MODEL".
func (c Config) Setting(what string) string {
	group := fallback(c.Settings, "OPENAI")
	if !strings.Contains(group, ".") {
		return group + "_" + what
	}
	return group + "." + map[string]string{"BASE_URL": "endpoint", "API_KEY": "key", "MODEL": "name"}[what]
}

// validate reports all faults at once, never showing the key.
func (c Config) validate() error {
	var errs []error
	u, err := url.Parse(c.BaseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		errs = append(errs, errors.New(c.Setting("BASE_URL")+": want an http or https address such as http://127.0.0.1:11434/v1"))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		errs = append(errs, fmt.Errorf("%s: must have no user, query or fragment; the key belongs in %s", c.Setting("BASE_URL"), c.Setting("API_KEY")))
	}
	if c.APIKey == "" && (c.BaseURL == defaultBase || c.Azure) {
		errs = append(errs, fmt.Errorf("%s is not set: this endpoint needs one (or set %s to a local server)", c.Setting("API_KEY"), c.Setting("BASE_URL")))
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		errs = append(errs, errors.New(c.Setting("API_KEY")+": has spaces, line breaks or other characters that no key has"))
	}
	if c.MaxTokens < 0 || c.Context < 0 || c.First < 0 || c.Idle < 0 || c.Total < 0 || c.MaxBody < 0 || c.Dimensions < 0 {
		errs = append(errs, errors.New("openai: deadlines, bounds and dimensions must not be negative"))
	}
	if len(errs) > 0 {
		return fmt.Errorf("model endpoint: %w", errors.Join(errs...))
	}
	return nil
}

// connect returns the doer, which makes go-openai's clients.
func (c Config) connect() (*doer, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	hc := c.HTTP
	if hc == nil {
		hc = &http.Client{Transport: transport()}
	}
	own := *hc
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	sc := sdk.DefaultConfig(c.APIKey)
	if c.Azure {
		sc = sdk.DefaultAzureConfig(c.APIKey, c.BaseURL)
		sc.APIVersion = c.APIVersion
		sc.AzureModelMapperFunc = func(model string) string { return url.PathEscape(model) }
	}
	sc.BaseURL = c.BaseURL
	return &doer{http: &own, sdk: sc, setting: c.Setting, key: c.APIKey, maxBody: c.MaxBody, now: c.Now}, nil
}

func transport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     60 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		WriteBufferSize:     16 << 10, // most prompts leave in one write
	}
}

// host returns the host of the endpoint, with its port, as usage names it.
func (c Config) host() string {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}
