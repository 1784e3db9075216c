package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
	"maru/agent/llm/openai/schema"
	"maru/agent/llm/openai/toolcall"
)

// Model is a chat model behind an endpoint. It is safe for concurrent use.
type Model struct {
	cfg      Config
	doer     *doer
	known    memory
	contexts contexts
	counts   counts
	strict   rewritten // for strict mode
	tools    schema.Tools
}

var _ llm.Model = (*Model)(nil)

// New returns the chat model that cfg names. It does not call the endpoint;
// [Model.Ping] does.
func New(cfg Config) (*Model, error) {
	cfg = cfg.withDefaults()
	if strings.TrimSpace(cfg.Model) == "" {
		return nil, errors.New("model endpoint: OPENAI_MODEL is not set: name the chat model to use")
	}
	d, err := cfg.connect()
	if err != nil {
		return nil, err
	}
	return &Model{
		cfg: cfg, doer: d, strict: rewritten{rewrite: schema.Strict},
	}, nil
}

// Name implements [llm.Model].
func (m *Model) Name() string { return m.cfg.Model }

// Endpoint returns the host that is asked.
func (m *Model) Endpoint() string { return m.cfg.host() }

// Close lets idle connections go.
func (m *Model) Close() { m.doer.http.CloseIdleConnections() }

// Ping asks the endpoint for its models, which costs nothing, and returns their
// names.
func (m *Model) Ping(ctx context.Context) ([]string, error) {
	k := &call{}
	ctx, done := m.cfg.begin(ctx, k)
	defer done()
	list, err := m.doer.client(k).ListModels(ctx)
	if err != nil {
		return nil, m.explain(ctx, err, nil, m.cfg.Model)
	}
	var names []string
	for _, x := range list.Models {
		names = append(names, x.ID)
	}
	return names, nil
}

// begin gives a call its deadlines.
func (c Config) begin(ctx context.Context, k *call) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	k.first, k.idle, k.cancel = c.First, c.Idle, cancel
	ctx, stop := context.WithTimeoutCause(ctx, c.Total, errTotal)
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// generate makes a call. A request that the endpoint refuses because of a feature is
// made again without it, before any text was given: the one that the refusal names, or, where it
// names none, at most three others, one after the other. What helped is left out for a day.
func (m *Model) generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	name := fallback(req.Model, m.cfg.Model)
	if most := m.cfg.MaxTokens; most > 0 && (req.MaxTokens == 0 || req.MaxTokens > most) {
		req.MaxTokens = most
	}
	origin := m.cfg.origin(name)
	known, whole := m.cfg.Refusals.get(origin, m.cfg.Now()), m.known.wholeAt(name, m.cfg.Now())
	now := attempt{req: known.fitted(req), quirks: m.cfg.Vision.start(known), origin: origin}
	if err := m.fit(ctx, &now, name); err != nil {
		return llm.Response{}, err
	}
	var t trial
	var passing []reduction // to be remembered if the request goes through
	var wasted llm.Usage    // of a reply to a prompt that was cut
	told, shorter := false, 0
	say := func(piece string) {
		told = true
		if onDelta != nil {
			onDelta(piece)
		}
	}
	for range 12 + maxWithout { // there are fewer features than that
		sent := now
		sent.quirks.NoStream = now.quirks.NoStream || whole
		resp, err := m.once(ctx, sent, name, say)
		odd, isPiece := errors.AsType[*notStream](err)
		if t.first != nil && (err == nil || isPiece) && m.cfg.Vision.keeps(t.last.what) {
			m.learn(origin, name, t.last.what, t.helped(known, now))
		}
		if err == nil || isPiece {
			for _, r := range passing {
				r.leave(&known, now)
				m.learn(origin, name, r.what, known)
			}
			passing = nil
		}
		if err == nil {
			if !sent.quirks.NoStream {
				m.known.streamed(name)
			}
			resp.Saw = now.shows()
			cut := !resp.Saw && m.counted(ctx, sent, name, resp.Usage) // how many tokens a picture has is the server's to say
			if resp.Usage.Add(wasted); !cut {
				return resp, nil
			}
			next, again, err := m.afterCut(ctx, now, name, told && onDelta != nil)
			if !again {
				return resp, err
			}
			now, told, wasted = next, false, resp.Usage
			continue
		}
		if isPiece {
			m.known.cameWhole(name, m.cfg.Now())
			var got sdk.ChatCompletionResponse
			if json.Unmarshal(odd.answer, &got) == nil && len(got.Choices) > 0 { // nobody pays for it twice
				resp, err := takeWhole(now, got, name, say)
				resp.Saw = now.shows()
				return resp, err
			}
			whole = true
			continue
		}
		size, prompt := contextOf(err)
		if size > 0 && known.Context != size {
			known.Context = size
			m.learn(origin, name, fmt.Sprintf("prompts and replies of more than %d tokens", size), known)
		}
		if told { // what was given cannot be taken back here
			return resp, withoutEcho(err, contents(req.Messages)...)
		}
		if less, ok := fitInto(now.req, size, prompt); ok && !m.cfg.Whole && shorter < maxReductions {
			now.req, shorter = less, shorter+1
			continue
		}
		if r, learned, how := lesson(err, now); learned {
			r.leave(&now.quirks, now)
			if how == keepLate {
				passing = append(passing, r)
			}
			if how == keep && m.cfg.Vision.keeps(r.what) {
				r.leave(&known, now)
				m.learn(origin, name, r.what, known)
			}
			continue
		}
		if t.first == nil && !unexplainedRefusal(err) {
			return resp, withoutEcho(err, contents(req.Messages)...)
		}
		if t.first == nil {
			t.begin(err, now)
		}
		next, ok := t.next(now)
		if !ok || !unexplainedRefusal(err) {
			return llm.Response{}, withoutEcho(t.first, contents(req.Messages)...)
		}
		now = next
	}
	return llm.Response{}, &llm.Error{Class: llm.BadRequest, Model: name, Detail: "the endpoint keeps refusing the request's features"}
}

