package mail

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/richardlehane/mscfb"
	"golang.org/x/text/encoding"

	"maru/rag/load/charset"
	"maru/rag/load/pack"
)

// Mark stands, in UTF-16, in every message that Outlook saved.
const Mark = "__properties_version1.0"

// Properties of such a message: a number, and 001F for text in UTF-16, 001E for text, 0102 for bytes.
const (
	propertySubject = "0037"
	propertyFrom    = "0C1A"
	propertyTo      = "0E04"
	propertyCc      = "0E03"
	propertyBody    = "1000"
	propertyHTML    = "1013"
	propertyName    = "3707"
	propertyShort   = "3704"
	propertyData    = "3701"
)

// Tags of the message's numbers that name the code page of its 001E texts.
const (
	messageCodePage  = 0x3FFD0003
	internetCodePage = 0x3FDE0003
)

const (
	property  = "__substg1.0_"
	attached  = "__attach_version1.0_"
	maxStream = 64 << 20
)

// Outlook reads a message in the format of Outlook.
func Outlook(data []byte) (Message, error) {
	file, err := mscfb.New(bytes.NewReader(data))
	if err != nil {
		return Message{}, errors.Join(pack.ErrBroken, err)
	}
	values := map[string]map[string][]byte{} // of the message and its attachments
	var order []string
	var page encoding.Encoding
	for e, err := file.Next(); !errors.Is(err, io.EOF); e, err = file.Next() {
		if err != nil {
			return Message{}, errors.Join(pack.ErrBroken, err)
		}
		id, ok := strings.CutPrefix(e.Name, property)
		at := path.Join(e.Path...)
		if e.Name == Mark && at == "" {
			b, err := io.ReadAll(io.LimitReader(e, maxStream))
			if err != nil {
				return Message{}, errors.Join(pack.ErrBroken, err)
			}
			page = codePage(b)
		}
		if !ok || len(id) != 8 || at != "" && (len(e.Path) > 1 || !strings.HasPrefix(at, attached)) {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(e, maxStream))
		if err != nil {
			return Message{}, errors.Join(pack.ErrBroken, err)
		}
		if values[at] == nil {
			values[at] = map[string][]byte{}
			order = append(order, at)
		}
		values[at][id] = b
	}
	text := func(of map[string][]byte, id string) string { return text(of, id, page) }
	of := values[""]
	out := Message{Subject: text(of, propertySubject), Text: text(of, propertyBody), HTML: of[propertyHTML+"0102"]}
	out.Head = head(out.Subject, text(of, propertyFrom), text(of, propertyTo), text(of, propertyCc), "")
	slices.Sort(order)
	for _, at := range order {
		if b := values[at][propertyData+"0102"]; at != "" && b != nil {
			out.Files = append(out.Files, File{Name: cmp.Or(text(values[at], propertyName), text(values[at], propertyShort), "attachment"), Data: b})
		}
	}
	return out, nil
}

// codePage returns the encoding that a message's properties name, nil for none. Behind a head each takes 16 bytes: its tag, flags and
// value.
func codePage(properties []byte) encoding.Encoding {
	const head, size = 32, 16
	var page encoding.Encoding
	for at := head; at+size <= len(properties); at += size {
		n := int(binary.LittleEndian.Uint32(properties[at+8:]))
		switch binary.LittleEndian.Uint32(properties[at:]) {
		case messageCodePage:
			if own := charset.Page(n); own != nil {
				return own
			}
		case internetCodePage:
			page = charset.Page(n)
		}
	}
	return page
}

func text(of map[string][]byte, id string, page encoding.Encoding) string {
	if b, ok := of[id+"001F"]; ok {
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		return strings.TrimRight(string(utf16.Decode(units)), "\x00")
	}
	raw := bytes.TrimRight(of[id+"001E"], "\x00")
	if page != nil && !utf8.Valid(raw) && !mislabelled(raw, page) {
		if out, err := page.NewDecoder().Bytes(raw); err == nil {
			return string(out)
		}
	}
	return string(inUTF8(raw, ""))
}

// mislabelled reports whether a text is not in the encoding that its message names: programs write 65001 or 1252 beside texts in the
// sender's code page. Letters of Windows-1252 that are all syllables in Korean Windows are those, but only
// with a word of two or more: single pairs are Western, as ÇÃ in ATENÇÃO and ½¾.
func mislabelled(raw []byte, page encoding.Encoding) bool {
	guess, err := charset.Decode(raw)
	if err != nil || strings.ContainsRune(guess, utf8.RuneError) {
		return false
	}
	if page == charset.Page(1252) || page == charset.Page(28591) {
		return koreanWords(guess)
	}
	out, err := page.NewDecoder().Bytes(raw)
	return err != nil || bytes.ContainsRune(out, utf8.RuneError)
}

// koreanWords reports whether a text holds neighbouring syllables that stand beside no Latin letter, and no other letters beyond ASCII.
func koreanWords(text string) bool {
	found := false
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		korean := !strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Hangul, r) })
		found = found || korean && utf8.RuneCountInString(word) > 1
	}
	return found && !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.Is(unicode.Hangul, r) })
}
