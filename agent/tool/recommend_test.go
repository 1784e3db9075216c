package tool_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"maru/agent/llm"
	"maru/agent/tool"
)

func spec(name, description, properties string) tool.Spec {
	return tool.Spec{
		Name: name, Description: description,
		Parameters: []byte(`{"type":"object","properties":{` + properties + `}}`),
		Policy:     tool.Policy{ReadOnly: true},
	}
}

// shelf returns a small shop of tools.
func shelf() []tool.Spec {
	return []tool.Spec{
		spec("get_weather", "Current conditions of a place.", `"city":{"type":"string"}`),
		spec("airquality", "Get the forecast for any zip code.", ``),
		spec("jira_create_issue", "Creates an issue in a project.", `"assignee":{"type":"string","description":"who is on call"}`),
		spec("wiki_search", "사내 위키에서 문서를 검색합니다.", ``),
		spec("send_mail", "Sends an e-mail.", `"recipient":{"type":"string"},"attachments":{"type":"array","items":{"type":"object","properties":{"filename":{"type":"string"}}}}`),
	}
}

func names(found []tool.Recommendation) string {
	var out []string
	for _, f := range found {
		out = append(out, f.Spec.Name)
	}
	return strings.Join(out, " ")
}

func TestToolsAreFoundByNameDescriptionAndParameters(t *testing.T) {
	t.Parallel()
	r := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
	r.Add(shelf()...)
	for task, want := range map[string]string{
		"What is the weather in Seoul?":      "get_weather",       // a part of the name
		"how good is the quality of the air": "airquality",        // a piece of a name without marks
		"create the issues":                  "jira_create_issue", // another form of the word
		"whoever is on call shall look":      "jira_create_issue", // a parameter's description
		"rename the filename":                "send_mail",         // a parameter inside a list
		"위키에서 휴가 규정 찾아줘":                     "wiki_search",       // Korean with a particle
	} {
		found := r.Recommend(t.Context(), tool.Want{Task: task})
		if len(found) == 0 || found[0].Spec.Name != want {
			t.Errorf("%s: %q, want %s first", task, names(found), want)
		}
	}
	if found := r.Recommend(t.Context(), tool.Want{Task: "zzyzx 12345"}); len(found) != 0 {
		t.Errorf("a task of no tool found %s", names(found))
	}
	if found := r.Recommend(t.Context(), tool.Want{Task: "issue weather mail search air", Limit: 2}); len(found) != 2 {
		t.Errorf("limit 2 gave %s", names(found))
	}
}

func TestToolsAreFoundByTheTopicOfAWord(t *testing.T) {
	t.Parallel()
	r := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
	r.Add(
		spec("tunes", "Plays an album of any artist.", ``),
		spec("sky", "The forecast for a place.", ``),
		spec("umbrellas", "Umbrellas in all sizes.", ``),
		spec("ledger", "Keeps notes of meetings.", ``),
	)
	for task, want := range map[string]string{
		"the lyrics of a song":      "tunes",         // shares no word with it
		"노래 틀어줘":                    "tunes",         // nor a language
		"will there be rain":        "umbrellas sky", // both are of it, the shorter text first
		"an umbrella for the rain":  "umbrellas sky", // the word itself counts more
		"the colour of a zebrafish": "",
	} {
		if got := names(r.Recommend(t.Context(), tool.Want{Task: task})); got != want {
			t.Errorf("%s: %q, want %q", task, got, want)
		}
	}
	r.Remove("tunes")
	if got := names(r.Recommend(t.Context(), tool.Want{Task: "the lyrics of a song"})); got != "" {
		t.Errorf("a tool that is gone was found by its topic: %q", got)
	}
}

// standings is a memory made of a map.
type standings map[string]tool.Standing

func (s standings) Standings(context.Context, []string) (map[string]tool.Standing, error) {
	if s == nil {
		return nil, errors.New("memory is away")
	}
	return s, nil
}

func TestMemoryReordersWhatWordsFind(t *testing.T) {
	t.Parallel()
	r := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
	r.Add(
		spec("a_search", "search things", ``), spec("b_search", "search things", ``), spec("c_search", "search things", ``))
	want := tool.Want{Task: "search"}
	for name, c := range map[string]struct {
		memory tool.Memory
		past   []tool.Use
		order  string
	}{
		"nothing is known":     {nil, nil, "a_search b_search c_search"},
		"one succeeded":        {standings{"c_search": {Success: 0.9, Uses: 10}}, nil, "c_search a_search b_search"},
		"one shall be avoided": {standings{"a_search": {Success: 1, Uses: 9, Avoid: true}}, nil, "b_search c_search a_search"},
		"memory fails":         {standings(nil), nil, "a_search b_search c_search"},
		"a rate without uses":  {standings{"c_search": {Success: 1}}, nil, "a_search b_search c_search"},
		"a like task worked":   {nil, []tool.Use{{Task: "search", Tool: "b_search", OK: true}}, "b_search a_search c_search"},
		"a like task failed":   {nil, []tool.Use{{Task: "search", Tool: "a_search"}, {Task: "search", Tool: "gone", OK: true}}, "b_search c_search a_search"},
	} {
		w := want
		w.Memory, w.Past = c.memory, c.past
		if got := names(r.Recommend(t.Context(), w)); got != c.order {
			t.Errorf("%s: %s, want %s", name, got, c.order)
		}
	}
}

// The vectors of a model that knows that dogs and puppies are alike.
type meanings struct {
	mu   sync.Mutex
	fail bool
}

func (m *meanings) Name() string { return "meanings" }

