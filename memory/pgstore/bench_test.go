package pgstore_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
	"maru/memory/memtest"
	"maru/memory/pgstore"
)

// BenchmarkMessage is all that the record does for one message, from its
// arrival to its finished answer: seven calls, seven round trips.
func BenchmarkMessage(b *testing.B) {
	for _, par := range []int{1, 16} {
		b.Run(fmt.Sprintf("threads=%d", par), func(b *testing.B) { benchMessage(b, par) })
	}
}

func benchMessage(b *testing.B, par int) {
	s := open(b, config(b))
	var threads, messages atomic.Int64
	body := json.RawMessage(`{"text":"` + strings.Repeat("연차 ", 20) + `","thread":{"platform":"slack"}}`)
	card := json.RawMessage(`{"text":"` + strings.Repeat("답 ", 100) + `"}`)
	work := func(step func() bool) {
		th := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: fmt.Sprint(threads.Add(1))}
		key, ctx := th.Key(), b.Context()
		check := func(err error) {
			if err != nil {
				b.Error(err)
			}
		}
		for step() {
			id := fmt.Sprintf("%s/%d", key, messages.Add(1))
			_, err := s.Put(ctx, bot.Item{ID: id, Thread: key, Kind: bot.ItemMessage, Order: id, Body: body, Entry: &bot.Entry{ID: id, Text: string(body)}})
			check(err)
			l, _, err := s.Claim(ctx, key, "w", time.Minute)
			check(err)
			_, _, err = s.Next(ctx, l)
			check(err)
			_, _, err = s.Open(ctx, l, bot.Reply{Run: id, Item: id, Card: card})
			check(err)
			ref := bot.Ref{Thread: th, Messages: []string{id}}
			check(s.SetRef(ctx, l, id, ref))
			check(s.Finish(ctx, l, id, bot.Outcome{
				Reply: &bot.Reply{Run: id, Item: id, Ref: ref, State: bot.ReplyFinal, Card: card},
				Entry: &bot.Entry{ID: "r" + id, Own: true, Text: string(card)},
			}))
			check(s.Release(ctx, l))
		}
	}
	b.ResetTimer()
	if par == 1 {
		work(b.Loop)
		return
	}
	b.SetParallelism((par + 1) / 2)
	b.RunParallel(func(pb *testing.PB) { work(pb.Next) })
}

// BenchmarkMemorySearch is a search among 100,000 records of 1,000 people.
func BenchmarkMemorySearch(b *testing.B) {
	s := open(b, config(b))
	memtest.BenchMemory(b, s.Memory(), func() float64 { return processorTime(b, s) })
}

// processorTime returns how many seconds of a processor the store's own server
// processes have used, 0 where they are on another machine.
func processorTime(b *testing.B, s *pgstore.Store) float64 {
	b.Helper()
	ticks := 0
	for _, pid := range s.PIDs(b.Context()) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // the name may hold spaces
		for _, field := range strings.Fields(rest)[11:13] {
			n, err := strconv.Atoi(field)
			if err != nil {
				b.Fatal(err)
			}
			ticks += n
		}
	}
	return float64(ticks) / 100 // USER_HZ
}
