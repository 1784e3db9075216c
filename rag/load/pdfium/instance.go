package pdfium

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// shape is the number of a function's parameters and of its results.
type shape struct{ params, results int }

// needed are PDFium's functions that are called here, from its public headers
// fpdfview.h, fpdf_doc.h and fpdf_text.h, and those of the C library and of Emscripten.
var needed = map[string]shape{
	"__wasm_call_ctors": {0, 0}, "malloc": {1, 1}, "free": {1, 0},
	"emscripten_stack_get_current": {0, 1}, "_emscripten_stack_restore": {1, 0}, "setThrew": {2, 0},
	"FPDF_InitLibrary": {0, 0}, "FPDF_GetLastError": {0, 1},
	"FPDF_LoadMemDocument": {3, 1}, "FPDF_CloseDocument": {1, 0}, "FPDF_GetPageCount": {1, 1}, "FPDF_GetMetaText": {4, 1},
	"FPDF_LoadPage": {2, 1}, "FPDF_ClosePage": {1, 0},
	"FPDFText_LoadPage": {1, 1}, "FPDFText_ClosePage": {1, 0}, "FPDFText_CountChars": {1, 1},
	"FPDFText_GetText": {4, 1}, "FPDFText_GetUnicode": {2, 1}, "FPDFText_GetFontSize": {2, 1},
	"FPDFText_GetMatrix": {3, 1}, "FPDFText_GetCharOrigin": {4, 1}, "FPDFText_GetLooseCharBox": {3, 1},
}

func checkExports(m wazero.CompiledModule) error {
	have := m.ExportedFunctions()
	for name, s := range needed {
		f := have[name]
		if f == nil || len(f.ParamTypes()) != s.params || len(f.ResultTypes()) != s.results {
			return fmt.Errorf("it is not a module of PDFium as this program can use it: %s is missing or another function", name)
		}
	}
	if len(m.ExportedMemories()) != 1 {
		return errors.New("it is not a module of PDFium as this program can use it: it exports no memory")
	}
	return nil
}

// instance is the module at work. After its first fault it is not used again.
type instance struct {
	mod   api.Module
	calls map[string]api.Function
	stack [4]uint64
	err   error // the first fault
}

// start makes an instance with an empty memory.
func (e *Engine) start(ctx context.Context) (*instance, error) {
	mod, err := e.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, e.memory), e.module,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	in := &instance{mod: mod, calls: make(map[string]api.Function, len(needed))}
	for name := range needed {
		in.calls[name] = mod.ExportedFunction(name)
	}
	if f := mod.ExportedFunction("emscripten_stack_init"); f != nil { // of builds that check their stack
		in.calls["emscripten_stack_init"] = f
		in.call(ctx, "emscripten_stack_init")
	}
	in.call(ctx, "__wasm_call_ctors")
	in.call(ctx, "FPDF_InitLibrary")
	if in.err != nil {
		return nil, errors.Join(in.err, in.close(ctx))
	}
	return in, nil
}

func (in *instance) close(ctx context.Context) error { return in.mod.Close(ctx) }

// call calls a function of the module. After a fault it does nothing and returns 0.
func (in *instance) call(ctx context.Context, name string, args ...uint64) uint64 {
	if in.err != nil {
		return 0
	}
	in.stack[0] = 0
	copy(in.stack[:], args)
	if err := in.calls[name].CallWithStack(ctx, in.stack[:]); err != nil {
		in.err = fmt.Errorf("%s: %w", name, err)
		return 0
	}
	return in.stack[0]
}

// alloc returns the address of n bytes of the module's memory.
func (in *instance) alloc(ctx context.Context, n int) uint32 {
	p := uint32(in.call(ctx, "malloc", uint64(n)))
	if p == 0 && in.err == nil {
		in.err = fmt.Errorf("no memory for %d bytes", n)
	}
	return p
}

func (in *instance) float32(at uint32) float64 {
	v, ok := in.mod.Memory().ReadFloat32Le(at)
	return in.finite(float64(v), ok)
}

func (in *instance) float64(at uint32) float64 {
	v, ok := in.mod.Memory().ReadFloat64Le(at)
	return in.finite(v, ok)
}

// finite is v, or 0 for what is no number: a file decides what it is.
func (in *instance) finite(v float64, ok bool) float64 {
	if !ok && in.err == nil {
		in.err = errors.New("an address outside of the memory")
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
