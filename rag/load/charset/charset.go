// Package charset detects and decodes the encodings of text files on Korean and western computers.
//
// It must not know formats of files.
package charset

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"
)

// Decode converts text to UTF-8: from UTF-8 and UTF-16 with or without a byte order mark, else from CP949 (Korean
// Windows) or Windows-1252.
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
	if western(data) {
		out, err := charmap.Windows1252.NewDecoder().Bytes(data)
		return string(out), err
	}
	out, err := korean.EUCKR.NewDecoder().Bytes(data)
	if err != nil {
		return "", err
	}
	if bad := bytes.Count(out, []byte("\uFFFD")); bad*50 > utf8.RuneCount(out) {
		return "", errors.New("neither UTF-8, UTF-16 nor CP949")
	}
	return string(out), nil
}

// western tells Windows-1252, with single non-ASCII bytes (it’s, é), from CP949, where they come in pairs.
func western(data []byte) bool {
	alone, all := 0, 0
	for i, b := range data {
		if b < 0x80 {
			continue
		}
		all++
		if (i == 0 || data[i-1] < 0x80) && (i+1 == len(data) || data[i+1] < 0x80) {
			alone++
		}
	}
	return alone*3 > all*2
}

// looksUTF16 recognises UTF-16 without a mark by the positions of its ASCII's zero bytes.
func looksUTF16(data []byte) (unicode.Endianness, bool) {
	head := data[:min(len(data), 4096)&^1]
	if len(head) < 8 {
		return unicode.LittleEndian, false
	}
	var zero [2]int
	for i, b := range head {
		if b == 0 {
			zero[i&1]++
		}
	}
	// Some Hangul syllables have a zero byte of their own (가 is AC 00), in the other place.
	many := len(head) / 10
	switch {
	case zero[1] > many && zero[1] > 3*zero[0]:
		return unicode.LittleEndian, true
	case zero[0] > many && zero[0] > 3*zero[1]:
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}
