package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"maru/agent/llm"
)

// maxLine bounds one event of a stream.
const maxLine = 4 << 20

// events reads a stream of server-sent events. go-openai's reader gathers all lines that are no
// data, gives up after 300 of them, knows one shape of error only, and forgets whether [DONE]
// came; so comments and other fields end here, the data of one event becomes one line, errors
// become ours, and [DONE] is noted.
type events struct {
	buf   []byte // to read into
	raw   []byte // bytes that are not yet cut into lines
	data  []byte // lines of an event that is not whole
	name  string // of the event
	stray []byte // what came before any event and is none: perhaps a reply in one piece
	any   bool   // an event came
	done  bool   // [DONE] was seen
}

// readEvents hands on the data of a stream, one line for each event.
func (b *body) readEvents(p []byte) (int, error) {
	for len(b.out) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.sse.done || b.eof {
			return 0, io.EOF
		}
		if b.sse.buf == nil {
			b.sse.buf = make([]byte, 4<<10)
		}
		n, err := b.fetch(b.sse.buf)
		b.sse.raw = append(b.sse.raw, b.sse.buf[:n]...)
		b.eof = errors.Is(err, io.EOF)
		b.cutLines()
		if b.eof && b.err == nil && !b.sse.done {
			b.endEvents()
		}
		if len(b.sse.raw)+len(b.sse.data) > maxLine {
			b.err = &llm.Error{Class: llm.Garbage, Detail: "one event of the stream is too long"}
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// cutLines reads the lines that have come. They end in LF, CRLF or CR.
func (b *body) cutLines() {
	e := &b.sse
	for !e.done && b.err == nil {
		i := bytes.IndexAny(e.raw, "\r\n")
		if i < 0 {
			return
		}
		next := i + 1
		if e.raw[i] == '\r' {
			if next == len(e.raw) && !b.eof && len(e.data) > 0 {
				return // an LF may follow
			}
			if next < len(e.raw) && e.raw[next] == '\n' {
				next++
			}
		}
		line := e.raw[:i]
		e.raw = e.raw[next:]
		b.line(bytes.TrimSpace(line))
	}
}

// endEvents reads what stands behind the last line end, and a reply that was no stream.
func (b *body) endEvents() {
	b.line(bytes.TrimSpace(b.sse.raw))
	b.sse.raw = nil
	if len(b.sse.data) > 0 && b.err == nil {
		b.line(nil)
	}
	if stray := bytes.TrimSpace(b.sse.stray); !b.sse.any && b.err == nil && json.Valid(stray) {
		if b.out, b.err = b.doer.plain(stray); b.err == nil {
			b.out, b.err = nil, &notStream{b.out}
		}
	}
}

// line reads one line of a stream.
func (b *body) line(line []byte) {
	e := &b.sse
	if len(line) == 0 {
		if data := e.data; len(data) > 0 {
			e.data = nil
			b.event(data)
		}
		e.name = ""
		return
	}
	field, value, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("\ufeff")), []byte(":"))
	value = bytes.TrimSpace(value)
	switch string(field) {
	case "data":
		e.any = true
		data := value
		if len(e.data) == 0 && e.name == "" {
			var ok bool
			if b.out, ok = usual(b.out, data); ok {
				return
			}
		}
		if len(e.data) > 0 {
			data = append(append(e.data, '\n'), value...)
		}
		if e.data = nil; len(data) > 0 && string(data) != "[DONE]" && !json.Valid(data) && e.name != "error" {
			e.data = bytes.Clone(data) // the rest may follow
			return
		}
		b.event(data)
	case "event":
		e.name = string(value)
	case "", "id", "retry":
	default:
		if !e.any && len(e.stray) < maxLine {
			e.stray = append(append(e.stray, line...), '\n')
		}
	}
}

// event hands on the data of one event, or takes it for the error that it is.
func (b *body) event(data []byte) {
	switch {
	case len(data) == 0:
		return
	case string(data) == "[DONE]":
		b.sse.done = true
		b.out = append(b.out, "data: [DONE]\n"...)
		return
	case b.sse.name == "error":
		said := data
		if topOf(data) == nil {
			said, _ = json.Marshal(map[string]string{"message": string(data)}) // strings always encode
		}
		b.err = b.doer.within(said)
		return
	}
	out, err := b.doer.plain(data)
	if err != nil {
		b.err = err
		return
	}
	line := bytes.ReplaceAll(out, []byte("\n"), []byte(" "))
	b.out = append(append(append(b.out, "data: "...), line...), '\n')
}
