package tool_test

import (
	"bufio"
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/tool"
	"maru/datatest"
)

// metaTool is the set MetaTool: tools, and tasks in people's words with the tools
// that do them (HowieHwong/MetaTool, MIT).
type metaTool struct {
	tools []tool.Spec
	tasks []task
}

type task struct {
	id, text string
	right    map[string]bool
	heldOut  bool // not looked at while the constants were fitted
}

func readMetaTool(t testing.TB) metaTool {
	t.Helper()
	var m metaTool
	type row struct {
		ID   string `json:"_id"`
		Text string `json:"text"`
	}
	rows := func(name string, each func(line string)) {
		f, err := os.Open(filepath.Join(datatest.Dir(t), "metatool", name))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		for r := bufio.NewReader(f); ; {
			line, err := r.ReadString('\n')
			if line = strings.TrimSpace(line); line != "" {
				each(line)
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	object := func(line string) (r row) {
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	rows("corpus.jsonl", func(line string) {
		r := object(line)
		m.tools = append(m.tools, tool.Spec{Name: r.ID, Description: r.Text, Policy: tool.Policy{ReadOnly: true}})
	})
	right := map[string]map[string]bool{}
	rows("qrels.tsv", func(line string) {
		fields := strings.Split(line, "\t")
		if right[fields[0]] == nil {
			right[fields[0]] = map[string]bool{}
		}
		right[fields[0]][fields[1]] = true
	})
	rows("queries.jsonl", func(line string) {
		r := object(line)
		h := fnv.New32a()
		_, _ = h.Write([]byte(r.ID))
		m.tasks = append(m.tasks, task{r.ID, r.Text, right[r.ID], h.Sum32()%2 == 1})
	})
	return m
}

// remembered returns a memory of past tasks: at most perTool of each tool, none of them
// held out. It finds the alike ones by their words, as long-term memory does.
func (m metaTool) remembered(perTool int) func(text string) []tool.Use {
	uses, count := map[string]tool.Use{}, map[string]int{}
	tasks := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
	for _, q := range m.tasks {
		for name := range q.right {
			if q.heldOut || count[name] >= perTool || len(q.right) > 1 {
				continue
			}
			count[name]++
			uses[q.id] = tool.Use{Task: q.text, Tool: name, OK: true}
			tasks.Add(tool.Spec{Name: q.id, Description: q.text})
		}
	}
	return func(text string) []tool.Use {
		var out []tool.Use
		for _, r := range tasks.Recommend(context.Background(), tool.Want{Task: text, Limit: 30}) {
			out = append(out, uses[r.Spec.Name])
		}
		return out
	}
}

// gain is nDCG@10 of one answer.
func gain(found []tool.Recommendation, right map[string]bool) float64 {
	var got, best float64
	for i, f := range found[:min(10, len(found))] {
		if right[f.Spec.Name] {
			got += 1 / math.Log2(float64(i+2))
		}
	}
	for i := range min(10, len(right)) {
		best += 1 / math.Log2(float64(i+2))
	}
	return got / best
}

// TestMetaTool measures how well tools are found for tasks in people's words, on
// the half of the tasks that no constant was fitted on, and fails when a figure
// falls. bleve reaches 0.526 on the whole set.
func TestMetaTool(t *testing.T) {
	if testing.Short() {
		t.Skip("a figure, of one goroutine")
	}
	t.Parallel()
	m := readMetaTool(t)
	every := 10
	if os.Getenv("MARU_EVAL_FULL") == "1" {
		every = 1
	}
	finder := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
	finder.Add(m.tools...)
	for _, c := range []struct {
		name    string
		perTool int
		least   float64
		full    bool
	}{
		{"words alone", 0, 0.62, false},
		{"5 past tasks of each tool", 5, 0.65, false},
		{"all past tasks of the other half", math.MaxInt, 0.85, true},
	} {
		if c.full && every > 1 {
			continue
		}
		past := m.remembered(c.perTool)
		var sum float64
		asked := 0
		for i, q := range m.tasks {
			if !q.heldOut || i%every != 0 {
				continue
			}
			asked++
			sum += gain(finder.Recommend(t.Context(), tool.Want{Task: q.text, Limit: 10, Past: past(q.text)}), q.right)
		}
		figure := sum / float64(asked)
		t.Logf("%-34s %d tasks  nDCG@10 %.4f", c.name, asked, figure)
		if figure < c.least {
			t.Errorf("%s: nDCG@10 %.4f, want at least %.2f", c.name, figure, c.least)
		}
	}
}
