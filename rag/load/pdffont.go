package load

import (
	"encoding/hex"
	"io"
	"math"
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/korean"
)

// pageFont decodes and measures the strings of one font.
type pageFont struct {
	decode  func(raw string) string
	step    func(raw string) int // bytes of the code that raw begins with
	widths  map[int]float64
	missing float64
	scale   float64 // glyph space to text space: 1/1000, but a Type 3 font has its own
}

func oneByte(string) int  { return 1 }
func twoBytes(string) int { return 2 }

// uhc is the mixed width of CP949: ASCII in one byte, Hangul in two.
func uhc(raw string) int {
	if raw[0] < 0x81 {
		return 1
	}
	return 2
}

// newPageFont reads a font. A ToUnicode table goes before everything else, as the
// specification says; then what the font's own encoding means.
func newPageFont(f pdf.Font) *pageFont {
	p := &pageFont{step: oneByte, widths: map[int]float64{}, scale: 0.001, missing: 500}
	encoding := f.V.Key("Encoding").Name()
	if f.V.Key("Subtype").Name() == "Type0" {
		p.step = twoBytes
		if strings.HasPrefix(encoding, "KSCms-UHC") || strings.HasPrefix(encoding, "KSC-EUC") {
			p.step = uhc
		}
		p.cidWidths(f.V.Key("DescendantFonts").Index(0))
	} else {
		if m := f.V.Key("FontMatrix"); f.V.Key("Subtype").Name() == "Type3" && m.Len() == 6 {
			p.scale = math.Abs(m.Index(0).Float64())
		}
		first, w := int(f.V.Key("FirstChar").Int64()), f.V.Key("Widths")
		for i := range min(w.Len(), 256) {
			p.widths[first+i] = w.Index(i).Float64()
		}
	}
	p.decode = p.decoder(f, encoding)
	return p
}

func (p *pageFont) decoder(f pdf.Font, encoding string) func(string) string {
	if table := toUnicode(f.V.Key("ToUnicode")); len(table) > 0 {
		return func(raw string) string { return p.byTable(raw, table) }
	}
	switch {
	case strings.HasPrefix(encoding, "KSCms-UHC"), strings.HasPrefix(encoding, "KSC-EUC"):
		return func(raw string) string {
			s, err := korean.EUCKR.NewDecoder().String(raw)
			if err != nil {
				return ""
			}
			return s
		}
	case strings.HasPrefix(encoding, "Uni"): // UniKS-UTF16-H and its kin
		return utf16BE
	case f.V.Key("Subtype").Name() == "Type0":
		return func(string) string { return "" } // glyph numbers of a font without a table mean nothing
	}
	enc := f.Encoder()
	return func(raw string) string {
		if enc == nil {
			return raw
		}
		return enc.Decode(raw)
	}
}

func (p *pageFont) byTable(raw string, table map[int]string) string {
	var b strings.Builder
	p.codes(raw, func(code int) { b.WriteString(table[code]) })
	return b.String()
}

// codes calls f for each character code of raw.
func (p *pageFont) codes(raw string, f func(int)) {
	for len(raw) > 0 {
		n := min(p.step(raw), len(raw))
		code := int(raw[0])
		if n == 2 {
			code = code<<8 | int(raw[1])
		}
		f(code)
		raw = raw[n:]
	}
}

// width is how far one code moves on, in glyph space.
func (p *pageFont) width(code int) float64 {
	if w, ok := p.widths[code]; ok {
		return w
	}
	return p.missing
}

