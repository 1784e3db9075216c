package shard

import (
	"context"
	"net/http"
	"strings"

	"maru/adapters/discord/rest"
)

// Info is what the API says of the gateway.
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

// maxShards bounds what is believed: beyond it a bot is in 400,000 servers.
const maxShards = 256

func (g Info) shards() int { return min(max(g.Shards, 1), maxShards) }

// concurrency is how many shards may begin their sessions at the same time.
func (g Info) concurrency() int {
	if g.Limit == nil {
		return 1
	}
	return max(g.Limit.Concurrency, 1)
}

// Ask asks where the gateway is and how many shards and sessions there may be.
func Ask(ctx context.Context, api caller) (Info, error) {
	var g Info
	err := api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/gateway/bot", Bucket: "gateway bot", Out: &g, Again: true, Urgent: true})
	if rest.StatusOf(err) == http.StatusNotFound {
		err = api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/gateway", Bucket: "gateway", Out: &g, Again: true, Urgent: true})
	}
	g.URL = strings.TrimRight(g.URL, "/")
	return g, err
}
