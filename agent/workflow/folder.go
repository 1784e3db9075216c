package workflow

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/phrase"
)

// Bounds of a folder.
const (
	maxFiles    = 200
	defaultPoll = 2 * time.Second
)

// FolderConfig says what a [Folder] is made of.
type FolderConfig[A any] struct {
	Dir string
	// Build makes what serves a definition. Its error leaves the old one serving.
	Build func(d Definition, find Find) (A, error)
	// Reserved are ids that belong to others.
	Reserved []string
	Every    time.Duration // between two looks; default 2 s
	// Saved returns definitions that are kept elsewhere, by a name with a slash and their id, such as "saved/ID.json";
	// nil: there are none. One of them goes before a file of its id. Its error leaves everything as it is.
	Saved func(context.Context) (map[string][]byte, error)
	Log   *slog.Logger
}

// Folder keeps one A for every definition in a folder and follows its files: a changed file is checked and then
// serves; a broken one is reported, and the old definition keeps serving. An A that was handed out stays valid.
type Folder[A any] struct {
	cfg FolderConfig[A]

	mu     sync.RWMutex
	seen   string                // digest of the files as they were read last
	served map[string]serving[A] // by id
	faults map[string]error      // by file name
}

// serving is a definition in use.
type serving[A any] struct {
	file string
	d    Definition
	key  string // of the definition and all that it runs
	a    A
}

// OpenFolder reads a folder. Broken files are not an error: Faults reports them.
func OpenFolder[A any](cfg FolderConfig[A]) (*Folder[A], error) {
	cfg.Every = cmp.Or(max(cfg.Every, 0), defaultPoll)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	f := &Folder[A]{cfg: cfg, served: map[string]serving[A]{}, faults: map[string]error{}}
	if _, err := f.Scan(context.Background()); err != nil {
		return nil, err
	}
	return f, nil
}

// Get returns what serves an id now.
func (f *Folder[A]) Get(id string) (A, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	s, ok := f.served[id]
	return s.a, ok
}

// IDs lists the definitions that serve, sorted.
func (f *Folder[A]) IDs() []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Sorted(maps.Keys(f.served))
}

// Definition returns the definition that serves an id.
func (f *Folder[A]) Definition(id string) (Definition, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	s, ok := f.served[id]
	return s.d, ok
}

// Owner returns the name of the file whose definition serves an id, "" without one.
func (f *Folder[A]) Owner(id string) string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.served[id].file
}

// Faults returns the faults of files by their names.
func (f *Folder[A]) Faults() map[string]error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return maps.Clone(f.faults)
}

// Keeps reports whether an earlier version of a broken file still serves.
func (f *Folder[A]) Keeps(file string) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.faults[file] != nil && keeps(f.served, file)
}

func keeps[A any](served map[string]serving[A], file string) bool {
	for _, s := range served {
		if s.file == file {
			return true
		}
	}
	return false
}

// Watch looks for changes until ctx ends, which is not an error.
func (f *Folder[A]) Watch(ctx context.Context) error {
	tick := time.NewTicker(f.cfg.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if _, err := f.Scan(ctx); err != nil {
				f.cfg.Log.WarnContext(ctx, "workflow folder cannot be read", "folder", f.cfg.Dir, "err", err)
			}
		}
	}
}

// Scan looks once and reports whether anything changed. A folder that cannot be
// read leaves everything as it is.
func (f *Folder[A]) Scan(ctx context.Context) (bool, error) {
	files, err := f.read()
	if err == nil {
		err = f.addSaved(ctx, &files)
	}
	if err != nil {
		return false, err
	}
	f.mu.RLock()
	same := files.digest == f.seen
	old := maps.Clone(f.served)
	f.mu.RUnlock()
	if same {
		return false, nil
	}
	parsed, faults := f.parse(files)
	next := f.build(parsed, old, faults, files.texts)
	f.mu.Lock()
	f.seen, f.served, f.faults = files.digest, next, faults
	f.mu.Unlock()
	f.tell(ctx, old, next, faults)
	return true, nil
}

// files are the definitions of a folder as one look found them, by file name.
type files struct {
	texts  map[string][]byte
	unread map[string]error // why a file has no text
	digest string           // of both
}

// errTooMany says that a folder holds more files than are read.
var errTooMany = fmt.Errorf("at most %d files of a folder are read, in the order of their names: this one and those behind it are not", maxFiles)

// read returns the texts of the definitions.
func (f *Folder[A]) read() (files, error) {
	entries, err := os.ReadDir(f.cfg.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return files{texts: map[string][]byte{}, digest: "none"}, nil
	}
	if err != nil {
		return files{}, fmt.Errorf("read workflow folder: %w", err)
	}
	found := files{texts: map[string][]byte{}, unread: map[string]error{}}
	sum := sha256.New()
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		text, err := readBounded(filepath.Join(f.cfg.Dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone in between
		}
		if len(found.texts)+len(found.unread) == maxFiles {
			text, err = nil, errTooMany
		}
		if err == nil {
			found.texts[e.Name()] = text
			fmt.Fprintf(sum, "%s\x00%d\x00", e.Name(), len(text))
			sum.Write(text)
			continue
		}
		found.unread[e.Name()] = err // a fault of this file alone
		fmt.Fprintf(sum, "%s\x00%v\x00", e.Name(), err)
		if errors.Is(err, errTooMany) {
			break
		}
	}
	found.digest = hex.EncodeToString(sum.Sum(nil))
	return found, nil
}

