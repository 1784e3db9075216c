package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"maru/agent/tool"
)

// Config holds the dependencies and limits of the tools.
type Config struct {
	TimeZone  *time.Location                        // of people who have none; default UTC
	Timeout   time.Duration                         // upper limit of one call; 0: each tool's own
	Documents Documents                             // nil: read_file is not offered
	Memory    Memory                                // nil: read_memory and write_memory are not offered
	Proxy     func(*http.Request) (*url.URL, error) // nil: none; http.ProxyFromEnvironment in the program
	Disabled  []string                              // names of tools that are never offered

	OpenWeatherKey, OpenWeatherBaseURL string // a base of "" is the service's own
	TavilyKey, TavilyBaseURL           string
	GoogleKey, GoogleCSE               string
	GoogleBaseURL                      string
	WikipediaBaseURL                   string

	Python        string // "auto" (default): where the sandbox works; "on": an error where not; "off"
	PythonPath    string // see [Sandbox] for these three
	PythonTimeout time.Duration
	PythonMemory  int64
}

// The services' own addresses.
const (
	openWeatherBase = "https://api.openweathermap.org"
	tavilyBase      = "https://api.tavily.com"
	googleBase      = "https://www.googleapis.com"
	wikipediaBase   = "https://{lang}.wikipedia.org"
)

// Missing is a tool that is not offered.
type Missing struct {
	Name     string
	Why      string
	Variable string // environment variable that enables it, "" for none
	Fix      string // how to enable it, "" if it is off on purpose
}

// All returns the tools that are available and, with reasons, those that are not. It runs one program to probe the Python
// sandbox; the error reports that the sandbox doesn't work though Python is "on".
func All(ctx context.Context, cfg Config) ([]tool.Tool, []Missing, error) {
	a := &assembly{cfg: cfg}
	a.offer(NewCalculator())
	a.offer(NewClock(cfg.TimeZone))
	a.services()
	err := a.python(ctx)
	if cfg.Documents != nil {
		a.offer(NewReadFile(cfg.Documents))
	} else {
		a.lack(Missing{Name: "read_file", Why: "there is no index of documents"})
	}
	if cfg.Memory != nil {
		a.offer(NewReadMemory(cfg.Memory))
		a.offer(NewWriteMemory(cfg.Memory))
	}
	return a.tools, a.missing, err
}

// Parameters returns the JSON Schemas of the arguments of the tools that All may offer, whatever the operator has set; nil
// for a tool that lacks a key.
func Parameters(ctx context.Context) map[string]json.RawMessage {
	tools, missing, _ := All(ctx, Config{Python: "off"}) // its error is about Python that is "on"
	tools = append(tools, NewReadFile(nil), NewReadMemory(nil), NewWriteMemory(nil))
	all := map[string]json.RawMessage{}
	for _, m := range missing {
		all[m.Name] = nil
	}
	for _, t := range tools {
		spec := t.Spec()
		all[spec.Name] = spec.Parameters
	}
	return all
}

// hurried shortens a tool's timeout.
type hurried struct {
	tool.Tool
	limit time.Duration
}

// Spec implements tool.Tool.
func (h hurried) Spec() tool.Spec {
	spec := h.Tool.Spec()
	spec.Timeout = h.limit
	return spec
}

// assembly gathers tools.
type assembly struct {
	cfg     Config
	tools   []tool.Tool
	missing []Missing
}

func (a *assembly) offer(t tool.Tool) {
	spec := t.Spec()
	if slices.Contains(a.cfg.Disabled, spec.Name) {
		a.missing = append(a.missing, disabled(spec.Name))
		return
	}
	if limit := a.cfg.Timeout; limit > 0 && (spec.Timeout == 0 || spec.Timeout > limit) {
		t = hurried{t, limit}
	}
	a.tools = append(a.tools, t)
}

func (a *assembly) lack(m Missing) {
	if slices.Contains(a.cfg.Disabled, m.Name) {
		m = disabled(m.Name)
	}
	a.missing = append(a.missing, m)
}

func disabled(name string) Missing {
	return Missing{Name: name, Why: "it is switched off", Variable: "MARU_DISABLED_TOOLS"}
}

// base returns the address of a service and whether the operator chose it.
func base(configured, own string) (address string, trusted bool) {
	if configured == "" || configured == own {
		return own, false
	}
	return configured, true
}

func (a *assembly) services() {
	cfg := a.cfg
	if address, trusted := base(cfg.OpenWeatherBaseURL, openWeatherBase); cfg.OpenWeatherKey != "" {
		a.offer(NewWeather(address, cfg.OpenWeatherKey, trusted, cfg.Proxy))
	} else {
		a.lack(Missing{Name: "weather", Why: "it needs a key of openweathermap.org", Variable: "OPENWEATHER_API_KEY", Fix: "set OPENWEATHER_API_KEY"})
	}
	address, trusted := base(cfg.WikipediaBaseURL, wikipediaBase)
	a.offer(NewWikipedia(address, trusted, cfg.Proxy))
	switch {
	case cfg.TavilyKey != "":
		address, trusted := base(cfg.TavilyBaseURL, tavilyBase)
		a.offer(NewTavily(address, cfg.TavilyKey, trusted, cfg.Proxy))
	case cfg.GoogleKey != "" && cfg.GoogleCSE != "":
		address, trusted := base(cfg.GoogleBaseURL, googleBase)
		a.offer(NewGoogle(address, cfg.GoogleKey, cfg.GoogleCSE, trusted, cfg.Proxy))
	default:
		a.lack(Missing{Name: "web_search", Why: "it needs a key of tavily.com or of Google", Variable: "TAVILY_API_KEY", Fix: "set TAVILY_API_KEY, or GOOGLE_API_KEY with GOOGLE_CSE_ID"})
	}
}

func (a *assembly) python(ctx context.Context) error {
	if a.cfg.Python == "off" || slices.Contains(a.cfg.Disabled, "python") {
		a.lack(Missing{Name: "python", Why: "it is switched off", Variable: "MARU_PYTHON"})
		return nil
	}
	box := Sandbox{Python: a.cfg.PythonPath, Timeout: a.cfg.PythonTimeout, Memory: a.cfg.PythonMemory}
	err := box.Probe(ctx)
	if err == nil {
		a.offer(NewPython(box))
		return nil
	}
	a.lack(Missing{Name: "python", Why: err.Error(), Variable: "MARU_PYTHON",
		Fix: "install bubblewrap and python3 and allow user namespaces (in Docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined), or set MARU_PYTHON=off"})
	if a.cfg.Python == "on" {
		return fmt.Errorf("MARU_PYTHON is on but the sandbox does not work: %w", err)
	}
	return nil
}
