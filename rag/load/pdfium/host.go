package pdfium

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/emscripten"
)

const (
	errnoNoSys = 52 // "function not supported", as WASI and Emscripten number it

	envModule  = "env"
	wasiModule = "wasi_snapshot_preview1"
)

var errAborted = errors.New("the module gave up")

// host gives the module the functions that it imports: Emscripten's for
// setjmp and for growing its memory. The rest are a system's, and every one
// answers that it is not supported. One that nobody knows ends the
// module if it is called, so that a newer build works as far as it can.
func host(ctx context.Context, r wazero.Runtime, m wazero.CompiledModule) error {
	jumps, err := emscripten.NewFunctionExporterForModule(m)
	if err != nil {
		return err
	}
	builders := map[string]wazero.HostModuleBuilder{}
	for _, f := range m.ImportedFunctions() {
		from, name, _ := f.Import()
		b := builders[from]
		if b == nil {
			b = r.NewHostModuleBuilder(from)
			builders[from] = b
			if from == envModule {
				jumps.ExportFunctions(b)
			}
		}
		if from == envModule && (strings.HasPrefix(name, "invoke_") || name == "_emscripten_throw_longjmp" || name == "emscripten_notify_memory_growth") {
			continue // of jumps
		}
		b.NewFunctionBuilder().WithGoModuleFunction(hostFunc(from, name, f), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

func hostFunc(from, name string, f api.FunctionDefinition) api.GoModuleFunc {
	number := len(f.ResultTypes()) == 1 && f.ResultTypes()[0] == api.ValueTypeI32
	switch {
	case from == envModule && name == "emscripten_resize_heap" && number && len(f.ParamTypes()) == 1:
		return resizeHeap
	case from == envModule && name == "emscripten_date_now" && len(f.ResultTypes()) == 1:
		return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 0 } // of the type's every shape
	case from == envModule && strings.HasPrefix(name, "__syscall_") && number:
		return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = api.EncodeI32(-errnoNoSys) }
	case from == wasiModule && number:
		return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = errnoNoSys }
	}
	return func(context.Context, api.Module, []uint64) {
		panic(fmt.Errorf("%w: it called %s.%s", errAborted, from, name))
	}
}

// resizeHeap makes the memory at least as large as is asked for, and some more
// so that it is not asked for every few bytes.
func resizeHeap(_ context.Context, m api.Module, stack []uint64) {
	mem := m.Memory()
	have, want := uint64(mem.Size()), uint64(uint32(stack[0]))
	for _, size := range []uint64{want + want/8, want} {
		if size <= have {
			break
		}
		if _, ok := mem.Grow(uint32((size - have + pageSize - 1) / pageSize)); ok {
			stack[0] = 1
			return
		}
	}
	stack[0] = 0
}
