package mail

import (
	"encoding/binary"
	"testing"
)

// TestTextsInACodePage: the code page of the message's properties says what its 8-bit texts are.
func TestTextsInACodePage(t *testing.T) {
	t.Parallel()
	listed := func(entries ...uint32) []byte {
		b := make([]byte, 32)
		for i := 0; i+1 < len(entries); i += 2 {
			e := make([]byte, 16)
			binary.LittleEndian.PutUint32(e, entries[i])
			binary.LittleEndian.PutUint32(e[8:], entries[i+1])
			b = append(b, e...)
		}
		return b
	}
	for name, c := range map[string]struct {
		properties []byte
		raw, want  string
	}{
		"korean":                {listed(0x0FFE0003, 5, messageCodePage, 949), "\xb0\xf8\xc1\xf6\x00", "공지"},
		"big5":                  {listed(internetCodePage, 950), "\xb4\xfa\xb8\xd5", "測試"},
		"western":               {listed(internetCodePage, 28591), "L'\xe9quipe", "L'équipe"},
		"the message first":     {listed(internetCodePage, 1252, messageCodePage, 949), "\xb0\xf8\xc1\xf6", "공지"},
		"unknown page":          {listed(messageCodePage, 7), "\xb0\xf8\xc1\xf6 \xbe\xc8\xb3\xbb", "공지 안내"},
		"UTF-8 all the same":    {listed(messageCodePage, 949), "공지", "공지"},
		"UTF-8 that is none":    {listed(internetCodePage, 65001), "\xb0\xf8\xc1\xf6 \xbe\xc8\xb3\xbb", "공지 안내"},
		"western that is none":  {listed(messageCodePage, 1252), "RE: \xb0\xf8\xc1\xf6 \xbe\xc8\xb3\xbb 12", "RE: 공지 안내 12"},
		"the other page":        {listed(messageCodePage, 65001, internetCodePage, 1252), "Subject \xf6\xe4\xfc Subject", "Subject öäü Subject"},
		"beside Latin letters":  {listed(messageCodePage, 1252), "IT\xc6\xc0 \xb0\xf8\xc1\xf6", "IT팀 공지"},
		"western with capitals": {listed(messageCodePage, 1252), "\xc9T\xc9 \xc0 PARIS, caf\xe9", "ÉTÉ À PARIS, café"},
		"western with pairs":    {listed(messageCodePage, 1252), "na\xefve Gr\xf6\xdfe f\xfcr \x84\xdcbung\x93", "naïve Größe für „Übung“"},
		"capitals in a row":     {listed(messageCodePage, 1252), "ATEN\xc7\xc3O: DECLARA\xc7\xc3O", "ATENÇÃO: DECLARAÇÃO"},
		"signs in a row":        {listed(messageCodePage, 1252), "20\xb0\xb12", "20°±2"},
		"fractions":             {listed(internetCodePage, 28591), "\xbd\xbe cup", "½¾ cup"},
		"cyrillic":              {listed(messageCodePage, 1251), "\xcf\xf0\xe8\xe2\xe5\xf2 \xc8\xd2\xc0\xca", "Привет ИТАК"},
		"cut short":             {listed(messageCodePage, 949)[:40], "plain", "plain"},
		"no properties":         {nil, "plain", "plain"},
	} {
		pages, _ := properties(c.properties, true)
		if got := text(map[string][]byte{propertySubject + "001E": []byte(c.raw)}, propertySubject, pages); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
