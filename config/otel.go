package config

import (
	"net/url"
	"strings"
)

// Traces is where runs are told as OpenTelemetry traces. They are off without an endpoint. The names
// are OpenTelemetry's own.
type Traces struct {
	Endpoint string   // of OTLP/HTTP, without the path of a signal
	Traces   string   // of traces alone, whole
	Headers  Secret   // key=value, separated by commas
	Service  string   // service.name
	Resource []string // more attributes, key=value
	Content  bool     // what tools are given and give is told
	Off      bool
}

// URL is the address that traces are sent to, "" for none.
func (t Traces) URL() string {
	switch {
	case t.Off:
		return ""
	case t.Traces != "":
		return t.Traces
	case t.Endpoint != "":
		return strings.TrimRight(t.Endpoint, "/") + "/v1/traces"
	}
	return ""
}

// HeaderList are the headers of each request.
func (t Traces) HeaderList() map[string]string { return pairs(strings.Split(t.Headers.Reveal(), ",")) }

// Attributes are those of the resource.
func (t Traces) Attributes() map[string]string {
	out := pairs(t.Resource)
	out["service.name"] = t.Service
	return out
}

// pairs reads key=value items, whose values may be percent-encoded, as OpenTelemetry has them.
func pairs(items []string) map[string]string {
	out := map[string]string{}
	for _, item := range items {
		k, v, ok := strings.Cut(strings.TrimSpace(item), "=")
		if !ok || k == "" {
			continue
		}
		if plain, err := url.PathUnescape(v); err == nil {
			v = plain
		}
		out[strings.TrimSpace(k)] = strings.TrimSpace(v)
	}
	return out
}

func traceSettings() []Setting {
	return []Setting{
		{Var: "OTEL_EXPORTER_OTLP_ENDPOINT", Key: "traces.endpoint", Help: "OTLP over HTTP of an OpenTelemetry collector, such as http://127.0.0.1:4318: each run is a trace; unset means none",
			into: func(c *Config) any { return &c.Traces.Endpoint }, rule: webURL},
		{Var: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", Key: "traces.traces_endpoint", Help: "the whole address for traces, instead",
			into: func(c *Config) any { return &c.Traces.Traces }, rule: webURL},
		{Var: "OTEL_EXPORTER_OTLP_HEADERS", Key: "traces.headers", Secret: true, Help: "headers of each request, `key=value`, separated by commas",
			into: func(c *Config) any { return &c.Traces.Headers }},
		{Var: "OTEL_SERVICE_NAME", Key: "traces.service", Default: "maru", Help: "service.name of the traces",
			into: func(c *Config) any { return &c.Traces.Service }},
		{Var: "OTEL_RESOURCE_ATTRIBUTES", Key: "traces.resource", Help: "more attributes of the traces, `key=value`, separated by commas",
			into: func(c *Config) any { return &c.Traces.Resource }},
		{Var: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", Key: "traces.content", Default: "false", Help: "traces hold what tools were given and gave; prompts and answers are never in them",
			into: func(c *Config) any { return &c.Traces.Content }},
		{Var: "OTEL_SDK_DISABLED", Key: "traces.off", Default: "false", Help: "no traces, whatever else is set",
			into: func(c *Config) any { return &c.Traces.Off }},
	}
}
