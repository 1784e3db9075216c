package sqlitestore_test

import (
	"context"
	"path/filepath"
	"testing"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
	"maru/memory/sqlitestore"
)

// processes opens a file with every commit on disk before it is acknowledged.
func processes(place string) graphtest.Processes {
	return graphtest.Processes{
		Child: "TestGraphChild", Place: place,
		Open: func(ctx context.Context, place string) (graph.Checkpointer, func() error, error) {
			s, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: place, Full: true})
			if err != nil {
				return nil, nil, err
			}
			return s, s.Close, nil
		},
	}
}

// TestGraphChild is the process that is killed.
func TestGraphChild(t *testing.T) { processes("").Serve(t) }

func TestGraphSurvivesKills(t *testing.T) {
	t.Parallel()
	processes(filepath.Join(t.TempDir(), "maru.db")).RunKills(t)
}