func (m *meanings) Embed(_ context.Context, _ llm.TextKind, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail {
		return nil, errors.New("the endpoint is away")
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, 64)
		for j, c := range []byte(t) {
			v[2+(j*7+int(c))%62] += 0.01
		}
		if strings.Contains(t, "puppy") || strings.Contains(t, "dog") {
			v[0] = 1
		}
		out[i] = v
	}
	return out, nil
}

func TestMeaningFindsWhatWordsMiss(t *testing.T) {
	t.Parallel()
	model := &meanings{}
	r := tool.NewRecommender(model, slog.New(slog.DiscardHandler))
	for i := range 200 {
		r.Add(spec(fmt.Sprintf("tool%d", i), "some thing", ``))
	}
	r.Add(spec("kennel", "finds a dog", ``))
	r.Embed(t.Context())
	found := r.Recommend(t.Context(), tool.Want{Task: "puppy"})
	if len(found) == 0 || found[0].Spec.Name != "kennel" || found[0].Why.Meaning <= 0 {
		t.Fatalf("found %+v", found)
	}
	model.mu.Lock()
	model.fail = true
	model.mu.Unlock()
	r.Add(spec("later", "brushes fur", ``))
	r.Embed(t.Context())
	if got := names(r.Recommend(t.Context(), tool.Want{Task: "brush the fur"})); got != "later" {
		t.Errorf("without the model: %q", got)
	}
}

func TestAnIndexThatChangedIsAnIndexBuiltAnew(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := []string{"mail", "weather", "issue", "search", "wiki", "calendar"}
		text := rapid.SliceOfN(rapid.SampledFrom(words), 1, 5)
		changed := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
		now := map[string]tool.Spec{}
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			name := rapid.SampledFrom([]string{"a_one", "b_two", "c_three", "d_four", "e_five"}).Draw(t, "name")
			if rapid.Bool().Draw(t, "remove") {
				changed.Remove(name)
				delete(now, name)
				continue
			}
			s := spec(name, strings.Join(text.Draw(t, "description"), " "), ``)
			changed.Add(s)
			now[name] = s
		}
		fresh := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
		for _, s := range now {
			fresh.Add(s)
		}
		w := tool.Want{Task: strings.Join(text.Draw(t, "task"), " ")}
		a, b := changed.Recommend(context.Background(), w), fresh.Recommend(context.Background(), w)
		if names(a) != names(b) || changed.Len() != len(now) {
			t.Fatalf("changed: %s (%d), anew: %s (%d)", names(a), changed.Len(), names(b), len(now))
		}
		if !slices.IsSortedFunc(a, func(x, y tool.Recommendation) int { return int(1e6 * (y.Score - x.Score)) }) {
			t.Fatalf("not in order: %+v", a)
		}
	})
}

// TestToolsThatComeAndGoTakeNoMemory lets tools come and go while nobody searches.
func TestToolsThatComeAndGoTakeNoMemory(t *testing.T) { //nolint:paralleltest // it measures the heap
	for name, as := range map[string]func(int) string{
		"one_name":  func(int) string { return "flapping" },
		"new_names": func(i int) string { return fmt.Sprint("flapping", i) },
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // it measures the heap
			r := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
			r.Add(shelf()...)
			if r.Len() != len(shelf()) {
				t.Fatalf("%d tools", r.Len())
			}
			live := func() int64 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return int64(m.HeapAlloc) //nolint:gosec // far below its bound
			}
			before := live()
			for i := range 50_000 {
				r.Add(spec(as(i), "comes and goes", ``))
				r.Remove(as(i), "get_weather")
			}
			if grown := live() - before; grown > 1<<20 {
				t.Errorf("the heap grew by %d KiB", grown>>10)
			}
			if found := names(r.Recommend(t.Context(), tool.Want{Task: "what comes and goes"})); r.Len() != len(shelf())-1 || found != "" {
				t.Errorf("%d tools, found %s", r.Len(), found)
			}
		})
	}
}

func TestAModelIsOfferedTheFewThatFit(t *testing.T) {
	t.Parallel()
	r := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
	var all []llm.Tool
	for i := range 200 {
		s := spec(fmt.Sprintf("tool_%03d", i), "does something", ``)
		r.Add(s)
		all = append(all, llm.Tool{Name: s.Name})
	}
	r.Add(spec("zoo_tickets", "Buys tickets for the zoo.", ``), spec("zoo_secret", "Zoo tickets that are not on offer.", ``))
	all = append(all, llm.Tool{Name: "zoo_tickets"})
	got := r.Narrow(t.Context(), []string{"two tickets for the zoo, please"}, all, tool.RoomAlone)
	if len(got) != tool.MaxOffered || got[len(got)-1].Name != "zoo_tickets" || got[0].Name != "tool_000" {
		t.Errorf("offered %+v", got)
	}
	if got := r.Narrow(t.Context(), []string{"zoo"}, all[:5], tool.RoomAlone); len(got) != 5 {
		t.Errorf("few tools became %d", len(got))
	}
	if got := r.Narrow(t.Context(), []string{"two tickets for the zoo, please"}, all, tool.Room{Most: 3, Bytes: 1000}); len(got) != 3 || got[2].Name != "zoo_tickets" {
		t.Errorf("of three, offered %+v", got)
	}
	var none *tool.Recommender
	if got := none.Narrow(t.Context(), []string{"zoo"}, all, tool.RoomAlone); len(got) != tool.MaxOffered {
		t.Errorf("without a recommender %d are offered", len(got))
	}
}
