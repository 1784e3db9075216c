package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"maru/agent/graph"
)

// keep compiles a graph whose schema is made by fill.
func keep(t *testing.T, fill func(*graph.Schema)) *graph.Plan {
	t.Helper()
	s := graph.NewSchema()
	fill(s)
	b := graph.New("keep", s)
	b.Node("n", nothing, graph.Policy{})
	b.Edge(graph.Start, "n")
	b.Edge("n", graph.End)
	p, err := b.Compile(graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTypedValuesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	var (
		text graph.Chan[string]
		n    graph.Chan[int]
		f    graph.Chan[float64]
		yes  graph.Chan[bool]
		at   graph.Chan[time.Time]
	)
	plan := keep(t, func(s *graph.Schema) {
		text = graph.NewLast(s, "text", graph.PerThread, graph.String())
		n = graph.NewLast(s, "n", graph.PerThread, graph.Int())
		f = graph.NewLast(s, "f", graph.PerThread, graph.Float())
		yes = graph.NewLast(s, "yes", graph.PerThread, graph.Bool())
		at = graph.NewLast(s, "at", graph.PerThread, graph.Time())
	})
	memory := graph.NewMemory()
	when := time.Now().In(time.FixedZone("KST", 9*3600))
	ugly := "\x00\"\\\n\t<&>가\u2028😀" + string([]byte{0xff})
	write := graph.NewRuntime(graph.Config{Checkpointer: memory})
	if _, err := write.Update(t.Context(), plan, "t", 0,
		text.Set(ugly), n.Set(-1<<62), f.Set(0.1), yes.Set(true), at.Set(when)); err != nil {
		t.Fatal(err)
	}
	warm, err := write.Peek(t.Context(), plan, "t")
	if err != nil {
		t.Fatal(err)
	}
	cold, err := graph.NewRuntime(graph.Config{Checkpointer: memory}).Peek(t.Context(), plan, "t")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []graph.State{warm.State, cold.State} {
		if text.Get(s) != strings.ToValidUTF8(ugly, "\uFFFD") || n.Get(s) != -1<<62 || f.Get(s) != 0.1 || !yes.Get(s) || !at.Get(s).Equal(when) {
			t.Errorf("%q %d %v %v %v", text.Get(s), n.Get(s), f.Get(s), yes.Get(s), at.Get(s))
		}
		if at.Get(s) != when.UTC().Round(0) {
			t.Errorf("time %#v is not in its kept form", at.Get(s))
		}
	}
}

type v1 struct {
	Name string `json:"name"`
}

type v2 struct {
	First string `json:"first"`
	Last  string `json:"last"`
}

func TestOlderVersionsAreBroughtUpAndNewerOnesRefused(t *testing.T) {
	t.Parallel()
	var (
		old   graph.Chan[v1]
		olds  graph.List[v1]
		fresh graph.Chan[v2]
		more  graph.List[v2]
	)
	before := keep(t, func(s *graph.Schema) {
		old = graph.NewLast(s, "who", graph.PerThread, graph.JSON[v1]("person", 1))
		olds = graph.NewList(s, "all", graph.PerThread, graph.JSON[v1]("person", 1), nil)
	})
	codec := graph.JSON[v2]("person", 2)
	codec.Upcast = func(_ int, raw []byte) ([]byte, error) {
		var p v1
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		first, last, _ := strings.Cut(p.Name, " ")
		return json.Marshal(v2{first, last})
	}
	after := keep(t, func(s *graph.Schema) {
		fresh = graph.NewLast(s, "who", graph.PerThread, codec)
		more = graph.NewList(s, "all", graph.PerThread, codec, nil)
	})
	ctx, rt := t.Context(), graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	if _, err := rt.Update(ctx, before, "t", 0, old.Set(v1{"Kim Maru"}), olds.Add(v1{"Lee Na"}, v1{"Park Bo"})); err != nil {
		t.Fatal(err)
	}
	res, err := rt.Peek(ctx, after, "t")
	if err != nil || fresh.Get(res.State) != (v2{"Kim", "Maru"}) || len(more.Get(res.State)) != 2 || more.Get(res.State)[1].Last != "Bo" {
		t.Fatalf("%+v %+v %v", fresh.Get(res.State), more.Get(res.State), err)
	}
	if _, err := rt.Update(ctx, after, "t", 0, fresh.Set(v2{"Choi", "Su"})); err != nil {
		t.Fatal(err)
	}
	_, err = rt.Peek(ctx, before, "t")
	var re *graph.RecordError
	if !errors.As(err, &re) || re.Channel != "who" || re.Seq != 2 || !strings.Contains(err.Error(), "newer than this program") {
		t.Fatalf("newer version: %v", err)
	}
}

func TestUnknownFieldsAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	memory := graph.NewMemory()
	rt := graph.NewRuntime(graph.Config{Checkpointer: memory})
	var wide graph.Chan[v2]
	before := keep(t, func(s *graph.Schema) {
		wide = graph.NewLast(s, "who", graph.PerThread, graph.JSON[v2]("person", 1))
	})
	after := keep(t, func(s *graph.Schema) { graph.NewLast(s, "who", graph.PerThread, graph.JSON[v1]("person", 1)) })
	if _, err := rt.Update(t.Context(), before, "t", 0, wide.Set(v2{"a", "b"})); err != nil {
		t.Fatal(err)
	}
	_, err := rt.Peek(t.Context(), after, "t")
	if err == nil || !strings.Contains(err.Error(), `seq 1, channel "who"`) || !strings.Contains(err.Error(), `"first"`) {
		t.Fatalf("error %v, want the field, the channel and the seq", err)
	}
}

