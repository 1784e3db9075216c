package pgvector_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/pgvector"
	"maru/rag/ragtest"
)

// TestChangingTheModel changes the embedding model, ends the program twice while
// the new one is at work, and looks on: the old vectors answer until every
// passage has a new one, documents are taken all the while, and nothing is
// embedded twice.
func TestChangingTheModel(t *testing.T) {
	t.Parallel()
	for _, way := range ways[:2] {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			changing(t, way.config(t))
		})
	}
}

func changing(t *testing.T, cfg pgvector.Config) {
	var oldCalls, newCalls atomic.Int64
	ask := rag.Query{Text: "휴가는 얼마나 되나요?", Scopes: []string{"public"}}
	before := cfg
	before.Embed, before.EmbedModel = ragtest.Concepts(&oldCalls), "before"
	x := open(t, before)
	fill(t, x)
	doc, chunks := ragtest.Doc("public", "more", make([]string, 150)...)
	for i := range chunks {
		chunks[i].Text = fmt.Sprintf("Report %d about machines.", i)
	}
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the old vectors", func() bool { return oldCalls.Load() >= 213 })
	eventually(t, "an answer of the old vectors", func() bool { return first(t, x, ask) == "vacation" })
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}

	known := ragtest.Concepts(&newCalls)
	batches, asked := make(chan struct{}, 100), make(chan struct{}, 100)
	after := cfg
	after.EmbedModel = "after"
	after.Embed = func(ctx context.Context, texts, _ []string) ([][]float32, error) {
		if len(texts) == 1 && texts[0] == ask.Text {
			return known(ctx, texts, nil)
		}
		asked <- struct{}{}
		select {
		case <-batches:
			return known(ctx, texts, nil)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	after.EmbedOld = func(model string) rag.Embed {
		if model != "before" {
			t.Errorf("the model before is %q", model)
		}
		return ragtest.Concepts(&oldCalls)
	}
	for round := range 2 { // one batch each, then the program ends in the middle of the next
		x = open(t, after)
		batches <- struct{}{}
		for range 2 {
			<-asked
		}
		newly := newCalls.Load()
		if got := first(t, x, ask); got != "vacation" || newCalls.Load() != newly {
			t.Errorf("round %d: the old vectors do not serve: %q", round, got)
		}
		add(t, x, "public", fmt.Sprint("meanwhile", round), fmt.Sprintf("A ferry departs in the morning, %d.", round))
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		// A program that ends leaves its lease; the next waits until it runs out.
		exec(t.Context(), t, cfg, "UPDATE "+cfg.Schema+".rag_index_models SET until = now()")
	}
	for range 20 {
		batches <- struct{}{}
	}
	x = open(t, after)
	eventually(t, "the new vectors take over", func() bool {
		old := oldCalls.Load()
		return first(t, x, ask) == "vacation" && oldCalls.Load() == old
	})
	if n := newCalls.Load(); n < 215 || n > 240 { // and the questions
		t.Errorf("the new model embedded %d texts, want each of 215 once", n)
	}
}

// TestWhatWasLearnedOutlivesARestart: what questions taught about a model lies beside its vectors.
func TestWhatWasLearnedOutlivesARestart(t *testing.T) {
	t.Parallel()
	cfg := ways[0].config(t)
	var calls atomic.Int64
	cfg.Embed, cfg.EmbedModel = ragtest.Concepts(&calls), "concepts-1"
	x := open(t, cfg)
	fill(t, x)
	eventually(t, "vectors", func() bool { return calls.Load() >= 1 })
	stored := func() (sure float64) {
		conn, err := pgx.Connect(t.Context(), cfg.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(context.Background()) }()
		err = conn.QueryRow(t.Context(), "SELECT coalesce((learned->>'sure')::float8, 0) FROM "+pgx.Identifier{cfg.Schema}.Sanitize()+".rag_index_models").Scan(&sure)
		if err != nil {
			t.Fatal(err)
		}
		return sure
	}
	ask := func(x *pgvector.Index) {
		if _, err := x.Search(t.Context(), rag.Query{Text: "days of vacation", Scopes: []string{"public"}}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all vectors", func() bool {
		c, err := x.Embedded(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c.Complete() && c.All > 60
	})
	eventually(t, "lessons", func() bool { ask(x); return stored() >= 16 })
	first := stored()
	x = open(t, cfg)
	for range 17 {
		ask(x)
	}
	if second := stored(); second < first+16 {
		t.Errorf("%v lessons, %v after a restart", first, second)
	}
}
