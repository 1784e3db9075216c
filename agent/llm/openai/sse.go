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

// readEvents hands on the data lines of a stream, one blank-free line each.
// go-openai's reader gathers all other lines, gives up after 300 of them, knows
// one shape of error only, and forgets whether [DONE] came; so comments and
// fields other than data end here, errors in the stream become ours, and [DONE]
// is noted.
func (b *body) readEvents(p []byte) (int, error) {
	var buf [8 << 10]byte
	for len(b.out) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.done || b.eof {
			return 0, io.EOF
		}
		n, err := b.fetch(buf[:])
		b.raw = append(b.raw, buf[:n]...)
		b.cutLines()
		if errors.Is(err, io.EOF) {
			b.eof = true
		}
		if len(b.raw) > maxLine {
			b.err = &llm.Error{Class: llm.Garbage, Detail: "one event of the stream is too long"}
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

func (b *body) cutLines() {
	for !b.done && b.err == nil {
		i := bytes.IndexByte(b.raw, '\n')
		if i < 0 {
			return
		}
		line := bytes.TrimSpace(b.raw[:i])
		b.raw = b.raw[i+1:]
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		data = bytes.TrimSpace(data)
		switch {
		case string(data) == "[DONE]":
			b.done = true
		case len(data) == 0:
			continue
		default:
			if err := b.eventError(data); err != nil {
				b.err = err
				return
			}
		}
		b.out = append(append(append(b.out, "data: "...), plain(data)...), '\n')
	}
}

// eventError finds an error object where a chunk should be.
func (b *body) eventError(data []byte) error {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil
	}
	var ev struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &ev) != nil || len(ev.Error) == 0 || string(ev.Error) == "null" {
		return nil
	}
	said := readFault(data)
	class := said.class(said.status())
	if class == llm.BadRequest && said.code == "" {
		class = llm.Overloaded // the request was accepted: what fails now is the service
	}
	return &llm.Error{Class: class, Detail: b.redact("error within the stream: " + said.message)}
}
