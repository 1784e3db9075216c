package local_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"maru/rag/local"
	"maru/rag/ragtest"
	"maru/rag/vec"
)

// vectorsPath returns the one file of vectors in a folder.
func vectorsPath(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "vectors-*.vec"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files of vectors: %v, %v", files, err)
	}
	return files[0]
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// embedded opens the index in dir with a model that counts what it is asked, lets it
// catch up and returns both.
func embedded(t *testing.T, dir string) (*local.Index, *atomic.Int64) {
	t.Helper()
	var calls atomic.Int64
	x := open(t, local.Config{Dir: dir, Embed: ragtest.Concepts(&calls), EmbedModel: "concepts"})
	if err := x.EmbedNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x, &calls
}

// filled makes an index in dir with the passages of fillMixed and fillMore.
func filled(t *testing.T, dir string) {
	t.Helper()
	x := open(t, local.Config{Dir: dir})
	fillMixed(t, x)
	fillMore(t, x)
	closed(t, x)
}

func closed(t *testing.T, x *local.Index) {
	t.Helper()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestVectorsTakeFortyMegabytes holds the file against its limit: 400 bytes a passage
// with vectors of 384 values.
func TestVectorsTakeFortyMegabytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open(t, local.Config{Dir: dir, Embed: meaningless, EmbedModel: "m"})
	fillMore(t, x)
	if err := x.EmbedNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	closed(t, x)
	if n := size(t, vectorsPath(t, dir)); n > 150*400 || n < 150*384 {
		t.Errorf("150 vectors of 384 values take %d bytes, want at most 60,000", n)
	}
}

// TestVectorsOfBeforeBlocks opens a file in the form that versions before wrote: its
// vectors serve, no text is embedded again, and it is written again. A damaged record
// ends what is read of it.
func TestVectorsOfBeforeBlocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	var texts []string
	x := open(t, local.Config{Dir: dir, EmbedModel: "concepts", Embed: func(ctx context.Context, list, _ []string) ([][]float32, error) {
		texts = append(texts, list...)
		return random(ctx, list, nil)
	}})
	if err := x.EmbedNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	closed(t, x)
	path := vectorsPath(t, dir)
	var calls atomic.Int64
	list, err := ragtest.Concepts(&calls)(t.Context(), texts, nil)
	if err != nil {
		t.Fatal(err)
	}
	var old []byte
	for i, text := range texts {
		old = appendRecord(old, vec.KeyOf(text), vec.Quantise(list[i]))
	}
	for _, tc := range []struct {
		name  string
		file  []byte
		again int64
	}{{"whole", old, 0}, {"torn", old[:len(old)-1], 1}} {
		if err := os.WriteFile(path, tc.file, 0o600); err != nil {
			t.Fatal(err)
		}
		x, calls := embedded(t, dir)
		if n := calls.Load(); n != tc.again {
			t.Errorf("%s: %d texts embedded again, want %d", tc.name, n, tc.again)
		}
		if !findsVacation(t, x) {
			t.Errorf("%s: the vectors do not serve", tc.name)
		}
		closed(t, x)
		if b, err := os.ReadFile(path); err != nil || string(b[:8]) != "MARUVEC2" || len(b) >= len(old) {
			t.Errorf("%s: not written anew: %d bytes of %d, %v", tc.name, len(b), len(old), err)
		}
	}
}

// appendRecord returns the form of a vector before blocks.
func appendRecord(b []byte, k vec.Key, v *vec.Vector) []byte {
	start := len(b)
	b = append(b, k[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v.Q)))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v.Scale))
	for _, q := range v.Q {
		b = append(b, byte(q))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], crc32.MakeTable(crc32.Castagnoli)))
}

// TestVectorsTorn cuts the file at many places, as a crash in the middle of a write
// does: what was in whole blocks before the cut is not embedded again.
func TestVectorsTorn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	x, _ := embedded(t, dir)
	closed(t, x)
	path := vectorsPath(t, dir)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := int64(214)
	for cut := 0; cut < len(whole); cut += 1 + len(whole)/40 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		x, calls := embedded(t, dir)
		n := calls.Load()
		if n > last || n < 213-int64(cut)/76 { // twelve bytes of key and 64 of values
			t.Errorf("cut at %d of %d: %d texts embedded again, before %d", cut, len(whole), n, last)
		}
		last = n
		if !findsVacation(t, x) {
			t.Errorf("cut at %d: the vectors do not serve", cut)
		}
		closed(t, x)
		if n := size(t, path); n < 213*76 || n > int64(len(whole))+200 {
			t.Errorf("cut at %d: %d bytes in the end, were %d", cut, n, len(whole))
		}
	}
}

// TestVectorsOfDeletedTexts deletes most documents: at the next start their vectors
// leave the file, the others stay.
func TestVectorsOfDeletedTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	x, _ := embedded(t, dir)
	for i := range 150 {
		doc, _ := ragtest.Doc("public", fmt.Sprint("more", i), "")
		if gone, err := x.Delete(t.Context(), "public", doc.ID); err != nil || !gone {
			t.Fatal(gone, err)
		}
	}
	closed(t, x)
	path := vectorsPath(t, dir)
	before := size(t, path)
	x, calls := embedded(t, dir)
	if n := calls.Load(); n != 0 {
		t.Errorf("%d texts embedded again", n)
	}
	if !findsVacation(t, x) {
		t.Error("the vectors do not serve")
	}
	if now := size(t, path); now > before/2 {
		t.Errorf("the file keeps %d of %d bytes", now, before)
	}
}
