// Package pdf reads the text of PDFs with PDFium, which go-pdfium embeds as a WebAssembly module. The module runs
// within wazero with bounded memory and without files or network, and its faults become errors here.
//
// The package knows documents, pages, lines and paragraphs. It must not know other formats, passages or indexes: the
// package load calls it in its child process.
package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Config sets the module's cache and memory.
type Config struct {
	// Cache is a folder for the compiled module, filled by [Fill]: compiling takes seconds, loading a tenth of one.
	// "" compiles each time. Programs may share the folder.
	Cache string `json:"cache,omitempty"`
	// Memory bounds the module's memory in bytes; default 256 MiB.
	Memory int `json:"memory,omitempty"`
}

const (
	defaultMemory = 256 << 20
	pageSize      = 64 << 10 // WebAssembly's unit of memory
)

// Engine is the compiled module. It has one document open at a time and is not
// safe for concurrent use.
type Engine struct {
	stop   context.CancelFunc // nothing references the engine's memory afterwards
	pool   pdfium.Pool
	cache  wazero.CompilationCache // nil: none
	memory *arena
	first  pdfium.Pdfium // proves that the module starts; serves the first document
}

// Open starts the module: from its cache, or compiled for this engine alone if there is none. A damaged cache is
// [ErrDamaged]. When ctx ends the engine aborts and is unusable.
func Open(ctx context.Context, cfg Config) (*Engine, error) {
	if cfg.Memory <= 0 {
		cfg.Memory = defaultMemory
	}
	if cfg.Cache == "" {
		return start(ctx, cfg.Memory, "")
	}
	return openCached(ctx, cfg)
}

// start makes an engine and tests that it starts.
func start(ctx context.Context, memory int, cache string) (_ *Engine, err error) {
	e := &Engine{memory: &arena{limit: memory}}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	cfg := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling). // the module needs exceptions
		WithMemoryLimitPages(uint32(min(2*memory, 4<<30-pageSize) / pageSize)).            // below it the arena refuses, and records that it did
		WithCloseOnContextDone(true)
	if cache != "" {
		if e.cache, err = wazero.NewCompilationCacheWithDir(cache); err != nil {
			return nil, fmt.Errorf("cache %s: %w", cache, err)
		}
		cfg = cfg.WithCompilationCache(e.cache)
	}
	ctx, e.stop = context.WithCancel(ctx)
	ctx = experimental.WithMemoryAllocator(ctx, e.memory)
	e.pool, err = webassembly.Init(webassembly.Config{
		Context: ctx, MaxIdle: 1, MaxTotal: 1, RuntimeConfig: cfg,
		FSConfig: wazero.NewFSConfig(), // nil would mount the whole disk
		Stdout:   io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("compile PDFium: %w", err)
	}
	if e.first, err = e.pool.GetInstanceWithContext(ctx); err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return e, nil
}

// Close frees the engine's resources.
func (e *Engine) Close() error {
	var err error
	if e.pool != nil {
		err = e.pool.Close()
	}
	if e.stop != nil {
		e.stop()
	}
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(context.Background()))
	}
	return err
}

// arena is the memory of successive instances. It is reserved in one piece, of which only touched pages cost; growing
// piece by piece would copy it and briefly double it.
type arena struct {
	limit int
	buf   []byte
	used  int
	full  bool // the instance requested more
}

var _ experimental.MemoryAllocator = (*arena)(nil)

// Allocate implements [experimental.MemoryAllocator].
func (a *arena) Allocate(_, _ uint64) experimental.LinearMemory {
	if a.buf == nil {
		a.buf = make([]byte, a.limit)
	}
	clear(a.buf[:a.used])
	a.used, a.full = 0, false
	return a
}

// Reallocate implements [experimental.LinearMemory].
func (a *arena) Reallocate(size uint64) []byte {
	if size > uint64(len(a.buf)) {
		a.full = true
		return nil
	}
	a.used = max(a.used, int(size))
	return a.buf[:size]
}

// Free implements [experimental.LinearMemory].
func (a *arena) Free() {}
