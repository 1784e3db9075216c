// Package sight has pictures decoded in a child process, with bounds on memory and time as other files have: a decoder is a
// parser of strangers' bytes. What a picture becomes is decided in [maru/bot/picture].
package sight

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"maru/agent"
	"maru/bot/picture"
	"maru/rag/load/confine"
)

const (
	memory    = 256 << 20        // of a child; see the bounds of a picture
	patience  = 30 * time.Second // for one picture
	maxAnswer = 12 << 20         // bytes: a picture for a model in base64
	gcPercent = 30
)

// request is a line of a child's input; the picture's bytes follow.
type request struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// reply is a child's output.
type reply struct {
	MIME   string `json:"mime,omitempty"`
	Data   []byte `json:"data,omitempty"`
	Fault  string `json:"fault,omitempty"`
	Pixels int    `json:"pixels,omitempty"` // of a picture that is too large: how many it may have
}

// The faults of a picture.
const (
	unknown = "unknown"
	broken  = "broken"
	huge    = "huge"
)

// Reader returns what decodes pictures in children that command starts.
func Reader(command []string) picture.Reader {
	return func(ctx context.Context, name string, data []byte) (agent.Picture, error) {
		c, err := confine.Start(command)
		if err != nil {
			return agent.Picture{}, fmt.Errorf("start a child for a picture: %w", err)
		}
		head, err := json.Marshal(request{Name: name, Size: len(data)})
		if err != nil {
			c.Close()
			return agent.Picture{}, fmt.Errorf("encode request: %w", err)
		}
		var out reply
		in := io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(data))
		err = c.Ask(ctx, in, maxAnswer, patience, func(r io.Reader) error { return json.NewDecoder(r).Decode(&out) })
		var died *confine.Death
		switch {
		case errors.As(err, &died) && died.OutOfMemory():
			return agent.Picture{}, &picture.HugeError{Err: err}
		case ctx.Err() != nil:
			return agent.Picture{}, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return agent.Picture{}, fmt.Errorf("read a picture: %w", err)
		case err != nil: // the child is dead
			return agent.Picture{}, fmt.Errorf("%w: %w", picture.ErrBroken, err)
		}
		c.Close()
		return out.result(name)
	}
}

// result reads a child's reply, which is untrusted.
func (r reply) result(name string) (agent.Picture, error) {
	switch r.Fault {
	case unknown:
		return agent.Picture{}, picture.ErrUnknown
	case huge:
		return agent.Picture{}, &picture.HugeError{Pixels: r.Pixels}
	case "":
		if (r.MIME == "image/png" || r.MIME == "image/jpeg") && len(r.Data) > 0 {
			return agent.Picture{Name: name, MIME: r.MIME, Digest: picture.Digest(r.Data), Data: r.Data}, nil
		}
	}
	return agent.Picture{}, picture.ErrBroken
}

// Child is the body of such a process: it reads one picture and writes the picture for a model.
func Child(in io.Reader, out io.Writer) error {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memory)
	if err := errors.Join(confine.Bind(memory), confine.BindFiles()); err != nil {
		return fmt.Errorf("set limits: %w", err)
	}
	stop, err := confine.BindTime(patience)
	if err != nil {
		return fmt.Errorf("set limits: %w", err)
	}
	defer stop()
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	data := make([]byte, req.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return fmt.Errorf("read picture: %w", err)
	}
	return json.NewEncoder(out).Encode(decoded(req.Name, data))
}

// decoded decodes a picture; a panic means a broken one.
func decoded(name string, data []byte) (out reply) {
	defer func() {
		if recover() != nil {
			out = reply{Fault: broken}
		}
	}()
	p, err := picture.Fit(name, data)
	var large *picture.HugeError
	switch {
	case err == nil:
		return reply{MIME: p.MIME, Data: p.Data}
	case errors.As(err, &large):
		return reply{Fault: huge, Pixels: large.Pixels}
	case errors.Is(err, picture.ErrUnknown):
		return reply{Fault: unknown}
	}
	return reply{Fault: broken}
}
