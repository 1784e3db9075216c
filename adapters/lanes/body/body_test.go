package body_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"maru/adapters/lanes/body"
	"maru/bot"
)

func TestBoundedBody(t *testing.T) {
	t.Parallel()
	ways := map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "end with data": iotest.DataErrReader,
	}
	for _, c := range []struct {
		body, want string
		limit      int64
		over       bool
	}{
		{"", "", 3, false}, {"abc", "abc", 3, false}, {"abcd", "abc", 3, true}, {strings.Repeat("x", 5000), strings.Repeat("x", 4096), 4096, true},
		{"abc", "abc", 0, false}, {"abc", "abc", -1, false},
	} {
		for name, way := range ways {
			b := body.New(way(strings.NewReader(c.body)), c.limit)
			got, err := io.ReadAll(b)
			if string(got) != c.want || errors.Is(err, bot.ErrTooLarge) != c.over || !c.over && err != nil || b.Over() != c.over {
				t.Errorf("%s, limit %d of %d: %d bytes, %v, over %t", name, c.limit, len(c.body), len(got), err, b.Over())
			}
			if n, again := b.Read(make([]byte, 1)); n > 0 || c.over && !errors.Is(again, bot.ErrTooLarge) {
				t.Errorf("%s, limit %d: after the end %d bytes, %v", name, c.limit, n, again)
			}
		}
	}
	closer := &closing{Reader: strings.NewReader("")}
	if err := body.New(closer, 1).Close(); err != nil || !closer.closed {
		t.Errorf("closed %t, %v", closer.closed, err)
	}
	if err := body.New(strings.NewReader(""), 1).Close(); err != nil {
		t.Error(err)
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}