// parse reads the definitions by their files' names. An id of a built-in agent is a fault of its file.
func (f *Folder[A]) parse(read files) (map[string]Definition, map[string]error) {
	out, faults := map[string]Definition{}, map[string]error{}
	maps.Copy(faults, read.unread)
	for file, text := range read.texts {
		d, err := parseFile(file, text)
		if err == nil {
			err = Taken(d.ID, f.cfg.Reserved, "").Err()
		}
		if err != nil {
			faults[file] = err
			continue
		}
		out[file] = d
	}
	return out, faults
}

// Taken returns the fault of a file that defines a reserved id: that of a built-in agent, or that of owner, an earlier
// file; nil if the id is free.
func Taken(id string, reserved []string, owner string) Problems {
	what := phrase.Of("definition.taken", id, owner)
	if slices.Contains(reserved, id) {
		what = phrase.Of("definition.built_in", id)
	} else if owner == "" {
		return nil
	}
	var p Problems
	p.say(StageValidate, "/id", phrase.Of("definition.taken.do"), what)
	return p
}

// build builds what serves. Definitions that do not compile are replaced by what served before, until everything left
// works together. Of several files with one id, the first by name that compiles has it: a broken file claims none.
func (f *Folder[A]) build(parsed map[string]Definition, old map[string]serving[A], faults map[string]error, texts map[string][]byte) map[string]serving[A] {
	for {
		next, later := map[string]serving[A]{}, map[string]error{}
		for _, file := range slices.SortedFunc(maps.Keys(parsed), savedFirst) {
			d := parsed[file]
			if first, taken := next[d.ID]; taken {
				if !isSaved(first.file) { // which is meant to go before a file
					later[file] = Taken(d.ID, nil, first.file)
				}
				continue
			}
			next[d.ID] = serving[A]{file: file, d: d}
		}
		for id, was := range old { // a broken file keeps what it served
			if _, taken := next[id]; !taken && faults[was.file] != nil {
				next[id] = was
			}
		}
		find := func(id string) (Definition, bool) {
			s, ok := next[id]
			return s.d, ok
		}
		failed := map[string]error{}
		for _, id := range slices.Sorted(maps.Keys(next)) {
			s := next[id]
			s.key = closureKey(s.d, find)
			if was, ok := old[id]; ok && was.key == s.key {
				s.a = was.a
			} else if a, err := f.cfg.Build(s.d, find); err == nil {
				s.a = a
			} else if parsed[s.file].ID == id {
				failed[id] = err
				continue
			} else { // it worked with what it ran before
				s = old[id]
			}
			next[id] = s
		}
		if len(failed) == 0 {
			maps.Copy(faults, later)
			return next
		}
		for _, id := range blamed(failed, next, find) {
			file := next[id].file
			faults[file] = placed(failed[id], texts[file])
			delete(parsed, file)
		}
	}
}

// placed gives the problems of a text their lines.
func placed(err error, text []byte) error {
	var found Problems
	if errors.As(err, &found) {
		return found.Place(text)
	}
	return err
}

// blamed returns the definitions that failed by themselves, not because of what
// they run; all of them if each blames another.
func blamed[A any](failed map[string]error, next map[string]serving[A], find Find) []string {
	var out []string
	for id := range failed {
		own := true
		for _, sub := range Closure(next[id].d, find)[1:] {
			own = own && failed[sub.ID] == nil
		}
		if own {
			out = append(out, id)
		}
	}
	if len(out) == 0 {
		return slices.Collect(maps.Keys(failed))
	}
	return out
}

// Closure returns a definition and all that it runs, itself first.
func Closure(d Definition, find Find) []Definition {
	all := []Definition{d}
	seen := map[string]bool{d.ID: true}
	for i := 0; i < len(all) && find != nil; i++ {
		for _, n := range all[i].Nodes {
			var c struct {
				Workflow string `json:"workflow"`
			}
			if n.Type != TypeSub || json.Unmarshal(n.Config, &c) != nil || seen[c.Workflow] {
				continue
			}
			if sub, ok := find(c.Workflow); ok {
				seen[c.Workflow] = true
				all = append(all, sub)
			}
		}
	}
	return all
}

func closureKey(d Definition, find Find) string {
	var s strings.Builder
	for _, one := range Closure(d, find) {
		s.WriteString(one.ID + "@" + one.Hash() + " ")
	}
	return s.String()
}

// tell logs the changes that a scan found.
func (f *Folder[A]) tell(ctx context.Context, old, next map[string]serving[A], faults map[string]error) {
	for _, file := range slices.Sorted(maps.Keys(faults)) {
		f.cfg.Log.ErrorContext(ctx, "workflow file is broken", "file", file, "old_one_serves", keeps(next, file), "err", faults[file])
	}
	for _, id := range slices.Sorted(maps.Keys(next)) {
		if was, ok := old[id]; !ok || was.key != next[id].key {
			f.cfg.Log.InfoContext(ctx, "workflow serves", "workflow", id, "version", next[id].d.Version, "hash", next[id].d.Hash())
		}
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		if _, ok := next[id]; !ok {
			f.cfg.Log.InfoContext(ctx, "workflow is gone", "workflow", id)
		}
	}
}
