package exchange_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"maru/agent"
	"maru/bot/exchange"
)

func call(prompt, reply string) agent.Event {
	return agent.Event{Kind: agent.EventModelCall, Name: "answer", Exchange: &agent.Exchange{
		Prompt: []agent.Spoken{{Role: "system", Text: "Answer."}, {Role: "user", Text: prompt}},
		Reply:  agent.Spoken{Role: "assistant", Text: reply, Calls: []agent.SpokenCall{{Name: "search", Arguments: `{"q":"` + prompt + `"}`}}},
	}}
}

func used(t *testing.T, list ...agent.Known) agent.Event {
	t.Helper()
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return agent.Event{Kind: agent.EventMemory, Data: raw}
}

// unpacked returns the words of all rows.
func unpacked(t *testing.T, rows []exchange.Row) string {
	t.Helper()
	var out strings.Builder
	for _, r := range rows {
		e, err := exchange.Unpack(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%+v\n", e)
	}
	return out.String()
}

func TestAnExchangeIsPackedAndUnpacked(t *testing.T) {
	t.Parallel()
	events := []agent.Event{{Kind: agent.EventNodeStart, Node: "answer"}, call("휴가가 며칠이야?", "15일이에요 [1]."), call("휴가가 며칠이야?", "15일이에요 [1].")}
	out, rows := exchange.Pack(events)
	if len(rows) != 1 || out[1].Call == "" || out[1].Call != out[2].Call || out[1].Exchange != nil || out[0].Call != "" || events[1].Exchange == nil {
		t.Fatalf("%+v, %+v", out, rows)
	}
	said, err := exchange.Unpack(rows[0])
	if e := said[out[1].Call]; err != nil || len(said) != 1 || e.Prompt[1].Text != "휴가가 며칠이야?" || e.Reply.Text != "15일이에요 [1]." || e.Reply.Calls[0].Name != "search" {
		t.Errorf("%+v, %v", said, err)
	}
	if _, err := exchange.Unpack(exchange.Row{ID: "x", Body: []byte("no gzip")}); err == nil {
		t.Error("a broken row is read")
	}
}

// TestMemoryOfAPersonIsNotKept: neither its words, nor anything where they are not known.
func TestMemoryOfAPersonIsNotKept(t *testing.T) {
	t.Parallel()
	likes := agent.Known{ID: "m1", Text: `likes "short" answers`}
	events := []agent.Event{used(t, likes), call(`Known: likes "short" answers; {"text":"likes \"short\" answers"}`, `You like: likes "short" answers`)}
	_, rows := exchange.Pack(events)
	if got := unpacked(t, rows); len(rows) != 1 || strings.Contains(got, "short") || !strings.Contains(got, "Known: …") {
		t.Errorf("kept %s", got)
	}
	earlier := []agent.Event{used(t, agent.Known{ID: "m2"}), used(t, likes), call("what an earlier process knew", "yes")}
	if out, rows := exchange.Pack(earlier); len(rows) != 0 || out[2].Call != "" {
		t.Errorf("kept %s", unpacked(t, rows))
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("가나다 ", 200_000)
	out, rows := exchange.Pack([]agent.Event{call("begins "+long+" ends", "ok")})
	said, err := exchange.Unpack(rows[0])
	if text := said[out[0].Call].Prompt[1].Text; err != nil || len(text) > 17<<10 || !utf8.ValidString(text) || !strings.HasPrefix(text, "begins ") || !strings.HasSuffix(text, " ends") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	var many []agent.Event
	for i := range 500 {
		many = append(many, call(fmt.Sprint("question ", i), "answer"))
	}
	out, rows = exchange.Pack(many)
	if len(rows) != 1 || out[59].Call == "" || out[60].Call != "" || out[60].Name != "answer" {
		t.Errorf("%d rows", len(rows))
	}
	many = many[:80]
	for i := range many {
		many[i] = call(fmt.Sprint("question ", i, long), "answer")
	}
	out, rows = exchange.Pack(many)
	kept := map[string]agent.Exchange{}
	for _, r := range rows {
		some, err := exchange.Unpack(r)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(kept, some)
	}
	for i := range 60 {
		if !strings.HasPrefix(kept[out[i].Call].Prompt[1].Text, fmt.Sprint("question ", i, "가")) {
			t.Errorf("call %d is not kept: %q", i, out[i].Call)
		}
	}
	if len(rows) < 10 || out[60].Call != "" {
		t.Errorf("%d rows of 60 long exchanges", len(rows))
	}
	if out, rows = exchange.Pack(nil); len(out) != 0 || len(rows) != 0 {
		t.Errorf("%v, %v", out, rows)
	}
}

// TestPackingAllocatesLittle bounds the memory for a message's calls, which are packed while many others are. Not
// parallel: others would count.
func TestPackingAllocatesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("counts memory, which race instrumentation changes")
	}
	events := []agent.Event{call("휴가가 며칠이야?", "15일이에요 [1]."), call("and then?", "ten more")}
	exchange.Pack(events)
	const times = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if _, rows := exchange.Pack(events); len(rows) != 1 {
			t.Fatalf("%d rows", len(rows))
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 64<<10 {
		t.Errorf("packing two calls allocates %d bytes", each)
	}
}

// TestPackingSideBySide: compressors are shared, bodies are not.
func TestPackingSideBySide(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				want := fmt.Sprint("question ", i, " ", n)
				out, rows := exchange.Pack([]agent.Event{call(want, "answer")})
				if said, err := exchange.Unpack(rows[0]); err != nil || said[out[0].Call].Prompt[1].Text != want {
					t.Errorf("%q became %+v, %v", want, said, err)
				}
			}
		})
	}
	all.Wait()
}