func TestWritesByName(t *testing.T) {
	t.Parallel()
	plan := keep(t, func(s *graph.Schema) {
		graph.NewLast(s, "n", graph.PerThread, graph.Int())
		graph.NewFold(s, "sum", graph.PerThread, graph.Int(), func(a, b int) int { return a + b })
		graph.NewList(s, "all", graph.PerThread, graph.JSON[v1]("person", 1), func(p v1) string { return p.Name })
		graph.NewLast(s, "any", graph.PerThread, graph.Any())
	})
	s, ctx := plan.Schema(), t.Context()
	var writes []graph.Write
	good := func(w graph.Write, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
			return
		}
		writes = append(writes, w)
	}
	good(s.Set("n", 3))
	good(s.Set("n", json.RawMessage(`4`)))
	good(s.Add("sum", 5.0))
	good(s.Add("sum", int64(6)))
	good(s.Add("all", map[string]any{"name": "a"}))
	good(s.Add("all", []any{map[string]any{"name": "b"}, map[string]any{"name": "c"}}))
	good(s.Add("all", v1{"d"}))
	good(s.Remove("all", "b"))
	good(s.Set("any", map[string]any{"list": []any{1, "x", 2.5}}))
	for name, bad := range map[string]func() (graph.Write, error){
		"no such channel":       func() (graph.Write, error) { return s.Set("nope", 1) },
		"wrong type":            func() (graph.Write, error) { return s.Set("n", "three") },
		"half a number":         func() (graph.Write, error) { return s.Set("n", 1.5) },
		"no reducer":            func() (graph.Write, error) { return s.Add("n", 1) },
		"unknown field":         func() (graph.Write, error) { return s.Add("all", map[string]any{"nmae": "a"}) },
		"remove from no list":   func() (graph.Write, error) { return s.Remove("n", "a") },
		"a func in a JSON list": func() (graph.Write, error) { return s.Add("all", func() {}) },
	} {
		if _, err := bad(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	if _, err := rt.Update(ctx, plan, "t", 0, writes...); err != nil {
		t.Fatal(err)
	}
	res, err := rt.Peek(ctx, plan, "t")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"n": `4`, "sum": `11`, "all": `[{"name":"a"},{"name":"c"},{"name":"d"}]`, "any": `{"list":[1,"x",2.5]}`,
	} {
		if raw, err := res.State.JSON(name); err != nil || string(raw) != want {
			t.Errorf("%s = %s (%v), want %s", name, raw, err, want)
		}
	}
	if _, ok := res.State.Value("nope"); ok {
		t.Error("a channel that does not exist has a value")
	}
	if infos := s.Channels(); len(infos) != 4 || infos[2].Kind != "list" || infos[2].Type != "person" || infos[2].Life != graph.PerThread {
		t.Errorf("channels %+v", s.Channels())
	}
}

func TestReadersCannotExtendAList(t *testing.T) {
	t.Parallel()
	s := graph.NewSchema()
	list := graph.NewList(s, "list", graph.PerThread, graph.String(), nil)
	var seen [][]string
	b := graph.New("g", s)
	b.Node("n", func(_ context.Context, st graph.State) ([]graph.Write, error) {
		mine := append(list.Get(st), "mine") // appending to what was read is the point
		seen = append(seen, mine)
		return []graph.Write{list.Add("theirs")}, nil
	}, graph.Policy{})
	b.Edge(graph.Start, "n")
	b.Edge("n", graph.End)
	plan, err := b.Compile(graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	for _, turn := range []string{"1", "2", "3", "4"} {
		if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: turn}); err != nil {
			t.Fatal(err)
		}
	}
	for i, mine := range seen {
		if len(mine) != i+1 || mine[i] != "mine" {
			t.Errorf("turn %d read %q", i+1, mine)
		}
	}
}
