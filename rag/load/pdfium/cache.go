package pdfium

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The cache has a folder for each module, named by the module's sum: in it what wazero
// writes, and the sum of that. wazero checks the code that it reads back, but not
// where in it each function begins, and would run what a bad disk has changed.
// A folder is made under another name and renamed, so that it is found whole or
// not at all, by however many programs at a time.
const (
	sumFile    = "sum"
	unfinished = "new-"
	abandoned  = time.Hour // nobody finishes a folder that is older
)

// openCached opens the module by its compiled form in the cache, or makes that.
func openCached(ctx context.Context, code []byte, cfg Config) (*Engine, error) {
	sum := sha256.Sum256(code)
	dir := filepath.Join(cfg.Cache, hex.EncodeToString(sum[:12]))
	if whole(dir) {
		if e, err := compile(ctx, code, cfg.Memory, dir); err == nil {
			return e, nil
		}
	}
	if e, err := fill(ctx, code, cfg, dir); err == nil {
		return e, nil
	}
	return compile(ctx, code, cfg.Memory, "") // a full disk is no reason not to read
}

// fill compiles the module and puts the result into the cache as dir. What cannot be
// put there is compiled for this once.
func fill(ctx context.Context, code []byte, cfg Config, dir string) (*Engine, error) {
	if err := os.MkdirAll(cfg.Cache, 0o700); err != nil {
		return nil, err
	}
	sweep(cfg.Cache)
	tmp, err := os.MkdirTemp(cfg.Cache, unfinished)
	if err != nil {
		return nil, err
	}
	e, err := compile(ctx, code, cfg.Memory, tmp)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(tmp))
	}
	if seal(tmp) == nil && os.RemoveAll(dir) == nil && os.Rename(tmp, dir) == nil {
		return e, nil
	}
	_ = os.RemoveAll(tmp) // another program was first, or the disk is full: sweep tries again
	return e, nil
}

// sweep removes what programs left that were ended while they compiled.
func sweep(cache string) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !strings.HasPrefix(entry.Name(), unfinished) || time.Since(info.ModTime()) < abandoned {
			continue
		}
		if os.RemoveAll(filepath.Join(cache, entry.Name())) != nil {
			return
		}
	}
}

func seal(dir string) error {
	sum, err := digest(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, sumFile), []byte(sum), 0o600)
}

// whole reports whether a folder of the cache is as it was sealed.
func whole(dir string) bool {
	want, err := os.ReadFile(filepath.Join(dir, sumFile))
	if err != nil {
		return false
	}
	sum, err := digest(dir)
	return err == nil && sum == string(want)
}

// digest is the sum of all files below dir with their names, but for the sum itself.
func digest(dir string) (string, error) {
	h := sha256.New()
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == sumFile {
			return err
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(h, "%q\n", name) // a hash takes everything
		_, err = io.Copy(h, f)
		return errors.Join(err, f.Close())
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
