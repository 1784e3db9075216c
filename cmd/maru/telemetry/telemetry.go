// Package telemetry makes the exporters to an OpenTelemetry collector from the settings.
package telemetry

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"maru/agent/llm/extractive"
	"maru/config"
	"maru/metrics"
	"maru/metrics/otlp"
	"maru/metrics/push"
	"maru/metrics/spans"
)

// Traces returns the exporter of runs, nil where none is set.
func Traces(t config.Telemetry, version string, log *slog.Logger) *spans.Exporter {
	to := address(t, t.Traces, "/v1/traces")
	if to == "" {
		return nil
	}
	return spans.New(spans.Config{
		To: client(t, t.Traces, to, resource(t), version), Content: t.Content, Log: log,
	})
}

// Metrics returns the exporter of metrics, nil where none is set. Each process is an instance of its own: the sums of two
// replicas under one name would be one that jumps.
func Metrics(t config.Telemetry, m *metrics.Recorder, version string, log *slog.Logger) *push.Exporter {
	to := address(t, t.Metrics, "/v1/metrics")
	if to == "" {
		return nil
	}
	instance := resource(t)
	if instance["service.instance.id"] == "" {
		instance["service.instance.id"] = uuid.NewString()
	}
	return push.New(push.Config{
		To: client(t, t.Metrics, to, instance, version), From: m, Temporality: push.Temporality(t.Temporality),
		Interval: time.Duration(t.Interval) * time.Millisecond, Started: time.Now(), Log: log,
	})
}

// Tried is a collector's answer to a request of one signal without data.
type Tried struct {
	To  string // the address
	Err error  // nil: it takes them
	Fix string // what to do about Err
}

// Try sends a request without data for every signal that is exported. A collector answers it as it answers one with data.
func Try(ctx context.Context, t config.Telemetry, version string) []Tried {
	var out []Tried
	for _, s := range []struct {
		own  config.Signal
		kind otlp.Signal
		path string
	}{{t.Traces, otlp.Traces, "/v1/traces"}, {t.Metrics, otlp.Metrics, "/v1/metrics"}} {
		to := address(t, s.own, s.path)
		if to == "" {
			continue
		}
		one, tried := client(t, s.own, to, resource(t), version), Tried{To: to}
		if tried.Err = one.Post(ctx, s.kind, []any{}); tried.Err != nil {
			tried.Fix = one.Fix(s.kind, tried.Err)
		}
		out = append(out, tried)
	}
	return out
}

// Provider names who serves a model, by the client that asks: every endpoint is asked by OpenAI's protocol.
func Provider(m config.Model) func(model string) string {
	u, err := url.Parse(m.BaseURL)
	azure := m.Azure || err == nil && strings.HasSuffix(u.Hostname(), ".azure.com")
	return func(model string) string {
		switch {
		case model == extractive.Name:
			return "maru"
		case azure:
			return "azure.ai.openai"
		}
		return "openai"
	}
}

// address returns the collector's URL for a signal, "" if the signal is not exported.
func address(t config.Telemetry, s config.Signal, path string) string {
	switch {
	case t.Off || !slices.Contains(s.Exporters, "otlp"):
		return ""
	case s.Endpoint != "":
		return s.Endpoint
	case t.Endpoint != "":
		return strings.TrimRight(t.Endpoint, "/") + path
	}
	return ""
}

// client posts a signal.
func client(t config.Telemetry, s config.Signal, to string, resource map[string]string, version string) otlp.Client {
	return otlp.Client{URL: to, Headers: headers(t, s), Resource: resource, Version: version, Gzip: cmp.Or(s.Compression, t.Compression) == "gzip"}
}

// headers returns those of each request of a signal.
func headers(t config.Telemetry, s config.Signal) map[string]string {
	return pairs(strings.Split(cmp.Or(s.Headers, t.Headers).Reveal(), ","))
}

// resource returns the attributes of the program.
func resource(t config.Telemetry) map[string]string {
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
