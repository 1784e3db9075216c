// Package pdfium reads the text of PDFs with PDFium, built as a WebAssembly
// module that an operator supplies as a file. The module runs within wazero: it
// has memory up to a bound and nothing else, neither files nor a clock nor the
// network, and whatever goes wrong in it is an error here.
//
// The package knows documents, pages and where text stands on them. What lines and
// paragraphs are, and what serves where there is no module, is known to
// the package load, which uses it in its child process.
package pdfium

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// Config says where the module is and what it may use.
type Config struct {
	// Module is the path of the module, such as pdfium.wasm of the npm package
	// @hyzyla/pdfium.
	Module string `json:"module"`
	// Cache is a folder for the module in the machine's own code: to compile it takes
	// seconds, to read what was compiled a tenth of one. "" means that it is
	// compiled each time. Programs may share the folder.
	Cache string `json:"cache,omitempty"`
	// Memory is how many bytes the module may use; default 256 MiB.
	Memory int `json:"memory,omitempty"`
}

const (
	defaultMemory = 256 << 20
	pageSize      = 64 << 10 // WebAssembly's unit of memory
	maxModule     = 64 << 20
)

// Engine is the compiled module. It has one document open at a time and is not
// safe for concurrent use.
type Engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil: none
	module  wazero.CompiledModule
	memory  *arena
	first   *instance // that proved that the module starts; the first document's
}

// Open compiles the module and tries whether it starts. A cache that is damaged
// is made again; one that cannot be written is done without.
func Open(ctx context.Context, cfg Config) (*Engine, error) {
	code, err := read(cfg.Module)
	if err != nil {
		return nil, err
	}
	if cfg.Memory <= 0 {
		cfg.Memory = defaultMemory
	}
	if cfg.Cache == "" {
		return compile(ctx, code, cfg.Memory, "")
	}
	return openCached(ctx, code, cfg)
}

// Sum is the SHA-256 of the module at path in hexadecimal: it tells builds of PDFium
// apart, which have no version to ask for. Nothing is compiled for it.
func Sum(path string) (string, error) {
	code, err := read(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(code)
	return hex.EncodeToString(sum[:]), nil
}

var magic = []byte("\x00asm\x01\x00\x00\x00")

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > maxModule:
		return nil, fmt.Errorf("%s has %d bytes; a module of PDFium has a few million", path, info.Size())
	}
	code, err := os.ReadFile(path)
	switch {
	case err != nil:
		return nil, err
	case !bytes.HasPrefix(code, magic):
		return nil, fmt.Errorf("%s is not a WebAssembly module", path)
	case !complete(code):
		return nil, fmt.Errorf("%s is a WebAssembly module that is cut off", path)
	}
	return code, nil
}

// complete reports whether the sections of a module, each of which says how long
// it is, end where the module does: a download that broke off is found without compiling it.
func complete(code []byte) bool {
	rest := code[len(magic):]
	for len(rest) > 0 {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return false
		}
		rest = rest[1+n+int(size):]
	}
	return len(code) > len(magic)
}

// compile makes an engine that has proved that it starts.
func compile(ctx context.Context, code []byte, memory int, cache string) (*Engine, error) {
	e := &Engine{memory: &arena{limit: memory}}
	cfg := wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(min(memory, 4<<30-pageSize) / pageSize))
	if cache != "" {
		var err error
		if e.cache, err = wazero.NewCompilationCacheWithDir(cache); err != nil {
			return nil, fmt.Errorf("cache %s: %w", cache, err)
		}
		cfg = cfg.WithCompilationCache(e.cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, cfg)
	if err := e.build(ctx, code); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

func (e *Engine) build(ctx context.Context, code []byte) (err error) {
	if e.module, err = e.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), code); err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	if err := checkExports(e.module); err != nil {
		return err
	}
	if err := host(ctx, e.runtime, e.module); err != nil {
		return fmt.Errorf("functions that the module asks for: %w", err)
	}
	if e.first, err = e.start(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	return nil
}

// Close frees what the engine holds.
func (e *Engine) Close(ctx context.Context) error {
	err := e.runtime.Close(ctx)
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(ctx))
	}
	return err
}

// arena is the memory of one instance after another. It is taken from the
// system in one piece, which costs only what is touched; grown piece by
// piece it would be copied, and for a while be there twice.
type arena struct {
	limit int
	buf   []byte
	used  int
}

var _ experimental.MemoryAllocator = (*arena)(nil)

// Allocate implements [experimental.MemoryAllocator].
func (a *arena) Allocate(_, _ uint64) experimental.LinearMemory {
	if a.buf == nil {
		a.buf = make([]byte, a.limit)
	}
	clear(a.buf[:a.used])
	a.used = 0
	return a
}

// Reallocate implements [experimental.LinearMemory].
func (a *arena) Reallocate(size uint64) []byte {
	if size > uint64(len(a.buf)) {
		return nil
	}
	a.used = max(a.used, int(size))
	return a.buf[:size]
}

// Free implements [experimental.LinearMemory].
func (a *arena) Free() {}
