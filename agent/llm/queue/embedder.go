package queue

import (
	"context"
	"time"

	"maru/agent/llm"
)

// The sharing of an endpoint with the embedder.
const (
	// QuestionWait is how long the vector of a question waits for its turn. It is sent then: it is short, the search does
	// without it after as long, and many servers make vectors beside a reply.
	QuestionWait = 300 * time.Millisecond

	batch = 16 // texts of documents for one turn: between two batches others have theirs
)

// Embedder returns m, whose calls wait for their turn at the endpoint. Vectors of documents go behind everything that
// somebody waits for; those of questions wait at most [QuestionWait].
func (e *Endpoint) Embedder(m llm.Embedder) llm.Embedder { return &embedder{m, e} }

type embedder struct {
	llm.Embedder

	at *Endpoint
}

// Embed implements [llm.Embedder].
func (m *embedder) Embed(ctx context.Context, kind llm.TextKind, texts []string) ([][]float32, error) {
	if kind == llm.QuestionText {
		return m.question(ctx, texts)
	}
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(batch, len(texts))
		p, err := m.at.enter(ctx, request(texts[:n], true))
		if err != nil {
			return nil, err
		}
		vectors, err := m.send(ctx, p, llm.PassageText, texts[:n])
		if err != nil {
			return nil, err
		}
		out, texts = append(out, vectors...), texts[n:]
	}
	return out, nil
}

func (m *embedder) question(ctx context.Context, texts []string) ([][]float32, error) {
	waits, cancel := context.WithTimeout(ctx, QuestionWait)
	defer cancel()
	p, err := m.at.enter(waits, request(texts, false))
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	return m.send(ctx, p, llm.QuestionText, texts)
}

// request returns the call as the queue orders it.
func request(texts []string, later bool) llm.Request {
	req := llm.Request{Purpose: llm.ForEmbedding, Later: later}
	for _, t := range texts {
		req.Messages = append(req.Messages, llm.Message{Content: t})
	}
	return req
}

// send makes the call at its place, nil for none. How long vectors take says nothing of replies: of the endpoint only a
// refusal for load is learned, and a call that was given up keeps its place.
func (m *embedder) send(ctx context.Context, p *place, kind llm.TextKind, texts []string) ([][]float32, error) {
	if p == nil {
		return m.Embedder.Embed(ctx, kind, texts)
	}
	start, end := time.Now(), outcome{err: errPanicked}
	defer func() {
		end.took = time.Since(start)
		m.at.leave(p, end)
	}()
	out, err := m.Embedder.Embed(ctx, kind, texts)
	end.err = err
	return out, err
}
