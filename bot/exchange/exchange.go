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
	"runtime"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
)

// Limits of the stored exchanges of one run.
const (
	maxCalls   = 60        // exchanges
	maxText    = 16 << 10  // bytes of one message; its beginning and end stay
	maxPacked  = 64 << 10  // bytes of the exchanges of a row, unless it holds a single one
	maxBody    = 256 << 10 // bytes of all bodies
	maxUnpacks = 4 << 20   // bytes that a body may unpack to
)

// Row holds exchanges of a run: together they are compressed and stored for less than each alone.
type Row struct {
	ID   string // follows from the content, so that a retry stores no copy
	Body []byte // compressed JSON of each agent.Exchange, one a line
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
	var p packer
	defer p.putBack()
	for i, e := range events {
		said := e.Exchange
		e.Exchange = nil
		out[i] = e
		if said == nil || !known || p.calls == maxCalls {
			continue
		}
		p.add(bounded(*said, hide), &out[i])
	}
	p.close()
	return out, p.rows
}

// packer collects the exchanges of a run in rows.
type packer struct {
	*press

	rows  []Row
	calls int
	size  int // of the rows' bodies

	events []*agent.Event // of the row being filled
	ids    []string
}

// add encodes an exchange. One that cannot be encoded leaves the call in the trace without its text.
func (p *packer) add(said agent.Exchange, e *agent.Event) {
	if p.press == nil {
		p.press = takePress()
	}
	from := p.raw.Len()
	if err := p.lines.Encode(said); err != nil {
		return
	}
	if from > 0 && p.raw.Len() > maxPacked {
		line := bytes.Clone(p.raw.Bytes()[from:])
		p.raw.Truncate(from)
		p.close()
		p.raw.Write(line)
		from = 0
	}
	line := bytes.TrimSuffix(p.raw.Bytes()[from:], []byte("\n"))
	p.events, p.ids, p.calls = append(p.events, e), append(p.ids, idOf(line)), p.calls+1
}

// close ends a row, and names its exchanges in their events if there is room for it.
func (p *packer) close() {
	if len(p.events) == 0 {
		return
	}
	if body, err := p.packed(); err == nil && p.size+len(body) <= maxBody {
		p.size += len(body)
		p.rows = append(p.rows, Row{ID: idOf([]byte(strings.Join(p.ids, " "))), Body: body})
		for i, e := range p.events {
			e.Call = p.ids[i]
		}
	}
	p.raw.Reset()
	p.events, p.ids = nil, nil
}

// idOf returns the ID of an encoded exchange: agent.Event.Call.
func idOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
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

// press encodes and compresses rows. It is kept: a new compressor would cost 0.8 MB of memory for each model call. The
// fastest level suffices for rows that live for days.
type press struct {
	raw   bytes.Buffer  // of the row being filled
	lines *json.Encoder // into raw
	out   bytes.Buffer
	z     *gzip.Writer // into out
}

// presses holds the idle presses, nil for one that is not made. Packing only computes, so one for each processor
// suffices, two at least: a run that finds none waits for another's. A sync.Pool would drop them at garbage collections.
var presses = func() chan *press {
	c := make(chan *press, max(2, runtime.GOMAXPROCS(0)))
	for range cap(c) {
		c <- nil
	}
	return c
}()

const maxKept = 1 << 20 // bytes

func takePress() *press {
	if p := <-presses; p != nil {
		return p
	}
	p := &press{}
	p.lines = json.NewEncoder(&p.raw)
	z, err := gzip.NewWriterLevel(&p.out, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one of gzip's own
	}
	p.z = z
	return p
}

// putBack keeps the press, if one was taken, unless its row was so large that it would hold much memory.
func (p *packer) putBack() {
	switch {
	case p.press == nil:
		return
	case p.raw.Cap() > maxKept:
		p.press = nil
	default:
		p.raw.Reset()
	}
	presses <- p.press
}

// packed compresses the row that is filled.
func (p *press) packed() ([]byte, error) {
	p.out.Reset()
	p.z.Reset(&p.out)
	if _, err := p.z.Write(p.raw.Bytes()); err != nil {
		return nil, fmt.Errorf("compress exchanges: %w", err)
	}
	if err := p.z.Close(); err != nil {
		return nil, fmt.Errorf("compress exchanges: %w", err)
	}
	return bytes.Clone(p.out.Bytes()), nil
}

// Unpack returns the exchanges of a row by the IDs of their calls.
func Unpack(r Row) (map[string]agent.Exchange, error) {
	z, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("read exchanges: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxUnpacks))
	if err != nil {
		return nil, fmt.Errorf("read exchanges: %w", err)
	}
	out := map[string]agent.Exchange{}
	for line := range bytes.Lines(raw) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		var e agent.Exchange
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("decode exchange: %w", err)
		}
		out[idOf(line)] = e
	}
	return out, nil
}
