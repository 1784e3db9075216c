package redisstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
	"maru/memory/memtest/servers"
	"maru/memory/redisstore"
)

// processes opens a store, given as its prefix and the server's URL.
func processes(place string) graphtest.Processes {
	return graphtest.Processes{
		Child: "TestGraphChild", Place: place,
		Open: func(ctx context.Context, place string) (graph.Checkpointer, func() error, error) {
			prefix, url, _ := strings.Cut(place, " ")
			s, err := redisstore.Open(ctx, redisstore.Config{URL: url, Prefix: prefix, Timeout: time.Minute})
			if err != nil {
				return nil, nil, err
			}
			return s.Log(), s.Close, nil
		},
	}
}

func place(t *testing.T) string {
	t.Helper()
	_, _, prefix := open(t) // whose keys are removed after the test
	return prefix + " " + servers.Redis(t)
}

// TestGraphChild is the process that is killed, or one of two that race.
func TestGraphChild(t *testing.T) { processes("").Serve(t) }

func TestGraphSurvivesKills(t *testing.T) {
	t.Parallel()
	processes(place(t)).RunKills(t)
}

func TestTwoProcessesRaceOnOneThread(t *testing.T) {
	t.Parallel()
	processes(place(t)).RunRaces(t)
}
