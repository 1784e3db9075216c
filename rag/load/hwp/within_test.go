package hwp

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"maru/rag/load/outline"
)

// rec returns a record of a section at a level.
func rec(tag, level int, data ...byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(tag|level<<10|len(data)<<20)), data...)
}

// wide returns a text as it is in records; counts puts its length before it.
func wide(s string) (out []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

func counts(s string) []byte {
	b := wide(s)
	return append(binary.LittleEndian.AppendUint16(nil, uint16(len(b)/2)), b...)
}

// TestTextWithinALine reads words with others above them, letters on top of each other, equations and drawn texts, each in its place. A
// count that is too large gives no text.
func TestTextWithinALine(t *testing.T) {
	t.Parallel()
	control := func(code byte) string { return string(rune(code)) + strings.Repeat("\x01", 6) + string(rune(code)) }
	section := append(rec(tagParagraph, 0), rec(tagText, 1, wide("가 "+control(23)+" 나 "+control(11)+"다 "+control(11)+control(23)+control(23)+".")...)...)
	section = append(section, rec(tagControl, 1, append(append([]byte("tudt"), counts("본문")...), counts("덧말")...)...)...)
	section = append(section, rec(tagControl, 1, []byte("deqe")...)...)
	section = append(section, rec(tagEquation, 2, append([]byte{0, 0, 0, 0}, counts("{a}\t over\r{b}")...)...)...)
	section = append(section, rec(tagControl, 1, []byte(" osg")...)...)
	section = append(section, rec(76, 2)...)
	section = append(section, rec(tagTextArt, 3, append(make([]byte, artAt), counts("큰 제목")...)...)...)
	section = append(section, rec(tagControl, 1, append([]byte("spct"), counts("12")...)...)...)
	section = append(section, rec(tagControl, 1, append([]byte("spct"), 255, 255, 1)...)...)
	tree, err := records(section)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	r := &reader{seen: map[string]bool{}, add: func(b outline.Block) error {
		got = append(got, b.Text)
		return nil
	}}
	if err := r.paragraphs(tree); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(got, " / "); s != "가 본문 (덧말) 나  {a} over {b} 다 12. / 큰 제목" {
		t.Errorf("%q", s)
	}
}
