// Package body reads what a platform, a browser or a program sends: a stream of bytes within a limit, and JSON strictly.
// It does not know where the bytes come from.
package body

import (
	"io"

	"maru/bot"
)

// Bounded is a body whose end is [bot.ErrTooLarge] when it has more bytes than it may, and
// another error when it has not those that it should have.
type Bounded struct {
	body    io.Reader
	left    int64
	endless bool
	over    bool
	whole   int64 // bytes that it must have, 0 for any
	came    int64
	uneven  error // of a body that has other than whole bytes
}

// New bounds a body to limit bytes, or not at all if limit is not above 0.
// To close it closes the body, if that can be closed.
func New(body io.Reader, limit int64) *Bounded {
	return &Bounded{body: body, left: limit, endless: limit <= 0}
}

// Whole makes the body end with err unless it has size bytes, if size is above 0: a
// connection that is cut off looks like the end of what came over it.
func (b *Bounded) Whole(size int64, err error) *Bounded {
	b.whole, b.uneven = size, err
	return b
}

// Read implements io.Reader.
func (b *Bounded) Read(p []byte) (int, error) {
	n, err := b.read(p)
	b.came += int64(n)
	if b.whole > 0 && (b.came > b.whole || err == io.EOF && b.came < b.whole) { //nolint:errorlint // a body's end is EOF itself
		return n, b.uneven
	}
	return n, err
}

func (b *Bounded) read(p []byte) (int, error) {
	if b.endless {
		return b.body.Read(p)
	}
	if b.over {
		return 0, bot.ErrTooLarge
	}
	if b.left < int64(len(p)) {
		p = p[:b.left+1] // one more tells whether that was all
	}
	n, err := b.body.Read(p)
	if int64(n) > b.left {
		b.over = true
		return int(b.left), bot.ErrTooLarge
	}
	b.left -= int64(n)
	return n, err
}

// Over reports whether there was more than the limit.
func (b *Bounded) Over() bool { return b.over }

// Close implements io.Closer.
func (b *Bounded) Close() error {
	if c, ok := b.body.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
