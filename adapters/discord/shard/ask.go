package shard

import (
	"context"
	"net/http"
	"strings"

	"maru/adapters/discord/rest"
)

// Info is the API's description of the gateway.
type Info struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"` // that Discord recommends
	Limit  *struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// maxShards bounds the API's recommendation: 256 shards serve 400,000 servers.
const maxShards = 256

func (g Info) shards() int { return min(max(g.Shards, 1), maxShards) }

// concurrency returns how many shards may identify concurrently.
func (g Info) concurrency() int {
	if g.Limit == nil {
		return 1
	}
	return max(g.Limit.Concurrency, 1)
}

// Ask requests the gateway's URL and the limits of shards and sessions.
func Ask(ctx context.Context, api caller) (Info, error) {
	var g Info
	err := api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/gateway/bot", Bucket: "gateway bot", Out: &g, Again: true, Urgent: true})
	if rest.StatusOf(err) == http.StatusNotFound {
		err = api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/gateway", Bucket: "gateway", Out: &g, Again: true, Urgent: true})
	}
	g.URL = strings.TrimRight(g.URL, "/")
	return g, err
}
