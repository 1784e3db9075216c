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
)

// The cache has a folder for each build of PDFium and wazero: in it what wazero
// writes, and the SHA-256 of that, which is checked before anything in it is run. wazero
// checks the code that it reads back, but not where in it each function begins, and
// would run what a bad disk has changed. A folder is made under another name and
// renamed, so that programs which start at the same time find it whole or not at all.
const (
	sumFile    = "sum"
	unfinished = "new-"
	abandoned  = time.Hour // older folders than this are of no use to another program
)

var errDamaged = errors.New("the compiled PDF reader is damaged")

// Fill compiles the module into the cache, unless it is there and runs. It reads no
// document, so that whoever reads one need not be able to write to the cache.
func Fill(ctx context.Context, cfg Config) error {
	cfg.Memory = fillMemory
	dir := filepath.Join(cfg.Cache, build())
	if whole(dir) == nil {
		e, err := start(ctx, cfg.Memory, dir)
		if err == nil {
			err = e.Close()
		}
		if err == nil && whole(dir) == nil { // nothing was compiled again, as for another processor
			return nil
		}
	}
	if err := fill(ctx, cfg, dir); err != nil {
		return fmt.Errorf("keep the compiled PDF reader in %s: %w", cfg.Cache, err)
	}
	return nil
}

// fillMemory is enough to see that the module starts.
const fillMemory = 64 << 20

// openCached opens the module by its compiled form if that is as it was filled.
func openCached(ctx context.Context, cfg Config) (*Engine, error) {
	dir := filepath.Join(cfg.Cache, build())
	damage := whole(dir)
	if damage == nil {
		return start(ctx, cfg.Memory, dir)
	}
	e, err := start(ctx, cfg.Memory, "")
	if err == nil && !errors.Is(damage, fs.ErrNotExist) {
		e.Cache = fmt.Errorf("%w: %w", errDamaged, damage)
	}
	return e, err
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

// fill makes dir, which replaces whatever has that name.
func fill(ctx context.Context, cfg Config, dir string) error {
	if err := os.MkdirAll(cfg.Cache, 0o700); err != nil {
		return err
	}
	sweep(cfg.Cache, filepath.Base(dir))
	tmp, err := os.MkdirTemp(cfg.Cache, unfinished)
	if err != nil {
		return err
	}
	e, err := start(ctx, cfg.Memory, tmp)
	if err == nil {
		err = e.Close()
	}
	if err == nil {
		err = seal(tmp)
	}
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.Rename(tmp, dir)
	}
	if err == nil {
		return nil
	}
	err = errors.Join(err, os.RemoveAll(tmp))
	if whole(dir) == nil { // another program was first
		return nil
	}
	return err
}

// sweep removes the folders of other builds, and of programs that were killed while
// they compiled.
func sweep(cache, keep string) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || entry.Name() == keep || time.Since(info.ModTime()) < abandoned {
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

// whole reports how a folder of the cache differs from what was sealed.
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
