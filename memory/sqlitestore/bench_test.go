package sqlitestore_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/graph"
	"maru/bot"
	"maru/memory/memtest"
)

// BenchmarkMessage is all that the record does for one message, from its
// arrival to its finished answer.
func BenchmarkMessage(b *testing.B) {
	for _, mode := range []string{"normal", "full"} {
		for _, par := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/threads=%d", mode, par), func(b *testing.B) { benchMessage(b, mode == "full", par) })
		}
	}
}

func benchMessage(b *testing.B, full bool, par int) {
	s := open(b, full)
	var n, steps atomic.Int64
	var put, claim, next, opened, ref, finish atomic.Int64
	timed := func(sum *atomic.Int64, do func()) {
		t := time.Now()
		do()
		sum.Add(int64(time.Since(t)))
	}
	must := func(err error) {
		if err != nil {
			b.Error(err)
		}
	}
	b.SetParallelism((par + 1) / 2)
	body := json.RawMessage(`{"text":"` + strings.Repeat("연차 ", 20) + `","thread":{"platform":"slack"}}`)
	card := json.RawMessage(`{"text":"` + strings.Repeat("답 ", 100) + `"}`)
	b.ResetTimer()
	work := func(step func() bool) {
		th := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: fmt.Sprint(n.Add(1))}
		key := th.Key()
		ctx := b.Context()
		for step() {
			id := fmt.Sprintf("%s/%d", key, steps.Add(1))
			entry := bot.Entry{ID: id, Thread: key, Text: string(body), At: time.Now()}
			timed(&put, func() {
				_, err := s.Put(ctx, bot.Item{ID: id, Thread: key, Kind: bot.ItemMessage, Order: id, Body: body, Entry: &entry})
				must(err)
			})
			var l bot.Lease
			timed(&claim, func() {
				var err error
				l, _, err = s.Claim(ctx, key, "w", time.Minute)
				must(err)
			})
			timed(&next, func() {
				_, _, err := s.Next(ctx, l)
				must(err)
			})
			timed(&opened, func() {
				_, _, err := s.Open(ctx, l, bot.Reply{Run: id, Item: id, Card: card})
				must(err)
			})
			r := bot.Ref{Thread: th, Messages: []string{id}}
			timed(&ref, func() { must(s.SetRef(ctx, l, id, r)) })
			timed(&finish, func() {
				must(s.Finish(ctx, l, id, bot.Outcome{
					Reply: &bot.Reply{Run: id, Item: id, Ref: r, State: bot.ReplyFinal, Card: card},
					Entry: &bot.Entry{ID: "r" + id, Own: true, Text: string(card)},
				}))
				must(s.Release(ctx, l))
			})
		}
	}
	if par == 1 {
		work(b.Loop)
	} else {
		b.RunParallel(func(pb *testing.PB) { work(pb.Next) })
	}
	per := float64(b.N) * 1000
	for name, sum := range map[string]*atomic.Int64{"put": &put, "claim": &claim, "next": &next, "open": &opened, "ref": &ref, "finish+release": &finish} {
		b.ReportMetric(float64(sum.Load())/per, name+"-µs")
	}
}

// BenchmarkAppend is one super-step's record of 300 bytes.
func BenchmarkAppend(b *testing.B) {
	body := json.RawMessage(`"` + strings.Repeat("x", 298) + `"`)
	for _, mode := range []string{"normal", "full"} {
		for _, par := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/threads=%d", mode, par), func(b *testing.B) {
				s := open(b, mode == "full")
				var n atomic.Int64
				b.SetParallelism((par + 1) / 2)
				work := func(step func() bool) {
					thread := fmt.Sprintf("slack/T1/C1/%d", n.Add(1))
					for seq := int64(1); step(); seq++ {
						r := graph.Record{Thread: thread, Seq: seq, Kind: graph.RecordStep, Turn: "run", At: time.Now(), Body: body}
						if err := s.Append(b.Context(), 0, r); err != nil {
							b.Error(err)
						}
					}
				}
				b.ResetTimer()
				if par == 1 {
					work(b.Loop)
				} else {
					b.RunParallel(func(pb *testing.PB) { work(pb.Next) })
				}
			})
		}
	}
}

// BenchmarkMemorySearch is a search among 100,000 records of 1,000 people.
func BenchmarkMemorySearch(b *testing.B) { memtest.BenchMemory(b, open(b, false).Memory(), nil) }

// BenchmarkTranscript reads the last messages of a thread, which every message does several times with
// different limits.
func BenchmarkTranscript(b *testing.B) {
	s := open(b, false)
	th := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	for i := range 20 {
		id := fmt.Sprintf("%s/%02d", th.Key(), i)
		entry := bot.Entry{ID: id, Thread: th.Key(), Text: "hello", At: time.Now()}
		if _, err := s.Put(b.Context(), bot.Item{ID: id, Thread: th.Key(), Kind: bot.ItemMessage, Order: id, Entry: &entry}); err != nil {
			b.Fatal(err)
		}
	}
	limits := []int{6, 12, 1000}
	for n := 0; b.Loop(); n++ {
		if _, err := s.Transcript(b.Context(), th.Key(), limits[n%len(limits)]); err != nil {
			b.Fatal(err)
		}
	}
}