// cidWidths reads the W array: "first [w w w]" or "first last w".
func (p *pageFont) cidWidths(d pdf.Value) {
	p.missing = 1000
	if dw := d.Key("DW"); dw.Kind() == pdf.Integer || dw.Kind() == pdf.Real {
		p.missing = dw.Float64()
	}
	w := d.Key("W")
	for i := 0; i+1 < w.Len(); {
		first := int(w.Index(i).Int64())
		if list := w.Index(i + 1); list.Kind() == pdf.Array {
			for k := range list.Len() {
				p.widths[first+k] = list.Index(k).Float64()
			}
			i += 2
			continue
		}
		last, width := int(w.Index(i+1).Int64()), w.Index(i+2).Float64()
		for c := first; c <= last && c-first < 1<<16; c++ {
			p.widths[c] = width
		}
		i += 3
	}
}

const (
	maxCMap  = 4 << 20
	maxCodes = 1 << 17
)

// toUnicode reads a ToUnicode table: character codes to text.
func toUnicode(v pdf.Value) map[int]string {
	if v.Kind() != pdf.Stream {
		return nil
	}
	r := v.Reader()
	b, err := io.ReadAll(io.LimitReader(r, maxCMap))
	if cerr := r.Close(); err != nil || cerr != nil {
		return nil
	}
	t := cmapTable{out: map[int]string{}}
	tokens := cmapTokens(string(b))
	for i := 0; i < len(tokens); i++ {
		switch tokens[i] {
		case "beginbfchar":
			i = t.chars(tokens, i+1)
		case "beginbfrange":
			i = t.ranges(tokens, i+1)
		}
	}
	return t.out
}

type cmapTable struct{ out map[int]string }

func (t *cmapTable) set(code int, text string) {
	if len(t.out) < maxCodes {
		t.out[code] = text
	}
}

// chars reads "<code> <text>" up to endbfchar.
func (t *cmapTable) chars(tokens []string, i int) int {
	for ; i+1 < len(tokens) && tokens[i] != "endbfchar"; i += 2 {
		t.set(hexNumber(tokens[i]), utf16BE(hexBytes(tokens[i+1])))
	}
	return i
}

// ranges reads "<first> <last> <text>" and "<first> <last> [<text> <text>]" up to endbfrange.
func (t *cmapTable) ranges(tokens []string, i int) int {
	for i+2 < len(tokens) && tokens[i] != "endbfrange" {
		first, last := hexNumber(tokens[i]), min(hexNumber(tokens[i+1]), hexNumber(tokens[i])+1<<16)
		if tokens[i+2] == "[" {
			for i += 3; i < len(tokens) && tokens[i] != "]"; i++ {
				if first <= last {
					t.set(first, utf16BE(hexBytes(tokens[i])))
				}
				first++
			}
			i++
			continue
		}
		text := []rune(utf16BE(hexBytes(tokens[i+2])))
		for c := first; c <= last && len(text) > 0; c++ {
			t.set(c, string(text))
			text[len(text)-1]++
		}
		i += 3
	}
	return i
}

// cmapTokens cuts the table's program into hex strings, brackets and words.
func cmapTokens(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '<' || c == '>':
			end := strings.IndexByte(s[i+1:], '>')
			if c == '>' || strings.HasPrefix(s[i:], "<<") || end < 0 {
				i++
				continue
			}
			out = append(out, s[i:i+1+end])
			i += end + 2
		case c == '[' || c == ']':
			out = append(out, s[i:i+1])
			i++
		case c <= ' ':
			i++
		default:
			end := strings.IndexAny(s[i:], " \t\r\n<>[]")
			if end < 0 {
				end = len(s) - i
			}
			out = append(out, s[i:i+end])
			i += end
		}
	}
	return out
}

func hexBytes(token string) string {
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdefABCDEF", r) {
			return r
		}
		return -1
	}, strings.TrimPrefix(token, "<"))
	if len(digits)%2 == 1 {
		digits += "0"
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return ""
	}
	return string(b)
}

func hexNumber(token string) int {
	n := 0
	for _, c := range []byte(hexBytes(token)) {
		n = (n<<8 | int(c)) & 0xFFFFFF
	}
	return n
}

func utf16BE(b string) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	return string(utf16.Decode(units))
}
