package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	errVectorCount = errors.New("rag/local: the embedder returned another number of vectors than it was given texts")
	errVectorDim   = errors.New("rag/local: the embedder changed the length of its vectors; give the new model a name of its own")
)

// vecStore keeps vectors by the hash of their text, in memory and, where there
// is a folder, in one append-only file a model. Text that comes back (an edit
// undone, a merge, a restart) is not embedded again.
type vecStore struct {
	mu  sync.RWMutex
	by  map[vecKey]*vec
	dim int
	f   *os.File // nil in memory
	end int64
}

func (s *vecStore) slots(n int) []atomic.Pointer[vec] { return make([]atomic.Pointer[vec], n) }

func (s *vecStore) get(k vecKey) *vec {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.by[k]
}

// add keeps a vector; it is on disk after the next sync.
func (s *vecStore) add(k vecKey, v *vec) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dim == 0 {
		s.dim = len(v.q)
	}
	if len(v.q) != s.dim {
		return fmt.Errorf("%w: %d, were %d", errVectorDim, len(v.q), s.dim)
	}
	if _, ok := s.by[k]; ok {
		return nil
	}
	if s.f != nil {
		rec := appendVec(nil, k, v)
		if _, err := s.f.WriteAt(rec, s.end); err != nil {
			return fmt.Errorf("write vector: %w", err)
		}
		s.end += int64(len(rec))
	}
	s.by[k] = v
	return nil
}

func (s *vecStore) sync() error {
	if s.f == nil {
		return nil
	}
	return s.f.Sync()
}

// appendVec writes key, length, scale, bytes and checksum.
func appendVec(b []byte, k vecKey, v *vec) []byte {
	start := len(b)
	b = append(b, k[:]...)
	b = le.AppendUint32(b, uint32(len(v.q)))
	b = le.AppendUint32(b, math.Float32bits(v.scale))
	for _, x := range v.q {
		b = append(b, byte(x))
	}
	return le.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// openVectors reads the vectors of the configured model and gives them to the segments.
func (x *Index) openVectors() error {
	if x.cfg.Embed == nil {
		return nil
	}
	x.vecs = &vecStore{by: map[vecKey]*vec{}}
	if x.disk != nil {
		sum := sha256.Sum256([]byte(x.cfg.EmbedModel))
		name := "vectors-" + hex.EncodeToString(sum[:6]) + ".vec"
		if err := x.vecs.open(x.disk.path(name)); err != nil {
			return fmt.Errorf("open vectors of %s: %w", x.cfg.EmbedModel, err)
		}
		if err := dropOtherModels(x.disk.dir, name); err != nil {
			return err
		}
	}
	for _, v := range x.snap.Load().views {
		x.attach(v.seg)
	}
	return nil
}

func dropOtherModels(dir, keep string) error {
	old, err := filepath.Glob(filepath.Join(dir, "vectors-*.vec"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if strings.HasSuffix(path, keep) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

func (s *vecStore) open(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	rest := data
	for len(rest) >= 16+8+4 {
		dim := int(le.Uint32(rest[16:]))
		size := 16 + 8 + dim + 4
		if dim > 1<<16 || size > len(rest) || crc32.Checksum(rest[:size-4], castagnoli) != le.Uint32(rest[size-4:]) {
			break // vectors can be had again: what follows is dropped, and embedded anew
		}
		v := &vec{scale: math.Float32frombits(le.Uint32(rest[20:])), q: make([]int8, dim)}
		for i, b := range rest[24 : 24+dim] {
			v.q[i] = int8(b)
		}
		s.by[vecKey(rest[:16])], s.dim = v, dim
		rest = rest[size:]
	}
	s.f, s.end = f, int64(len(data)-len(rest))
	return f.Truncate(s.end)
}

func (x *Index) closeVectors() error {
	if x.vecs == nil || x.vecs.f == nil {
		return nil
	}
	return x.vecs.f.Close()
}
