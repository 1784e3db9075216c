package console

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// maxText bounds a message, in bytes.
const maxText = 128 << 10

// Control signals of the input.
var (
	errLeave     = errors.New("console: the person leaves")         // end of input
	errInterrupt = errors.New("console: the person presses Ctrl-C") // at the prompt
)

// input is a source of lines.
type input interface {
	// line returns the next line without its end. In a terminal it may contain pasted or
	// typed line breaks.
	line(ctx context.Context, prompt string) (string, error)
	// keys receives the keys pressed while no line is read; it is closed at the end of input.
	// later keeps such a key for the next line, or reports that it stops the answer.
	keys() <-chan key
	later(k key) (interrupt bool)
}

// readMessage reads lines up to the end of a message: a trailing backslash continues the
// line, """ opens a block that ends at the next """.
func readMessage(ctx context.Context, in input, prompt string) (string, error) {
	const fence, more = `"""`, "· "
	first, err := in.line(ctx, prompt)
	if err != nil {
		return "", err
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(first), fence); ok {
		return readBlock(ctx, in, rest)
	}
	text := first
	for strings.HasSuffix(text, `\`) && len(text) < maxText {
		next, err := in.line(ctx, more)
		if errors.Is(err, errLeave) {
			break
		}
		if err != nil {
			return "", err
		}
		text = strings.TrimSuffix(text, `\`) + "\n" + next
	}
	return strings.TrimSpace(strings.TrimSuffix(text, `\`)), nil
}

func readBlock(ctx context.Context, in input, first string) (string, error) {
	const fence, more = `"""`, "· "
	var b strings.Builder
	for line := first; ; {
		before, _, closed := strings.Cut(line, fence)
		b.WriteString(before)
		if closed || b.Len() > maxText {
			break
		}
		b.WriteByte('\n')
		next, err := in.line(ctx, more)
		if errors.Is(err, errLeave) {
			break
		}
		if err != nil {
			return "", err
		}
		line = next
	}
	return strings.Trim(b.String(), "\n"), nil
}

// pipe reads plain lines.
type pipe struct {
	lines chan string
	errs  chan error
}

// newPipe starts reading r in a goroutine. It stays blocked in r.Read until there is input,
// since a file such as standard input cannot be polled.
func newPipe(ctx context.Context, r io.Reader) *pipe {
	p := &pipe{lines: make(chan string), errs: make(chan error, 1)}
	go func() {
		sc := bufio.NewScanner(r)
		sc.Buffer(make([]byte, 0, 4096), maxText)
		for sc.Scan() {
			select {
			case p.lines <- sc.Text():
			case <-ctx.Done():
				return
			}
		}
		err := sc.Err()
		if err == nil {
			err = errLeave
		}
		p.errs <- err
	}()
	return p
}

func (p *pipe) line(ctx context.Context, _ string) (string, error) {
	select {
	case l := <-p.lines:
		return l, nil
	case err := <-p.errs:
		p.errs <- err // for later calls
		return "", err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (*pipe) keys() <-chan key { return nil }
func (*pipe) later(key) bool   { return false }
