package loadtest

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Body is what a function of a module that [PDFium] makes does.
type Body struct {
	Trap    bool  // it ends the module
	TrapAt  int32 // it does so if this is its second parameter; 0: it does not
	Forever bool  // it does not end
	Returns int32 // else
}

// pdfiumFunctions are the functions of PDFium that maru/rag/load/pdfium calls, with the
// number of their parameters and of their results.
var pdfiumFunctions = map[string][2]int{
	"__wasm_call_ctors": {0, 0}, "malloc": {1, 1}, "free": {1, 0},
	"emscripten_stack_get_current": {0, 1}, "_emscripten_stack_restore": {1, 0}, "setThrew": {2, 0},
	"FPDF_InitLibrary": {0, 0}, "FPDF_GetLastError": {0, 1},
	"FPDF_LoadMemDocument": {3, 1}, "FPDF_CloseDocument": {1, 0}, "FPDF_GetPageCount": {1, 1}, "FPDF_GetMetaText": {4, 1},
	"FPDF_LoadPage": {2, 1}, "FPDF_ClosePage": {1, 0},
	"FPDFText_LoadPage": {1, 1}, "FPDFText_ClosePage": {1, 0}, "FPDFText_CountChars": {1, 1},
	"FPDFText_GetText": {4, 1}, "FPDFText_GetUnicode": {2, 1}, "FPDFText_GetFontSize": {2, 1},
	"FPDFText_GetMatrix": {3, 1}, "FPDFText_GetCharOrigin": {4, 1}, "FPDFText_GetLooseCharBox": {3, 1},
}

// PDFium makes a WebAssembly module that has PDFium's functions, to see what becomes
// of a module that is faulty: each returns 1 unless bodies says otherwise.
func PDFium(bodies map[string]Body) []byte {
	var names []string
	for name := range pdfiumFunctions {
		names = append(names, name)
	}
	slices.Sort(names)
	var types, functions, exports, code [][]byte
	for i, name := range names {
		shape := pdfiumFunctions[name]
		kind := append([]byte{0x60}, vector(repeated(0x7f, shape[0]))...)
		types = append(types, append(kind, vector(repeated(0x7f, shape[1]))...))
		functions = append(functions, number(i))
		exports = append(exports, slices.Concat(sized([]byte(name)), []byte{0}, number(i)))
		body, ok := bodies[name]
		if !ok {
			body = Body{Returns: 1}
		}
		code = append(code, sized(body.code(shape[1])))
	}
	exports = append(exports, slices.Concat(sized([]byte("memory")), []byte{2, 0}))
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id   byte
		body []byte
	}{{1, vector(types)}, {3, vector(functions)}, {5, []byte{1, 0, 1}}, {7, vector(exports)}, {10, vector(code)}} {
		out = append(append(out, s.id), sized(s.body)...)
	}
	return out
}

func (b Body) code(results int) []byte {
	out := []byte{0} // no variables
	switch {
	case b.Trap:
		out = append(out, 0x00)
	case b.TrapAt != 0: // the parameter, this, equal, if, trap, end
		out = slices.Concat(out, []byte{0x20, 0x01, 0x41}, signed(b.TrapAt), []byte{0x46, 0x04, 0x40, 0x00, 0x0b})
	case b.Forever:
		out = append(out, 0x03, 0x40, 0x0c, 0x00, 0x0b) // loop, branch to it, end
	}
	if results > 0 && !b.Trap {
		out = append(append(out, 0x41), signed(b.Returns)...)
	}
	return append(out, 0x0b)
}

func repeated(b byte, n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = []byte{b}
	}
	return out
}

func vector(items [][]byte) []byte {
	return append(number(len(items)), bytes.Join(items, nil)...)
}
func sized(b []byte) []byte { return append(number(len(b)), b...) }
func number(n int) []byte   { return binary.AppendUvarint(nil, uint64(n)) }

func signed(v int32) []byte {
	var out []byte
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
