// Package charset detects and decodes the encodings of text files on Korean, Japanese and western computers.
//
// It must not know formats of files.
package charset

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"
)

// Decode converts text to UTF-8: from UTF-8 and UTF-16 with or without a byte order mark, else from CP949 (Korean
// Windows), Shift-JIS, EUC-JP or Windows-1252.
func Decode(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		return strings.ToValidUTF8(string(data[3:]), "\uFFFD"), nil
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(data)
		return string(out), err
	}
	if order, ok := looksUTF16(data); ok {
		out, err := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(data)
		return string(out), err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", errors.New("binary data")
	}
	if utf8.Valid(data) {
		return string(data), nil
	}
	from := encoding.Encoding(korean.EUCKR)
	switch {
	case western(data):
		from = charmap.Windows1252
	case japaneseShare(data) > koreanShare(data):
		from = japanese.ShiftJIS
	case eucJP(data):
		from = japanese.EUCJP
	}
	out, err := from.NewDecoder().Bytes(data)
	if err != nil {
		return "", err
	}
	if bad := bytes.Count(out, []byte("\uFFFD")); bad*50 > utf8.RuneCount(out) {
		return "", errors.New("in no known encoding")
	}
	return string(out), nil
}

// sampled bounds the bytes from which the encoding is judged.
const sampled = 64 << 10

// koreanShare returns the share of the letters beyond ASCII that are usual in Korean if the text is CP949: those of KS X 1001. The
// syllables that CP949 adds are rare in Korean, and are what Japanese text turns into.
func koreanShare(data []byte) float64 {
	usual, all := 0, 0
	data = data[:min(len(data), sampled)]
	for i := 0; i < len(data); i++ {
		if data[i] < 0x80 {
			continue
		}
		if all++; i+1 < len(data) && data[i] >= 0xA1 && data[i+1] >= 0xA1 {
			usual++
		}
		if i+1 < len(data) && data[i+1] >= 0x40 {
			i++
		}
	}
	return float64(usual) / float64(max(1, all))
}

// japaneseShare returns the share of the letters beyond ASCII that are kana, kanji or signs of two bytes if the text is Shift-JIS.
// Half-width kana, one byte each, are what Korean text turns into.
func japaneseShare(data []byte) float64 {
	usual, all := 0, 0
	data = data[:min(len(data), sampled)]
	for i := 0; i < len(data); i++ {
		c := data[i]
		if c < 0x80 {
			continue
		}
		all++
		lead := c >= 0x81 && c <= 0x84 || c >= 0x87 && c <= 0x9F || c >= 0xE0 && c <= 0xEA || c >= 0xED && c <= 0xFC
		if lead && i+1 < len(data) && data[i+1] >= 0x40 && data[i+1] != 0x7F && data[i+1] <= 0xFC {
			usual++
			i++
		}
	}
	return float64(usual) / float64(max(1, all))
}

// eucJP reports whether a text in pairs is EUC-JP: its kana from む on are jamo in CP949 that nobody writes any more.
func eucJP(data []byte) bool {
	kana, all := 0, 0
	data = data[:min(len(data), sampled)]
	for i := 0; i+1 < len(data); i++ {
		if data[i] < 0x80 {
			continue
		}
		if all++; data[i] == 0xA4 && data[i+1] >= 0xE0 && data[i+1] <= 0xF3 {
			kana++
		}
		i++
	}
	return kana*25 > all
}

// western tells Windows-1252, with single non-ASCII bytes (it’s, é) or two beside a Latin letter (Größe), from CP949, where
// they come in pairs. The lower-case letters of western languages would be hanja; a text with a Hangul syllable is none.
func western(data []byte) bool {
	alone, all, beside := 0, 0, 0
	hangul := false
	data = data[:min(len(data), sampled)]
	for i := 0; i < len(data); {
		from := i
		for i < len(data) && data[i] >= 0x80 {
			i++
		}
		switch n := i - from; {
		case n == 0:
			i++
			continue
		case n == 1:
			alone++
		case n < 4 && (from > 0 && isLetter(data[from-1]) || i < len(data) && isLetter(data[i])):
			beside += n
		}
		for at := from; at+1 < i; at += 2 {
			hangul = hangul || data[at] >= 0xB0 && data[at] <= 0xC8 && data[at+1] >= 0xA1
		}
		all += i - from
	}
	return alone*3 > all*2 || !hangul && alone+beside == all
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// looksUTF16 recognises UTF-16 without a mark: in the right order nearly all of it is letters, and four in five of those beyond
// ASCII belong to one script, which those of binary data do not. Zero bytes tell it from other text.
func looksUTF16(data []byte) (order unicode.Endianness, ok bool) {
	head := data[:min(len(data), 4096)&^1]
	zeros := bytes.Count(head, []byte{0})
	high := slices.ContainsFunc(head, func(c byte) bool { return c >= 0x80 })
	if len(head) < 8 || zeros == 0 || !high && zeros*5 < len(head)*2 { // pairs of ASCII look like hanja; UTF-16 of ASCII is half zeros
		return unicode.LittleEndian, false
	}
	var usual, foreign [2]int
	var scripts [2][scriptCount]int
	for i := 0; i < len(head); i += 2 {
		for n, u := range [2]rune{rune(head[i]) | rune(head[i+1])<<8, rune(head[i])<<8 | rune(head[i+1])} {
			of := scriptOf(u)
			if of == noScript {
				continue
			}
			if usual[n]++; of != ascii {
				foreign[n]++
				scripts[n][of]++
			}
		}
	}
	n := 0
	order = unicode.LittleEndian
	if usual[1] > usual[0] {
		n, order = 1, unicode.BigEndian
	}
	most := slices.Max(scripts[n][:])
	return order, usual[n]*40 > len(head)*19 && most*5 >= foreign[n]*4 // 95 of 100
}

// Scripts of UTF-16 units.
const (
	noScript = iota
	ascii
	otherLetters // Latin with accents, Greek, Cyrillic and other scripts below U+2000, and signs
	eastAsian
	hangul
	scriptCount
)

// scriptOf returns the script of a UTF-16 unit; noScript for one that is in no text.
func scriptOf(u rune) int {
	switch {
	case u == '\t', u == '\n', u == '\r', u >= ' ' && u < 0x7F:
		return ascii
	case u >= 0xA0 && u < 0x2700:
		return otherLetters
	case u >= 0x3000 && u < 0x3400, u > 0xFF00 && u < 0xFFF0, u >= 0x4E00 && u < 0xA000: // signs, kana, hanja
		return eastAsian
	case u >= 0xAC00 && u < 0xE000: // with surrogates
		return hangul
	}
	return noScript
}
