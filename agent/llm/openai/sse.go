package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// maxLine bounds one event of a stream.
const maxLine = 4 << 20

// lively are the names of events that only keep a connection.
var lively = map[string]bool{"ping": true, "heartbeat": true, "keepalive": true, "keep-alive": true}

// events reads a stream of server-sent events. go-openai's reader would run three regular expressions on each line, give up
// after 300 lines that are no data, know one shape of error only, and forget whether [DONE] came. So chunks are read here,
// errors become ours, and [DONE] is noted.
type events struct {
	raw   []byte // bytes that are not yet cut into lines
	data  []byte // lines of an event that is not whole
	name  string // of the event
	stray []byte // what came before any event and is none: perhaps a reply in one piece
	any   bool   // an event came
	done  bool   // [DONE] was seen
	half  []byte // of a letter that the last event cut in two
}

// A letter outside of the basic plane is written as two escapes. Servers that cut texts by UTF-16 units, as those in JavaScript do, may
// send one at the end of a piece and the other at the beginning of the next.
var (
	firstHalf  = pattern.New(`\\u[dD][89abAB][0-9a-fA-F]{2}"`)
	secondHalf = pattern.New(`"\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
)

const halfSize = len(`\ud83d`)

// joined moves the first half of a letter at the end of a text before its second half in a later event.
func (e *events) joined(data []byte) []byte {
	if len(e.half) > 0 {
		if at := secondHalf.FindStringIndex(string(data)); at != nil {
			data, e.half = slices.Insert(slices.Clone(data), at[0]+1, e.half...), nil
		}
	}
	at := firstHalf.FindStringIndex(string(data))
	if at == nil || (at[0]-len(bytes.TrimRight(data[:at[0]], `\`)))%2 > 0 { // else the backslash is itself a letter
		return data
	}
	e.half = bytes.Clone(data[at[0] : at[0]+halfSize])
	return slices.Delete(slices.Clone(data), at[0], at[0]+halfSize)
}

// next returns the next chunk of a stream.
func (b *body) next() (c sdk.ChatCompletionStreamResponse, err error) {
	for len(b.chunks) == 0 {
		if b.err != nil {
			return c, b.err
		}
		if b.sse.done || b.eof {
			return c, io.EOF
		}
		b.sse.raw = slices.Grow(b.sse.raw, 2<<10)
		n, err := b.fetch(b.sse.raw[len(b.sse.raw):cap(b.sse.raw)])
		b.sse.raw = b.sse.raw[:len(b.sse.raw)+n]
		b.eof = errors.Is(err, io.EOF)
		b.cutLines()
		if b.eof && b.err == nil && !b.sse.done {
			b.endEvents()
		}
		if len(b.sse.raw)+len(b.sse.data) > maxLine {
			b.err = &llm.Error{Class: llm.Garbage, Detail: "one event of the stream is too long"}
		}
	}
	c, b.chunks = b.chunks[0], b.chunks[1:]
	return c, nil
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

// endEvents reads what follows the last line end, and a reply that was no stream.
func (b *body) endEvents() {
	b.line(bytes.TrimSpace(b.sse.raw))
	b.sse.raw = nil
	if len(b.sse.data) > 0 && b.err == nil {
		b.line(nil)
	}
	if stray := bytes.TrimSpace(b.sse.stray); !b.sse.any && b.err == nil && json.Valid(stray) {
		var whole []byte
		if whole, b.err = b.doer.plain(stray); b.err == nil {
			b.err = &notStream{whole}
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
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch string(field) {
	case "data":
		e.any = true
		data := value
		if len(e.data) == 0 && e.name == "" {
			if c, ok := usual(data); ok {
				b.chunks = append(b.chunks, c)
				return
			}
		}
		if len(e.data) > 0 {
			data = append(append(e.data, '\n'), value...)
		}
		if lively[e.name] && topOf(data) == nil && !ends(data) {
			return
		}
		if e.data = nil; len(data) > 0 && !ends(data) && !json.Valid(data) && e.name != "error" {
			if data = plainNumbers(data); !json.Valid(data) {
				e.data = bytes.Clone(data) // the rest may follow
				return
			}
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

// ends reports whether data is the mark behind the last chunk, which some servers write in JSON or in small letters.
func ends(data []byte) bool { return bytes.EqualFold(bytes.Trim(data, `"`), []byte("[DONE]")) }

// event hands on the data of one event, or takes it for the error that it is.
func (b *body) event(data []byte) {
	switch {
	case len(data) == 0:
		return
	case ends(data):
		b.sse.done = true
		return
	case b.sse.name == "error":
		said := data
		if topOf(data) == nil {
			said, _ = json.Marshal(map[string]string{"message": string(data)}) // strings always encode
		}
		b.err = b.doer.within(said)
		return
	}
	out, err := b.doer.plain(b.sse.joined(data))
	if err != nil {
		b.err = err
		return
	}
	var c sdk.ChatCompletionStreamResponse
	if err := json.Unmarshal(out, &c); err != nil {
		b.err = &llm.Error{Class: llm.Garbage, Detail: b.doer.redact(fmt.Sprintf("the reply cannot be read: %v", err))}
		return
	}
	b.chunks = append(b.chunks, c)
}
