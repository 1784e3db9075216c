package discord

import (
	"context"
	"net/http"
	"strings"
)

// gatewayInfo is what the API says of the gateway.
type gatewayInfo struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"` // that Discord recommends
	Limit  *struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// maxShards bounds what is believed: beyond it a bot is in 400,000 servers.
const maxShards = 256

func (g gatewayInfo) shards() int { return min(max(g.Shards, 1), maxShards) }

// concurrency is how many shards may begin their sessions at the same time.
func (g gatewayInfo) concurrency() int {
	if g.Limit == nil {
		return 1
	}
	return max(g.Limit.Concurrency, 1)
}

// askGateway asks where the gateway is and how many shards and sessions there may be.
func askGateway(ctx context.Context, api *rest) (gatewayInfo, error) {
	var g gatewayInfo
	err := api.do(ctx, call{method: http.MethodGet, path: "/gateway/bot", bucket: "gateway bot", out: &g, again: true, urgent: true})
	if statusOf(err) == http.StatusNotFound {
		err = api.do(ctx, call{method: http.MethodGet, path: "/gateway", bucket: "gateway", out: &g, again: true, urgent: true})
	}
	g.URL = strings.TrimRight(g.URL, "/")
	return g, err
}
