package metering_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/metering"
	"maru/bot"
)

// sums keeps what is spent, by channel.
type sums map[string]agent.Usage

func (s sums) Spend(_ context.Context, u bot.Used) error {
	all := s[u.Team+"/"+u.Channel]
	all.Add(u.Usage)
	s[u.Team+"/"+u.Channel] = all
	return nil
}

// paid is an embedder that uses a token for each byte.
type paid struct{}

func (paid) Name() string { return "paid" }

func (paid) Embed(ctx context.Context, _ llm.TextKind, texts []string) ([][]float32, error) {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	llm.Report(ctx, llm.Call{Purpose: llm.ForEmbedding, Model: "paid", Usage: llm.Usage{Input: n}})
	return make([][]float32, len(texts)), nil
}

func newMeter(s sums) *metering.Meter {
	return metering.New(metering.Config{
		Sums: s, Price: func(u agent.Usage) float64 { return float64(u.Input) }, Now: time.Now, Zone: time.UTC, Log: slog.New(slog.DiscardHandler),
	})
}

// TestEmbeddingsAreChargedToTheirChannels: by the length of their texts, so that the shares add
// up to the call, which is counted once.
func TestEmbeddingsAreChargedToTheirChannels(t *testing.T) {
	t.Parallel()
	s := sums{}
	e := newMeter(s).Embedder(paid{}, bot.SpentIndexing)
	texts := []string{"12345", "123", "1", "1"}
	scopes := []string{"channel:slack/T1/C1", "channel:slack/T1/C2", "channel:slack/T1/C1", bot.ScopePublic}
	if _, err := e.EmbedPassages(t.Context(), llm.PassageText, texts, scopes); err != nil {
		t.Fatal(err)
	}
	calls, input, cost := 0, 0, 0.0
	for _, u := range s {
		calls, input, cost = calls+u.Calls, input+u.Input, cost+u.Cost
	}
	if calls != 1 || input != 10 || cost != 10 {
		t.Errorf("%d calls, %d tokens, cost %v: %+v", calls, input, cost, s)
	}
	if a, b, own := s["slack/T1/C1"], s["slack/T1/C2"], s["/"]; a.Input != 6 || b.Input != 3 || own.Input != 1 {
		t.Errorf("shares: %+v", s)
	}
}

// TestCallsOfARunAreTheRuns: what a run embeds is in its account alone.
func TestCallsOfARunAreTheRuns(t *testing.T) {
	t.Parallel()
	s := sums{}
	heard := 0
	ctx := llm.Listen(t.Context(), func(llm.Call) { heard++ })
	if _, err := newMeter(s).Embedder(paid{}, bot.SpentMemory).Embed(ctx, llm.QuestionText, []string{"question"}); err != nil || heard != 1 || len(s) != 0 {
		t.Errorf("heard %d, sums %+v, %v", heard, s, err)
	}
}
