package workflow

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// ReadFile reads the definition in a file. Where the text is at fault the error is
// Problems, and the text comes with it.
func ReadFile(name string) (d Definition, text []byte, err error) {
	if text, err = readBounded(name); err != nil {
		return Definition{}, nil, err
	}
	d, err = parseFile(name, text)
	return d, text, err
}

// parseFile is [Parse] for the text of a file, whose name is the id of a definition without one.
func parseFile(name string, text []byte) (Definition, error) {
	s := readFile(name, text)
	return s.d, s.found.err()
}

// readBounded reads a regular file, at most one byte more than may be parsed.
func readBounded(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > MaxSize:
		return make([]byte, MaxSize+1), nil // Parse says that it is too large
	}
	return os.ReadFile(name) //nolint:gosec // G304: the operator names the folder
}

// isSaved reports whether a name is that of a saved definition: no file in a folder has a slash in its name.
func isSaved(name string) bool { return strings.Contains(name, "/") }

// savedFirst orders names: saved definitions go before files.
func savedFirst(a, b string) int {
	if one, other := isSaved(a), isSaved(b); one != other {
		if one {
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

// addSaved adds the saved definitions to what was read.
func (f *Folder[A]) addSaved(ctx context.Context, found *files) error {
	if f.cfg.Saved == nil {
		return nil
	}
	saved, err := f.cfg.Saved(ctx)
	if err != nil {
		return fmt.Errorf("read saved workflows: %w", err)
	}
	sum := sha256.New()
	fmt.Fprint(sum, found.digest)
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		found.texts[name] = saved[name]
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(saved[name]))
		sum.Write(saved[name])
	}
	found.digest = fmt.Sprintf("%x", sum.Sum(nil))
	return nil
}
