package config

// Telemetry is where an OpenTelemetry collector gets traces of runs and metrics. It is off without an endpoint. The names
// of its settings are OpenTelemetry's own.
type Telemetry struct {
	Traces, Metrics Signal

	Endpoint    string   // of OTLP/HTTP, without the path of a signal
	Headers     Secret   // key=value, separated by commas
	Compression string   // "gzip" or "none"
	Service     string   // service.name
	Resource    []string // more attributes, key=value
	Content     bool     // traces tell what tools are given and give
	Interval    int      // between two requests with metrics, in milliseconds
	Temporality string   // of metrics: "cumulative", "delta" or "lowmemory"
	Off         bool
}

// Signal is what holds of traces or of metrics alone.
type Signal struct {
	Exporters   []string // without "otlp" nothing is sent
	Endpoint    string   // whole, instead of Telemetry's
	Headers     Secret   // instead of Telemetry's
	Compression string   // instead of Telemetry's
}

func telemetrySettings() []Setting {
	const sent = "`otlp`, `none`, or `prometheus`, which `/metrics` on ADMIN_ADDR always is; several separated by commas"
	return []Setting{
		{Var: "OTEL_EXPORTER_OTLP_ENDPOINT", Key: "traces.endpoint", Help: "OTLP over HTTP of an OpenTelemetry collector, such as http://127.0.0.1:4318: it gets each run as a trace, and metrics; unset means neither",
			into: func(c *Config) any { return &c.Telemetry.Endpoint }, rule: webURL},
		{Var: "OTEL_EXPORTER_OTLP_HEADERS", Key: "traces.headers", Secret: true, Help: "headers of each request, `key=value`, separated by commas",
			into: func(c *Config) any { return &c.Telemetry.Headers }},
		{Var: "OTEL_EXPORTER_OTLP_COMPRESSION", Key: "traces.compression", Default: "none", Help: "compression of requests to the collector: `gzip` or `none`",
			into: func(c *Config) any { return &c.Telemetry.Compression }, rule: oneOf("gzip", "none"), fold: true},
		{Var: "OTEL_TRACES_EXPORTER", Key: "traces.exporter", Default: "otlp", Help: "whether traces are sent: `otlp` or `none`",
			into: func(c *Config) any { return &c.Telemetry.Traces.Exporters }, rule: oneOf("otlp", "none"), fold: true},
		{Var: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", Key: "traces.traces_endpoint", Help: "the whole address for traces, instead",
			into: func(c *Config) any { return &c.Telemetry.Traces.Endpoint }, rule: webURL},
		{Var: "OTEL_EXPORTER_OTLP_TRACES_HEADERS", Key: "traces.traces_headers", Secret: true, Help: "the headers of traces, instead",
			into: func(c *Config) any { return &c.Telemetry.Traces.Headers }},
		{Var: "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", Key: "traces.traces_compression", Help: "the compression of traces, instead",
			into: func(c *Config) any { return &c.Telemetry.Traces.Compression }, rule: oneOf("gzip", "none"), fold: true},
		{Var: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", Key: "traces.content", Default: "false", Help: "traces hold what tools were given and gave; prompts and answers are never in them",
			into: func(c *Config) any { return &c.Telemetry.Content }},
		{Var: "OTEL_METRICS_EXPORTER", Key: "metrics.exporter", Default: "otlp", Help: "whether metrics are sent: " + sent,
			into: func(c *Config) any { return &c.Telemetry.Metrics.Exporters }, rule: each(oneOf("otlp", "prometheus", "none")), fold: true},
		{Var: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", Key: "metrics.endpoint", Help: "the whole address for metrics, instead",
			into: func(c *Config) any { return &c.Telemetry.Metrics.Endpoint }, rule: webURL},
		{Var: "OTEL_EXPORTER_OTLP_METRICS_HEADERS", Key: "metrics.headers", Secret: true, Help: "the headers of metrics, instead",
			into: func(c *Config) any { return &c.Telemetry.Metrics.Headers }},
		{Var: "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", Key: "metrics.compression", Help: "the compression of metrics, instead",
			into: func(c *Config) any { return &c.Telemetry.Metrics.Compression }, rule: oneOf("gzip", "none"), fold: true},
		{Var: "OTEL_METRIC_EXPORT_INTERVAL", Key: "metrics.interval", Default: "60000", Help: "milliseconds from one request with metrics to the next; they are also sent once when the program stops",
			into: func(c *Config) any { return &c.Telemetry.Interval }, rule: between(100, 86_400_000)},
		{Var: "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", Key: "metrics.temporality", Default: "cumulative", Help: "what sums and histograms count from: `cumulative`, the start; `delta`, the last request that was taken; `lowmemory`, as delta but for those of the Go runtime and the process",
			into: func(c *Config) any { return &c.Telemetry.Temporality }, rule: oneOf("cumulative", "delta", "lowmemory"), fold: true},
		{Var: "OTEL_SERVICE_NAME", Key: "traces.service", Default: "maru", Help: "service.name of both",
			into: func(c *Config) any { return &c.Telemetry.Service }},
		{Var: "OTEL_RESOURCE_ATTRIBUTES", Key: "traces.resource", Help: "more attributes of both, `key=value`, separated by commas",
			into: func(c *Config) any { return &c.Telemetry.Resource }},
		{Var: "OTEL_SDK_DISABLED", Key: "traces.off", Default: "false", Help: "neither traces nor metrics, whatever else is set",
			into: func(c *Config) any { return &c.Telemetry.Off }},
	}
}
