package mcp

import (
	"bufio"
	"bytes"
	"io"
)

// frames reads the messages of a child's output and diverts everything else to noise. Over standard streams a message
// is one line of JSON and nothing else may be written, but many servers greet or log there first ("Server started",
// the banner of dotenv), and the SDK ends the session at the first such line.
type frames struct {
	in    *bufio.Reader
	noise io.Writer // receives all other lines
	rest  []byte    // of the piece that is given out
	mid   bool      // the next piece goes on with a line
	drop  bool      // that line is not a message
}

// newFrames reads from out.
func newFrames(out io.Reader, noise io.Writer) *frames {
	return &frames{in: bufio.NewReaderSize(out, 32<<10), noise: noise}
}

// Read implements io.Reader.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		piece, err := f.in.ReadSlice('\n') // an error comes again with the next read
		if len(piece) == 0 {
			return 0, err
		}
		if !f.mid {
			f.drop = !message(piece)
		}
		f.mid = piece[len(piece)-1] != '\n'
		if !f.drop {
			f.rest = piece
		} else if _, err := f.noise.Write(piece); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// message reports whether a line begins as a message or a batch of them does.
func message(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	if rest, ok := bytes.CutPrefix(line, []byte("[")); ok {
		line = bytes.TrimLeft(rest, " \t")
	}
	return bytes.HasPrefix(line, []byte("{"))
}
