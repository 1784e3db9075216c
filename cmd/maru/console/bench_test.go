package console_test

import (
	"fmt"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/exchange"
	"maru/bot/overview"
	"maru/rag"
)

// BenchmarkThousandRuns measures what the pages of runs read of a record with 1,000 runs of three model calls each, whose
// prompts have 12 KiB.
func BenchmarkThousandRuns(b *testing.B) {
	o := newOffice(b)
	th := func(i int) bot.Thread {
		return bot.Thread{Platform: "slack", Team: "T1", Channel: fmt.Sprint("C", i%20), ID: fmt.Sprint(i)}
	}
	var last string
	var call string
	size := 0
	for i := range 1000 {
		o.ran(b, fmt.Sprint("m", i), th(i))
		last = bot.Message{ID: fmt.Sprint("m", i), Thread: th(i)}.Run()
		var events []agent.Event
		for c := range 3 {
			var prompt []byte
			for n := 0; len(prompt) < 12<<10; n++ {
				prompt = fmt.Appendf(prompt, "Passage %d of run %d, call %d: annual leave is %d days, 연차 %d일. ", n, i, c, n*7%31, n*5%29)
			}
			events = append(events, agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Calls: 1}, Exchange: &agent.Exchange{
				Prompt: []agent.Spoken{{Role: "user", Text: string(prompt)}}, Reply: agent.Spoken{Role: "assistant", Text: "It is 15 days [1]."},
			}})
		}
		events, rows := exchange.Pack(events)
		call = events[2].Call
		for _, r := range rows {
			size += len(r.Body)
		}
		o.traced(b, last, th(i), events)
		if err := o.record.SaveExchanges(b.Context(), last, th(i).Key(), time.Now(), rows); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if list, err := o.ListRuns(b.Context(), operator, bot.Thread{}, overview.RunQuery{Limit: 51}); err != nil || len(list) != 51 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			v, err := o.Trace(b.Context(), operator, last)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := o.Explain(b.Context(), operator, v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("prompt", func(b *testing.B) {
		for b.Loop() {
			if _, err := o.Exchange(b.Context(), operator, bot.Thread{}, last, call); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(size)/1000, "stored-bytes/run")
	})
}

// BenchmarkThousandSchedules measures what a page of schedules reads of a record with 1,000 of them.
func BenchmarkThousandSchedules(b *testing.B) {
	o := newOffice(b)
	for i := range 1000 {
		o.planned(b, fmt.Sprint("s", i), fmt.Sprint("U", i%50), bot.Thread{Platform: "slack", Team: "T1", Channel: fmt.Sprint("C", i%20), ID: fmt.Sprint(i)})
	}
	for b.Loop() {
		list, err := o.ListSchedules(b.Context(), operator, home)
		if err != nil || len(list) != 1000 {
			b.Fatal(len(list), err)
		}
		for _, s := range list[:50] {
			if _, _, err := o.LastRun(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkTenThousandDocuments measures what the page of documents reads of an index with 10,000 of them.
func BenchmarkTenThousandDocuments(b *testing.B) {
	o := newOffice(b)
	for i := range 10_000 {
		scope := []string{bot.ScopePublic, "team:slack/T1", "channel:slack/T1/C1"}[i%3]
		id := rag.DocumentID(scope, fmt.Sprint("rule-", i, ".md"))
		doc := rag.Document{ID: id, Scope: scope, Title: fmt.Sprint("Rule ", i), Source: fmt.Sprint("rule-", i, ".md"), At: time.Now(), Chunks: 1}
		if err := o.docs.Put(b.Context(), doc, []rag.Chunk{{ID: id + "#0", Document: id, Text: fmt.Sprint("Rule ", i, " is about travel.")}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if list, err := o.AllDocuments(b.Context(), operator, home); err != nil || len(list) != 10_000 {
			b.Fatal(len(list), err)
		}
	}
}
