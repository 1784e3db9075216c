package memtest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"maru/memory/longterm"
)

// RunMemoryVectors checks that a store with vectors finds a record without a shared word.
func RunMemoryVectors(t *testing.T, s longterm.Store) {
	t.Helper()
	m := longterm.New(longterm.Config{Store: s, Embed: func(_ context.Context, texts []string, _ bool) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, text := range texts {
			out[i] = []float32{0.1, 0, 0.2} // of everything else
			if strings.Contains(text, "holiday") || strings.Contains(text, "vacation") {
				out[i] = []float32{0, 1, 0}
			}
		}
		return out, nil
	}})
	mina := mina
	mina.Person += rand.Text() // a server with vectors may be shared
	for i, task := range []string{"plan the vacation", "write the invoice", "fix the build"} {
		noErr(t, "learn", m.Tools.Consolidate(t.Context(), mina, task, later(i), longterm.ToolLesson{Task: task, Tool: "x", Success: true}))
	}
	hits, err := m.Tools.Search(t.Context(), mina, "holiday", 5)
	noErr(t, "search", err)
	if len(hits) != 1 || hits[0].Data.Task != "plan the vacation" || hits[0].Relevance < 0.99 {
		t.Errorf("by meaning: %+v", hits)
	}
	hits, err = m.Tools.Search(t.Context(), mina, "build", 5)
	noErr(t, "search", err)
	if len(hits) == 0 || hits[0].Data.Task != "fix the build" {
		t.Errorf("by word: %+v", hits)
	}
	other := mina
	other.Person = "slack/T1/U9"
	if hits, err = m.Tools.Search(t.Context(), other, "holiday", 5); err != nil || len(hits) != 0 {
		t.Errorf("somebody else's: %+v, %v", hits, err)
	}
	ids := []string{}
	for _, r := range everything(t, s, mina) {
		ids = append(ids, r.ID)
	}
	_, err = s.Move(t.Context(), mina.Person, ids, "team:slack/T1", m.Fold)
	noErr(t, "move", err)
	hits, err = m.Tools.Search(t.Context(), mina, "holiday", 5)
	noErr(t, "search", err)
	equal(t, "moved with its vector", len(hits), 1)
}
