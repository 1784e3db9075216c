package local

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"maru/rag"
	"maru/rag/vec"
)

var (
	errVectorCount = errors.New("rag/local: the embedder returned a different number of vectors than texts")
	errVectorDim   = errors.New("rag/local: the embedder changed the length of its vectors; give the new model another name")
)

// vecStore stores the vectors of one model by text hash, in memory and, if the index has a folder, in one append-only
// file. Recurring text (an undone edit, a merge, a restart) is not embedded again.
type vecStore struct {
	model string
	embed rag.Embed
	blend rag.Blend
	saved float64 // lessons of blend in its file
	mu    sync.RWMutex
	by    map[textKey]*vec.Vector
	dim   int
	path  string
	f     *os.File // nil in memory
	end   int64
}

// slots are the vectors of a segment's chunks.
type slots []atomic.Pointer[vec.Vector]

func newVecStore(model string, embed rag.Embed) *vecStore {
	return &vecStore{model: model, embed: embed, by: map[textKey]*vec.Vector{}}
}

func (s *vecStore) get(k textKey) *vec.Vector {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.by[k]
}

// add stores a batch durably before it returns. An empty vector marks a text without a direction, so that it is not
// embedded again.
func (s *vecStore) add(list []keyed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fresh []keyed
	for _, k := range list {
		if n := len(k.vec.Q); s.dim == 0 {
			s.dim = n
		} else if n != s.dim && n != 0 {
			return fmt.Errorf("%w: %d, were %d", errVectorDim, n, s.dim)
		}
		if _, ok := s.by[k.key]; !ok {
			fresh = append(fresh, k)
		}
	}
	if s.f != nil && len(fresh) > 0 {
		rec := appendBlocks(nil, fresh)
		if _, err := s.f.WriteAt(rec, s.end); err != nil {
			return fmt.Errorf("write vectors: %w", err)
		}
		if err := s.f.Sync(); err != nil {
			return fmt.Errorf("write vectors: %w", err)
		}
		s.end += int64(len(rec))
	}
	for _, k := range fresh {
		s.by[k.key] = k.vec
	}
	return nil
}

// fits returns an error if a vector's length differs from the stored ones.
func (s *vecStore) fits(size int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dim == 0 || s.dim == size {
		return nil
	}
	return fmt.Errorf("%w: %d, were %d", errVectorDim, size, s.dim)
}

func (s *vecStore) close() error {
	if s == nil || s.f == nil {
		return nil
	}
	return errors.Join(s.saveLearned(0), s.f.Close())
}

// learnedPath returns the file of the learned state of the model. It is replaced as a whole, and losing it is harmless.
func (s *vecStore) learnedPath() string { return strings.TrimSuffix(s.path, ".vec") + ".json" }

// readLearned restores the learned state. If the file is missing or damaged, learning restarts.
func (s *vecStore) readLearned() error {
	raw, err := os.ReadFile(s.learnedPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && json.Unmarshal(raw, &s.blend) == nil {
		s.saved = s.blend.Lessons()
	}
	return err
}

// saveLearned stores the learned state if it has more than beyond lessons that the file lacks.
func (s *vecStore) saveLearned(beyond float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.blend.Lessons()
	if s.f == nil || now-s.saved <= beyond {
		return nil
	}
	raw, err := json.Marshal(&s.blend)
	if err == nil {
		err = writeFile(s.learnedPath(), raw)
	}
	if err == nil {
		s.saved = now
	}
	return err
}

// vectorsName is the file naming the model whose vectors serve.
const vectorsName = "VECTORS.json"

type vectorsState struct {
	Serving string `json:"serving"` // name of the model
}

// openVectors loads the vectors of the configured model, and those of the previous one while they serve, and attaches
// them to the segments.
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
	used := map[textKey]bool{}
	for _, v := range x.snap.Load().views {
		for c, k := range x.attach(v.seg) {
			if !bit(v.deadChunks, c) {
				used[k] = true
			}
		}
	}
	return x.vecs.keepOnly(used)
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

// before returns an empty store for the serving model if it differs from the configured one and is available.
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

// nowServing records that the configured model's vectors serve from now on.
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
		s = vectorsState{} // vectors are reproducible
	}
	return s, err
}

func vectorFile(model string) string {
	sum := sha256.Sum256([]byte(model))
	return "vectors-" + hex.EncodeToString(sum[:6]) + ".vec"
}

func dropOtherModels(dir string, keep []string) error {
	old, err := filepath.Glob(filepath.Join(dir, "vectors-*.*"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if slices.Contains(keep, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".vec") {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// takeOver switches serving to the configured model, now that every passage has a vector, and drops the previous
// model's.
func (x *Index) takeOver() error {
	old := x.old.Load()
	if old == nil {
		return nil
	}
	if err := x.nowServing(); err != nil {
		return fmt.Errorf("record that the vectors of %s serve: %w", x.vecs.model, err)
	}
	x.old.Store(nil)
	for _, v := range x.snap.Load().views {
		v.seg.oldVecs.Store(nil)
	}
	x.log.Info("index: switched to new vectors", "model", x.vecs.model, "before", old.model)
	return errors.Join(old.close(), os.Remove(old.path), removeIfThere(old.learnedPath()))
}

func (x *Index) closeVectors() error {
	return errors.Join(x.vecs.close(), x.old.Load().close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
