package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"maru/phrase"
	"maru/rag"
)

// File is a file of this machine and its document name.
type File struct {
	Path  string
	Name  string // of an unreadable folder it ends with a slash
	Fault error  // why it cannot be read; nil if it can
}

// Fault is the reason to skip a file or folder, with its remedy.
type Fault struct {
	Key  string // key in the catalogue, such as folder.unreadable
	Name string // of the file
	Err  error  // the cause; may be nil
}

// Error implements error.
func (e *Fault) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return e.PeopleText(phrase.Fallback)
}

// Unwrap returns the cause.
func (e *Fault) Unwrap() error { return e.Err }

// PeopleText returns the message for people; see [Sentence].
func (e *Fault) PeopleText(language string) string { return phrase.Say(language, e.Key, e.Name) }

// FindFiles lists the files under the paths, without hidden files and editors' swap files. It lists an unreadable
// folder or file with its fault and continues.
func FindFiles(paths []string) ([]File, error) {
	var found []File
	for _, p := range paths {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file or folder; nothing was added", p)
		}
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			found = append(found, File{Path: p, Name: filepath.Base(p)})
			continue
		}
		files, err := walk(filepath.Clean(p))
		if err != nil {
			return nil, err
		}
		found = append(found, files...)
	}
	return dropDuplicates(found), nil
}

// dropDuplicates drops duplicates: of a file given alone and with its folder, it keeps the longer name.
func dropDuplicates(found []File) []File {
	at := map[string]int{}
	var out []File
	for _, f := range found {
		id := origin(f.Path)
		i, again := at[id]
		switch {
		case !again || f.Fault != nil || out[i].Fault != nil || filepath.Base(f.Name) != filepath.Base(out[i].Name):
			at[id] = len(out)
			out = append(out, f)
		case len(f.Name) > len(out[i].Name):
			out[i] = f
		}
	}
	return out
}

// origin identifies a file of this machine without revealing its path.
func origin(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:12])
}

// walk lists the files of a folder, which may itself be a link. Names start with its base name.
func walk(root string) (found []File, err error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(real, path)
		if relErr != nil {
			return relErr
		}
		name := filepath.ToSlash(filepath.Join(filepath.Base(root), rel))
		switch {
		case err != nil && path == real:
			return err
		case err != nil:
			found = append(found, File{path, name + "/", &Fault{"folder.unreadable", name, err}})
			return fs.SkipDir
		case path != real && isTemporary(d.Name()) && d.IsDir():
			return fs.SkipDir
		case path != real && isTemporary(d.Name()):
		case d.Type().IsRegular():
			found = append(found, File{Path: path, Name: name})
		case d.Type()&fs.ModeSymlink != 0:
			found = append(found, File{path, name, linkFault(real, path, name)})
		}
		return nil
	})
	return found, err
}

// isTemporary matches hidden files and temporary files of editors and downloads.
func isTemporary(name string) bool {
	for _, begins := range []string{".", "~$", "#"} {
		if strings.HasPrefix(name, begins) {
			return true
		}
	}
	for _, ends := range []string{"~", ".tmp", ".swp", ".swx", ".part", ".crdownload"} {
		if strings.HasSuffix(strings.ToLower(name), ends) {
			return true
		}
	}
	return false
}

// linkFault accepts links within the folder and rejects others: files outside were not meant for everybody.
func linkFault(root, path, name string) error {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(target); err == nil && info.Mode().IsRegular() && strings.HasPrefix(target, root+string(filepath.Separator)) {
			return nil
		}
	}
	return &Fault{"folder.link", name, err}
}

// Named assigns files their existing document names. A document is identified by the end of its file's path: "f/a.md"
// of the folder f is the a.md added alone.
func (l *Library) Named(ctx context.Context, scope string, files []File) ([]File, error) {
	own, err := l.fromFiles(ctx, scope)
	if err != nil || len(own) == 0 {
		return files, err
	}
	out := make([]File, len(files))
	for i, f := range files {
		out[i] = f
		abs, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, err
		}
		for end := strings.TrimPrefix(filepath.ToSlash(abs), "/"); strings.HasSuffix(end, "/"+f.Name); {
			if _, ok := own[end]; ok {
				out[i].Name = end
				break
			}
			_, end, _ = strings.Cut(end, "/")
		}
	}
	return out, nil
}

// DropShorter deletes documents of the same file or bytes that were added under a shorter path than doc's: a.md, now
// that it is f/a.md. keep are the names to spare.
func (l *Library) DropShorter(ctx context.Context, doc rag.Document, keep map[string]bool) error {
	var errs []error
	for _, end, more := strings.Cut(doc.Source, "/"); more; _, end, more = strings.Cut(end, "/") {
		same, ok, err := l.ingest.Find(ctx, doc.Scope, end)
		if ok && fromFile(same) && !keep[end] && (same.Hash == doc.Hash || same.Origin != "" && same.Origin == doc.Origin) {
			_, err = l.Delete(ctx, doc.Scope, same.ID)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// fromFile reports whether a document came from a file of this machine.
func fromFile(d rag.Document) bool { return d.By == ByOperator || d.By == ByFolder }

// fromFiles returns the documents of a scope that came from files of this machine, by name.
func (l *Library) fromFiles(ctx context.Context, scope string) (map[string]rag.Document, error) {
	docs, err := l.Documents(ctx, []string{scope})
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	own := map[string]rag.Document{}
	for _, d := range docs {
		if fromFile(d) {
			own[d.Source] = d
		}
	}
	return own, nil
}
