package metrics_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"maru/metrics"
)

// TestScrape: queues and servers are asked when somebody scrapes, and a tool that a model
// invents makes no series of its own.
func TestScrape(t *testing.T) {
	t.Parallel()
	queue := func(n int) metrics.Queue {
		return func(context.Context) (int, time.Time, error) { return n, time.Now().Add(-time.Minute), nil }
	}
	m := metrics.New("v1", queue(3), queue(0), nil)
	m.Servers(func() []metrics.Server { return []metrics.Server{{Name: "files", Up: true, Tools: 2}} })
	counted := metrics.Tools{Recorder: m, Known: func(name string) bool { return name == "calculator" }}
	counted.ToolCall("calculator", false, time.Second)
	counted.ToolCall("invented", true, time.Second)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		"maru_inbox_depth 3", "maru_jobs_depth 0", "maru_jobs_oldest_age_seconds 0", `maru_mcp_server_up{server="files"} 1`, `maru_build_info{version="v1"} 1`,
		`maru_tool_calls_total{result="ok",tool="calculator"} 1`, `maru_tool_calls_total{result="error",tool="unknown"} 1`,
	} {
		if !strings.Contains(w.Body.String(), want+"\n") {
			t.Errorf("%s is not in the metrics", want)
		}
	}
}
