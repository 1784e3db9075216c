package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// embedding is the purpose of calls that make vectors.
const embedding = "embedding"

// conventional makes the two figures of OpenTelemetry's conventions for generative AI, with the buckets that these ask
// for. Their names are those that the conventions' names become in Prometheus.
func (m *Recorder) conventional() (operation, usage *prometheus.HistogramVec) {
	operation = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gen_ai_client_operation_duration_seconds", Help: "Time of calls of models, by the conventions for generative AI.",
		Buckets: prometheus.ExponentialBuckets(.01, 2, 14),
	}, []string{"gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model", "error_type"})
	usage = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gen_ai_client_token_usage", Help: "Tokens of one call of a model, by the conventions for generative AI.",
		Buckets: prometheus.ExponentialBuckets(1, 4, 14),
	}, []string{"gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model", "gen_ai_token_type"})
	m.registry.MustRegister(operation, usage)
	return operation, usage
}

// Gather returns everything that [Recorder.Handler] shows, and besides an error what could be read.
func (m *Recorder) Gather() ([]*dto.MetricFamily, error) { return m.registry.Gather() }
