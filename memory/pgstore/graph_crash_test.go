package pgstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
	"maru/memory/pgstore"
)

// processes opens a schema, given as its name and the server's URL.
func processes(place string) graphtest.Processes {
	return graphtest.Processes{
		Child: "TestGraphChild", Place: place,
		Open: func(ctx context.Context, place string) (graph.Checkpointer, func() error, error) {
			schema, url, _ := strings.Cut(place, " ")
			s, err := pgstore.Open(ctx, pgstore.Config{URL: url, Schema: schema, Timeout: time.Minute, Patience: time.Minute})
			if err != nil {
				return nil, nil, err
			}
			return s, s.Close, nil
		},
	}
}

func place(t *testing.T) string {
	t.Helper()
	cfg := config(t)
	return cfg.Schema + " " + cfg.URL
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
