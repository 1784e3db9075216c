package sight_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"syscall"
	"testing"

	"maru/agent"
	"maru/bot/picture"
	"maru/cmd/maru/sight"
	"maru/rag/load/confine"
)

const child = "sight-child"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == child {
		if err := sight.Child(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// plain returns a PNG of one colour that decodes to w by h pixels of the given depth.
func plain(t *testing.T, w, h uint32, depth, kind byte, each int) []byte {
	t.Helper()
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, body []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
		from := len(out)
		out = append(append(out, name...), body...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	chunk("IHDR", append(head, depth, kind, 0, 0, 0))
	var body bytes.Buffer
	z := zlib.NewWriter(&body)
	row := make([]byte, 1+int(w)*each)
	for range h {
		if _, err := z.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	chunk("IDAT", body.Bytes())
	chunk("IEND", nil)
	return out
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPicturesInAChild: pictures come out as without a child; bombs and broken files are refused with a reason, and no process
// takes 300 MB.
func TestPicturesInAChild(t *testing.T) {
	var frames gif.GIF
	for range 10_000 {
		frames.Image, frames.Delay = append(frames.Image, image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.White, color.Black})), append(frames.Delay, 1)
	}
	var film, photo bytes.Buffer
	if err := errors.Join(gif.EncodeAll(&film, &frames), jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 300, 200)), nil)); err != nil {
		t.Fatal(err)
	}
	read := sight.Reader([]string{os.Args[0], child})
	huge := func(err error) bool { return errors.As(err, new(*picture.HugeError)) }
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	cases := map[string]struct {
		data []byte
		ok   func(error) bool
	}{
		"png":                        {pngOf(t, image.NewNRGBA(image.Rect(0, 0, 30, 20))), nil},
		"jpeg":                       {photo.Bytes(), nil},
		"gif_of_10000_frames":        {film.Bytes(), nil},
		"as_large_as_allowed":        {plain(t, 7000, 7000, 8, 6, 4), nil},
		"bomb_of_50000_by_50000":     {plain(t, 50_000, 50, 8, 6, 4), is(picture.ErrBroken)}, // short of rows
		"bomb_of_many_rows":          {plain(t, 9000, 9000, 1, 0, 1), huge},
		"sixteen_bits_a_channel":     {plain(t, 7000, 4000, 16, 6, 8), huge},
		"truncated_jpeg":             {photo.Bytes()[:photo.Len()/2], is(picture.ErrBroken)},
		"text":                       {[]byte("<html>"), is(picture.ErrUnknown)},
		"nothing":                    {nil, is(picture.ErrUnknown)},
		"a_picture_of_no_pixel_data": {pngOf(t, image.NewGray(image.Rect(0, 0, 8, 8)))[:40], is(picture.ErrBroken)},
	}
	fit := map[string]agent.Picture{}
	for name, c := range cases {
		if name == "bomb_of_50000_by_50000" { // it says that it has all rows
			binary.BigEndian.PutUint32(c.data[20:], 50_000)
			binary.BigEndian.PutUint32(c.data[29:], crc32.ChecksumIEEE(c.data[12:29]))
			c.ok = huge
		}
		p, err := read(t.Context(), name, c.data)
		switch {
		case c.ok != nil && !c.ok(err):
			t.Errorf("%s: %v", name, err)
		case c.ok == nil && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.ok == nil:
			fit[name] = p
		}
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		t.Fatal(err)
	}
	t.Logf("a child took up to %d MB", used.Maxrss>>10)
	if used.Maxrss>>10 > 300 && !confine.RaceDetector {
		t.Errorf("a child took %d MB", used.Maxrss>>10)
	}
	for name, p := range fit { // afterwards: Linux counts the peak of a process that starts another as the other's, too
		want, err := picture.Fit(name, cases[name].data)
		if err != nil || p.Digest != want.Digest || p.MIME != want.MIME || p.Name != name {
			t.Errorf("%s: %s %s; want %s, %v", name, p.Name, p.MIME, want.MIME, err)
		}
	}
}

// TestAChildThatDies: a decoder that crashes or answers nonsense is a broken picture, and an end of the wait is told.
func TestAChildThatDies(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{"dies": {"false"}, "nonsense": {"echo", `{"mime":"text/html","data":"AAAA"}`}, "no_answer": {"true"}} {
		if _, err := sight.Reader(command)(t.Context(), "x", []byte("x")); !errors.Is(err, picture.ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var huge *picture.HugeError
	if _, err := sight.Reader([]string{"sh", "-c", "echo fatal error: runtime: out of memory >&2; exit 2"})(t.Context(), "x", []byte("x")); !errors.As(err, &huge) || huge.Pixels != 0 {
		t.Errorf("out of memory: %v", err) // its pixels may be few
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sight.Reader([]string{"sleep", "60"})(ctx, "x", []byte("x")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