// learn remembers what a model does not take. Where it cannot be kept it is learned again.
func (m *Model) learn(origin, name, what string, q quirks) {
	_ = m.cfg.Refusals.learn(origin, name, what, q, m.cfg.Now())
}

// once makes one call.
func (m *Model) once(ctx context.Context, now attempt, name string, onDelta func(string)) (llm.Response, error) {
	k := &call{}
	ctx, done := m.cfg.begin(ctx, k)
	defer done()
	k.first = max(k.first, min(now.req.First, m.cfg.Total))
	now.req = now.quirks.offering(now.req)
	wire, zero := m.build(now, name)
	if len(wire.Tools) > 0 {
		k.tools = m.tools.Of(now.req.Tools, now.quirks.PlainTools)
	}
	k.zero, k.extra = zero, !now.quirks.NoExtra && carriesExtra(now.req.Messages, now.origin)
	if k.messages = apart(wire.Messages); len(k.messages) > 0 {
		wire.Messages = []sdk.ChatCompletionMessage{{}} // for [schema.WithLists]
	}
	if now.quirks.NoStream {
		return m.whole(ctx, k, now, wire, onDelta)
	}
	stream, err := m.doer.client(k).CreateChatCompletionStream(ctx, wire)
	if err != nil {
		return llm.Response{}, m.explain(ctx, err, k, name)
	}
	defer func() { _ = stream.Close() }()
	a := assembly{onDelta: onDelta, model: name, origin: now.origin, written: toolcall.NewReader(now.req)}
	a.thought.expected = m.known.thinksFirst(name)
	for {
		chunk, err := k.body.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if a.finish != "" && !garbled(err, k) {
				break // all but the counting has come
			}
			return llm.Response{}, m.explain(ctx, err, k, name)
		}
		if err := a.add(chunk); err != nil {
			return llm.Response{}, err
		}
		if a.over() {
			break // closing the stream stops the server
		}
		if a.finish != "" {
			k.body.hurry(afterFinish)
		}
	}
	ended := k.body.sse.done
	if reason := a.finish != ""; ended && a.choices > 0 && (reason || !a.called()) {
		ended = m.known.finished(name, reason)
	}
	resp, err := a.response(now.req, ended)
	if err == nil && (a.thought.unopened || now.req.Schema == nil) {
		m.known.thought(name, a.thought.unopened)
	}
	return resp, err
}

// garbled reports whether a stream failed by what came, not by ending.
func garbled(err error, k *call) bool {
	var e *llm.Error
	return errors.As(err, &e) || k.body != nil && k.body.err == nil
}

// whole makes a call without streaming.
func (m *Model) whole(ctx context.Context, k *call, now attempt, wire sdk.ChatCompletionRequest, onDelta func(string)) (llm.Response, error) {
	k.first = m.cfg.Total // nothing comes until all is there
	wire.StreamOptions = nil
	got, err := m.doer.client(k).CreateChatCompletion(ctx, wire)
	if err != nil {
		return llm.Response{}, m.explain(ctx, err, k, wire.Model)
	}
	return takeWhole(now, got, wire.Model, onDelta)
}

// takeWhole reads a reply that came in one piece.
func takeWhole(now attempt, got sdk.ChatCompletionResponse, name string, onDelta func(string)) (llm.Response, error) {
	a := assembly{onDelta: onDelta, model: name, origin: now.origin, written: toolcall.NewReader(now.req)}
	if err := a.addWhole(got); err != nil {
		return llm.Response{}, err
	}
	return a.response(now.req, true)
}

// explain classes whatever go-openai gives back. Nearly all of it was classed in
// the doer; what is left is broken JSON, a broken connection and go-openai's own
// refusals.
func (m *Model) explain(ctx context.Context, err error, k *call, name string) error {
	return m.doer.explain(ctx, err, k, name)
}

func (d *doer) explain(ctx context.Context, err error, k *call, name string) error {
	var e *llm.Error
	if errors.As(err, &e) {
		e.Model = name
		return e
	}
	if odd, ok := errors.AsType[*notStream](err); ok {
		return odd
	}
	if cause := context.Cause(ctx); cause != nil {
		return named(ended(ctx, cause), name)
	}
	if k != nil && k.body != nil && k.body.err != nil {
		return named(broken(k.body.err), name)
	}
	if k != nil && k.body == nil {
		// go-openai refused before anything was sent
		return &llm.Error{Class: llm.BadRequest, Model: name, Detail: d.redact(err.Error())}
	}
	return &llm.Error{Class: llm.Garbage, Model: name, Detail: d.redact(fmt.Sprintf("the reply cannot be read: %v", err))}
}

// broken classes a read that failed: something had come, so the reply was cut.
func broken(err error) error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	return &llm.Error{Class: llm.Cut, Detail: "the connection broke in the middle of the reply"}
}

func named(err error, name string) error {
	var e *llm.Error
	if errors.As(err, &e) {
		e.Model = name
	}
	return err
}
