package library

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"sync"

	"maru/rag"
)

// refusals are the unreadable files of the watched folder's last scan. The documents page shows them, because the
// person who put a file there does not read logs. It is safe for concurrent use.
type refusals struct {
	mu     sync.Mutex
	byName map[string]refusal
}

type refusal struct {
	err     error
	edition string // state of the file's bytes, see stateOf
}

// stateOf returns a file's state by size and time, without its content.
func stateOf(info fs.FileInfo) string {
	return strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
}

// note records a file's refusal and reports whether it is new.
func (r *refusals) note(name, edition string, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byName == nil {
		r.byName = map[string]refusal{}
	}
	old, known := r.byName[name]
	r.byName[name] = refusal{err, edition}
	return !known || old.err.Error() != err.Error()
}

func (r *refusals) clear(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byName, name)
}

// has reports whether a file of this name is refused.
func (r *refusals) has(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.byName[name]
	return ok
}

// keep drops the refusals of all other names.
func (r *refusals) keep(names map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.byName, func(name string, _ refusal) bool { return !names[name] })
}

// stillRefused reports whether this edition was refused for its content, so that another read would fail alike.
func (r *refusals) stillRefused(name, edition string, permanent func(error) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, ok := r.byName[name]
	return ok && old.edition == edition && permanent != nil && permanent(old.err)
}

// names returns the names of the refused files, sorted.
func (r *refusals) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.byName))
}

// Outdated reports whether this program would read a document better but no longer has its file. It excludes
// documents that the program reads again itself.
func (l *Library) Outdated(d rag.Document) bool {
	return d.By != ByFolder && d.By != ByProgram && !Synced(d.By) && l.ingest.Outdated(d)
}

// Refused returns, in a language, one sentence per unreadable file of the watched folder's last scan, with name,
// reason and remedy.
func (l *Library) Refused(language string) []string {
	l.refused.mu.Lock()
	defer l.refused.mu.Unlock()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(l.refused.byName)) {
		out = append(out, Sentence(l.refused.byName[name].err, language))
	}
	return out
}

// RefusedFiles returns the names of the unreadable files of the watched folder's last scan, sorted.
func (l *Library) RefusedFiles() []string { return l.refused.names() }
