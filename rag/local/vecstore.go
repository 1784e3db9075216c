package local

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"maru/rag/vec"
)

var (
	errVectorCount = errors.New("rag/local: the embedder returned another number of vectors than it was given texts")
	errVectorDim   = errors.New("rag/local: the embedder changed the length of its vectors; give the new model a name of its own")
)

// vecStore keeps the vectors of one model by the hash of their text, in memory
// and, where there is a folder, in one append-only file. Text that comes back
// (an edit undone, a merge, a restart) is not embedded again.
type vecStore struct {
	model string
	embed Embed
	mu    sync.RWMutex
	by    map[vec.Key]*vec.Vector
	dim   int
	path  string
	f     *os.File // nil in memory
	end   int64
}

// slots are the vectors of a segment's chunks.
type slots []atomic.Pointer[vec.Vector]

func newVecStore(model string, embed Embed) *vecStore {
	return &vecStore{model: model, embed: embed, by: map[vec.Key]*vec.Vector{}}
}

func (s *vecStore) get(k vec.Key) *vec.Vector {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.by[k]
}

// add keeps a vector; it is on disk after the next sync. A vector of nothing
// stands for a text that has none, so that it is not asked for again.
func (s *vecStore) add(k vec.Key, v *vec.Vector) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dim == 0 {
		s.dim = len(v.Q)
	}
	if len(v.Q) != s.dim && len(v.Q) != 0 {
		return fmt.Errorf("%w: %d, were %d", errVectorDim, len(v.Q), s.dim)
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
func appendVec(b []byte, k vec.Key, v *vec.Vector) []byte {
	start := len(b)
	b = append(b, k[:]...)
	b = le.AppendUint32(b, uint32(len(v.Q)))
	b = v.Append(b)
	return le.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// open reads the vectors of a file, which it makes if it is missing.
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
		v := &vec.Vector{}
		if dim > 0 {
			if v, err = vec.Read(rest[20 : 24+dim]); err != nil {
				break
			}
			s.dim = dim
		}
		s.by[vec.Key(rest[:16])] = v
		rest = rest[size:]
	}
	s.path, s.f, s.end = path, f, int64(len(data)-len(rest))
	return f.Truncate(s.end)
}

func (s *vecStore) close() error {
	if s == nil || s.f == nil {
		return nil
	}
	return s.f.Close()
}

// vectorsName is the file that says whose vectors serve.
const vectorsName = "VECTORS.json"

type vectorsState struct {
	Serving string `json:"serving"` // name of the model
}

// openVectors reads the vectors of the configured model, and those of the model
// before while they serve, and gives them to the segments.
func (x *Index) openVectors() error {
	if x.cfg.Embed == nil {
		return nil
	}
	x.vecs = newVecStore(x.cfg.EmbedModel, x.cfg.Embed)
	if x.disk != nil {
		if err := x.openVectorFiles(); err != nil {
			return fmt.Errorf("open vectors of %s: %w", x.cfg.EmbedModel, err)
		}
	}
	for _, v := range x.snap.Load().views {
		x.attach(v.seg)
	}
	return nil
}

func (x *Index) openVectorFiles() error {
	state, err := readVectorsState(x.disk.path(vectorsName))
	if err != nil {
		return err
	}
	keep := []string{vectorFile(x.cfg.EmbedModel)}
	if err := x.vecs.open(x.disk.path(keep[0])); err != nil {
		return err
	}
	if old := x.before(state.Serving); old != nil {
		if err := old.open(x.disk.path(vectorFile(old.model))); err != nil {
			return err
		}
		keep = append(keep, vectorFile(old.model))
		x.old.Store(old)
	} else if state.Serving != x.cfg.EmbedModel {
		if err := x.nowServing(); err != nil {
			return err
		}
	}
	return dropOtherModels(x.disk.dir, keep)
}

// before returns an empty store for the model whose vectors serve, if that is
// another than the configured one and can be asked.
func (x *Index) before(serving string) *vecStore {
	if serving == "" || serving == x.cfg.EmbedModel || x.cfg.EmbedOld == nil {
		return nil
	}
	if _, err := os.Stat(x.disk.path(vectorFile(serving))); err != nil {
		return nil // nothing left to serve
	}
	embed := x.cfg.EmbedOld(serving)
	if embed == nil {
		return nil
	}
	return newVecStore(serving, embed)
}

// nowServing notes that the vectors of the configured model serve from now on.
func (x *Index) nowServing() error {
	b, err := json.Marshal(vectorsState{Serving: x.cfg.EmbedModel})
	if err != nil {
		return err
	}
	return writeFile(x.disk.path(vectorsName), b)
}

func readVectorsState(path string) (s vectorsState, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil && json.Unmarshal(b, &s) != nil {
		s = vectorsState{} // vectors can be had again
	}
	return s, err
}

func vectorFile(model string) string {
	sum := sha256.Sum256([]byte(model))
	return "vectors-" + hex.EncodeToString(sum[:6]) + ".vec"
}

func dropOtherModels(dir string, keep []string) error {
	old, err := filepath.Glob(filepath.Join(dir, "vectors-*.vec"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if slices.Contains(keep, filepath.Base(path)) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// takeOver lets the vectors of the configured model serve, now that every
// passage has one, and drops those of the model before.
func (x *Index) takeOver() error {
	old := x.old.Load()
	if old == nil {
		return nil
	}
	if err := x.nowServing(); err != nil {
		return fmt.Errorf("note that the vectors of %s serve: %w", x.vecs.model, err)
	}
	x.old.Store(nil)
	for _, v := range x.snap.Load().views {
		v.seg.oldVecs.Store(nil)
	}
	x.log.Info("index_vectors_taken_over", "model", x.vecs.model, "before", old.model)
	return errors.Join(old.close(), os.Remove(old.path))
}

func (x *Index) closeVectors() error {
	return errors.Join(x.vecs.close(), x.old.Load().close())
}
