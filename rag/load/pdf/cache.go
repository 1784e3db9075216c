package pdf

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
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// The cache has a folder for each build of PDFium and wazero: wazero's output, and its SHA-256, which is verified
// before anything in it runs. wazero checks the code that it reads back, but not the function offsets, and would run
// what a bad disk has changed. A folder is written under a temporary name and renamed, so that readers see
// all of it or nothing.
const (
	sumFile    = "sum"
	lockFile   = "lock" // held by who fills the cache
	unfinished = "new-"
	abandoned  = time.Hour // folders older than this are unused
)

// ErrDamaged reports a cache that differs from its checksum; [Fill] makes it again.
var ErrDamaged = errors.New("the compiled PDF reader is damaged")

// Fill compiles the module into the cache unless a valid copy is there. It reads no document, so that document
// readers need no write access to the cache.
func Fill(ctx context.Context, cfg Config) error {
	cfg.Memory = fillMemory
	dir := filepath.Join(cfg.Cache, build())
	if whole(dir) == nil {
		e, err := start(ctx, cfg.Memory, dir)
		if err == nil {
			err = e.Close()
		}
		if err == nil && whole(dir) == nil { // compiled again, as for another processor
			return nil
		}
	}
	if err := fill(ctx, cfg.Cache, dir, func(tmp string) error {
		e, err := start(ctx, cfg.Memory, tmp)
		if err == nil {
			err = e.Close()
		}
		return err
	}); err != nil {
		return fmt.Errorf("keep the compiled PDF reader in %s: %w", cfg.Cache, err)
	}
	return nil
}

// fillMemory suffices to start the module.
const fillMemory = 64 << 20

// openCached opens the module from the cache if its checksum matches, and compiles it if there is no cache.
func openCached(ctx context.Context, cfg Config) (*Engine, error) {
	dir := filepath.Join(cfg.Cache, build())
	switch damage := whole(dir); {
	case damage == nil:
		return start(ctx, cfg.Memory, dir)
	case !errors.Is(damage, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %w", ErrDamaged, damage)
	}
	return start(ctx, cfg.Memory, "")
}

// build names the versions that the compiled code depends on.
func build() string {
	name := "pdfium"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/klippa-app/go-pdfium" || dep.Path == "github.com/tetratelabs/wazero" {
				name += "-" + dep.Version
			}
		}
	}
	return name
}

// fill writes dir, replacing a damaged one, with the output of compile. One process at a time fills a cache: the others
// wait and find it filled.
func fill(ctx context.Context, cache, dir string, compile func(tmp string) error) (err error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(cache, lockFile))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if whole(dir) == nil {
		return nil
	}
	sweep(cache, filepath.Base(dir))
	tmp, err := os.MkdirTemp(cache, unfinished)
	if err != nil {
		return err
	}
	if err = compile(tmp); err == nil {
		err = seal(tmp)
	}
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.Rename(tmp, dir)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(tmp))
	}
	return err
}

// lockPoll is the interval at which a process that waits for the cache asks for its lock.
const lockPoll = 50 * time.Millisecond

// sweep removes the folders of other builds and of interrupted compilations.
func sweep(cache, keep string) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || entry.Name() == keep || entry.Name() == lockFile || time.Since(info.ModTime()) < abandoned {
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

// whole returns the difference of a cache folder from its seal.
func whole(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	want, err := os.ReadFile(filepath.Join(dir, sumFile))
	if err != nil {
		return errors.New("it has no checksum")
	}
	sum, err := digest(dir)
	switch {
	case err != nil:
		return fmt.Errorf("read it: %w", err)
	case sum != strings.TrimSpace(string(want)):
		return errors.New("its checksum is another one")
	}
	return nil
}

// digest returns the checksum of all files below dir with their names, except the checksum file.
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
