package telemetry

import (
	"log/slog"
	"strings"
	"testing"

	"maru/config"
)

// TestTelemetry: OpenTelemetry's own variables say what a collector gets, and where.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env                      []string
		traces, metrics          string
		traceHeader, pointHeader string
	}{
		"nothing": {},
		"one endpoint for both": {
			env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318/", "OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20b"}, traces: "http://c:4318/v1/traces", metrics: "http://c:4318/v1/metrics",
			traceHeader: "a b", pointHeader: "a b",
		},
		"metrics alone":      {env: []string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m/otlp"}, metrics: "http://m/otlp"},
		"no metrics":         {env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_METRICS_EXPORTER=none"}, traces: "http://c/v1/traces"},
		"metrics are pulled": {env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_METRICS_EXPORTER=Prometheus"}, traces: "http://c/v1/traces"},
		"both ways":          {env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_METRICS_EXPORTER=prometheus, otlp", "OTEL_TRACES_EXPORTER=none"}, metrics: "http://c/v1/metrics"},
		"headers of their own": {
			env: []string{
				"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_HEADERS=api-key=both", "OTEL_EXPORTER_OTLP_METRICS_HEADERS=api-key=m",
				"OTEL_EXPORTER_OTLP_TRACES_HEADERS=api-key=t",
			}, traces: "http://c/v1/traces", metrics: "http://c/v1/metrics", traceHeader: "t", pointHeader: "m",
		},
		"off": {env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_SDK_DISABLED=true"}},
	} {
		cfg, _, err := config.Load(config.Source{Environ: tt.env})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c := cfg.Telemetry
		traces, points := address(c, c.Traces, "/v1/traces"), address(c, c.Metrics, "/v1/metrics")
		if traces != tt.traces || points != tt.metrics {
			t.Errorf("%s: %q and %q", name, traces, points)
		}
		if (Traces(c, "v1", slog.Default()) != nil) != (tt.traces != "") || (Metrics(c, nil, "v1", slog.Default()) != nil) != (tt.metrics != "") {
			t.Errorf("%s: the exporters are others", name)
		}
		if headers(c, c.Traces)["api-key"] != tt.traceHeader || headers(c, c.Metrics)["api-key"] != tt.pointHeader {
			t.Errorf("%s: headers %v and %v", name, headers(c, c.Traces), headers(c, c.Metrics))
		}
		if c.Interval != 60_000 {
			t.Errorf("%s: every %d ms", name, c.Interval)
		}
	}
}

// TestTemporalityAndCompression: the variables of a signal go before those of both, in any case of letters, and a wrong value is
// reported with its name.
func TestTemporalityAndCompression(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env             []string
		traces, metrics bool // compressed
		temporality     string
		wrong           string
	}{
		"nothing":      {temporality: "cumulative"},
		"both":         {env: []string{"OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=Delta"}, traces: true, metrics: true, temporality: "delta"},
		"metrics only": {env: []string{"OTEL_EXPORTER_OTLP_METRICS_COMPRESSION=GZIP"}, metrics: true, temporality: "cumulative"},
		"not traces": {
			env:     []string{"OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=none", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=lowmemory"},
			metrics: true, temporality: "lowmemory",
		},
		"unknown compression": {env: []string{"OTEL_EXPORTER_OTLP_COMPRESSION=zstd"}, wrong: "OTEL_EXPORTER_OTLP_COMPRESSION"},
		"unknown temporality": {env: []string{"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=deltas"}, wrong: "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"},
	} {
		cfg, _, err := config.Load(config.Source{Environ: tt.env})
		if tt.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c := cfg.Telemetry
		if got := client(c, c.Traces, "", nil, ""); got.Gzip != tt.traces {
			t.Errorf("%s: traces are compressed: %t", name, got.Gzip)
		}
		if got := client(c, c.Metrics, "", nil, ""); got.Gzip != tt.metrics || c.Temporality != tt.temporality {
			t.Errorf("%s: metrics are compressed: %t, %s", name, got.Gzip, c.Temporality)
		}
	}
}
