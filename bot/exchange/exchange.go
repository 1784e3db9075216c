// Package exchange defines the storage of prompts and replies of a run's model calls, for people who inspect the
// run. They are kept for days, and deleted with anything they may quote: see [Store].
//
// It knows no model and no page.
package exchange

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"maru/agent"
	"maru/bot"
)

// Limits of the stored exchanges of one run.
const (
	maxCalls   = 60        // exchanges
	maxText    = 16 << 10  // bytes of one message; its beginning and end stay
	maxBody    = 256 << 10 // bytes of all bodies
	maxUnpacks = 4 << 20   // bytes that a body may unpack to
)

// Row is a stored exchange.
type Row struct {
	ID   string // of the model call in the run's trace: agent.Event.Call
	Body []byte // compressed JSON of an agent.Exchange
}

// Store stores exchanges of runs.
//
// SaveRunWith is bot.Record.SaveRun and SaveExchanges in one transaction. SaveExchanges adds rows of a stored run, and
// ignores other runs; existing rows stay. They are deleted with their run, and all rows of a thread are deleted when one
// of its messages is edited, deleted or expires, or a person is withdrawn from it, since any later prompt may quote these.
//
// Exchanges lists the rows of a run. DropExchanges deletes those of a thread. PruneExchanges deletes those saved
// before a time, a few thousand at most, and returns their number.
type Store interface {
	SaveRunWith(ctx context.Context, run bot.Run, at time.Time, rows []Row) error
	SaveExchanges(ctx context.Context, run, thread string, at time.Time, rows []Row) error
	Exchanges(ctx context.Context, run string) ([]Row, error)
	DropExchanges(ctx context.Context, thread string) error
	PruneExchanges(ctx context.Context, before time.Time) (int, error)
}

// Pack extracts the exchanges from a trace's events: the events get their IDs, and the rows are to be stored. The
// texts of the person's memories that the events name are removed, as in the trace; if some are unknown because an
// earlier process used them, nothing is stored.
func Pack(events []agent.Event) ([]agent.Event, []Row) {
	hide, known := hiding(events)
	out := make([]agent.Event, len(events))
	var rows []Row
	size := 0
	for i, e := range events {
		if e.Exchange != nil && known && len(rows) < maxCalls {
			// An exchange that cannot be stored leaves the call in the trace without its text.
			if r, err := pack(bounded(*e.Exchange, hide)); err == nil && size+len(r.Body) <= maxBody {
				size += len(r.Body)
				rows = append(rows, r)
				e.Call = r.ID
			}
		}
		e.Exchange = nil
		out[i] = e
	}
	return out, rows
}

// hiding returns a replacer for the texts of a person's memories, false if some are unknown.
func hiding(events []agent.Event) (*strings.Replacer, bool) {
	words := map[string]string{} // by ID of the record
	for _, e := range events {
		for _, k := range agent.KnownIn([]agent.Event{e}) {
			words[k.ID] = cmp.Or(strings.TrimSpace(k.Text), words[k.ID])
		}
	}
	var pairs []string
	for _, text := range words {
		if text == "" {
			return nil, false
		}
		pairs = append(pairs, text, "…")
		if raw, err := json.Marshal(text); err == nil { // a text: always
			pairs = append(pairs, strings.Trim(string(raw), `"`), "…")
		}
	}
	return strings.NewReplacer(pairs...), true
}

// bounded returns an exchange with short texts.
func bounded(e agent.Exchange, hide *strings.Replacer) agent.Exchange {
	messages := make([]agent.Spoken, len(e.Prompt))
	for i, m := range e.Prompt {
		messages[i] = short(m, hide)
	}
	given := make([]string, len(e.Given))
	for i, text := range e.Given {
		given[i] = hide.Replace(text)
	}
	e.Prompt, e.Given, e.Reply = messages, given, short(e.Reply, hide)
	return e
}

func short(m agent.Spoken, hide *strings.Replacer) agent.Spoken {
	m.Text = middle(hide.Replace(m.Text))
	calls := make([]agent.SpokenCall, len(m.Calls))
	for i, c := range m.Calls {
		calls[i] = agent.SpokenCall{Name: c.Name, Arguments: middle(hide.Replace(c.Arguments))}
	}
	m.Calls = calls
	return m
}

// Cut replaces the omitted part of a long text.
const Cut = "\n[…]\n"

// middle removes the middle of a long text.
func middle(s string) string {
	if len(s) <= maxText {
		return s
	}
	head, tail := s[:maxText/2], s[len(s)-maxText/2:]
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "") // a cut may fall within a letter
	return head + Cut + tail
}

// compressors are pooled: a new one would cost 0.8 MB of memory for each model call. The fastest level suffices
// for rows that live for days.
var compressors = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one of gzip's own
	}
	return z
}}

// pack encodes an exchange. Its ID follows from its content, so that a retry stores no copy.
func pack(e agent.Exchange) (Row, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return Row{}, fmt.Errorf("encode exchange: %w", err)
	}
	var b bytes.Buffer
	z, _ := compressors.Get().(*gzip.Writer)
	defer compressors.Put(z)
	z.Reset(&b)
	if _, err := z.Write(raw); err != nil {
		return Row{}, fmt.Errorf("compress exchange: %w", err)
	}
	if err := z.Close(); err != nil {
		return Row{}, fmt.Errorf("compress exchange: %w", err)
	}
	sum := sha256.Sum256(raw)
	return Row{ID: hex.EncodeToString(sum[:8]), Body: b.Bytes()}, nil
}

// Unpack returns the exchange of a row.
func Unpack(r Row) (agent.Exchange, error) {
	z, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err != nil {
		return agent.Exchange{}, fmt.Errorf("read exchange: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxUnpacks))
	if err != nil {
		return agent.Exchange{}, fmt.Errorf("read exchange: %w", err)
	}
	var e agent.Exchange
	if err := json.Unmarshal(raw, &e); err != nil {
		return agent.Exchange{}, fmt.Errorf("decode exchange: %w", err)
	}
	return e, nil
}
