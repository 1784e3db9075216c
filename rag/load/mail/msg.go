package mail

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
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

// The times at which a message was sent and came, as 100 ns since 1601.
const (
	sentTime = 0x00390040
	cameTime = 0x0E060040
)

const (
	property  = "__substg1.0_"
	attached  = "__attach_version1.0_"
	embedded  = property + propertyData + "000D" // a message that is attached to another
	maxStream = 64 << 20
)

// Outlook reads a message in the format of Outlook.
func Outlook(data []byte) (Message, error) {
	file, err := mscfb.New(bytes.NewReader(data))
	if err != nil {
		return Message{}, errors.Join(pack.ErrBroken, err)
	}
	values := outlookValues{} // of the message and what is attached
	for e, err := file.Next(); !errors.Is(err, io.EOF); e, err = file.Next() {
		if err != nil {
			return Message{}, errors.Join(pack.ErrBroken, err)
		}
		id, ok := strings.CutPrefix(e.Name, property)
		if (!ok || len(id) != 8 || e.Name == embedded) && e.Name != Mark || len(e.Path) > 2*maxDepth {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(e, maxStream))
		if err != nil {
			return Message{}, errors.Join(pack.ErrBroken, err)
		}
		at := path.Join(e.Path...)
		if values[at] == nil {
			values[at] = map[string][]byte{}
		}
		values[at][cmp.Or(id, Mark)] = b
	}
	return values.message(""), nil
}

// outlookValues are the values of a file's messages and attachments, by their places and properties.
type outlookValues map[string]map[string][]byte

// message returns the message at a place.
func (v outlookValues) message(at string) Message {
	of := v[at]
	pages, sent := properties(of[Mark], at == "")
	text := func(of map[string][]byte, id string) string { return text(of, id, pages) }
	out := Message{Subject: text(of, propertySubject), From: text(of, propertyFrom), Text: text(of, propertyBody), HTML: of[propertyHTML+"0102"]}
	out.Head = head(out.Subject, out.From, text(of, propertyTo), text(of, propertyCc), sent)
	for _, place := range slices.Sorted(maps.Keys(v)) {
		if outer, name := path.Split(place); path.Clean("/"+outer) != path.Clean("/"+at) || !strings.HasPrefix(name, attached) {
			continue
		}
		if inner := path.Join(place, embedded); v[inner] != nil {
			out.Inner = append(out.Inner, v.message(inner))
		} else if b := v[place][propertyData+"0102"]; b != nil {
			out.Files = append(out.Files, File{Name: cmp.Or(text(v[place], propertyName), text(v[place], propertyShort), "attachment"), Data: b})
		}
	}
	return out
}

// properties returns the encodings that a message's properties name, its own first, and when it was sent. After a head each takes 16
// bytes: its tag, flags and value.
func properties(b []byte, outermost bool) (pages [2]encoding.Encoding, sent string) {
	head, size := 24, 16
	if outermost {
		head = 32
	}
	for at := head; at+size <= len(b); at += size {
		value := binary.LittleEndian.Uint64(b[at+8:])
		switch tag := binary.LittleEndian.Uint32(b[at:]); tag {
		case messageCodePage:
			pages[0] = charset.Page(int(uint32(value))) //nolint:gosec // a number of 32 bits
		case internetCodePage:
			pages[1] = charset.Page(int(uint32(value))) //nolint:gosec // likewise
		case sentTime, cameTime:
			const since1601 = 11_644_473_600
			if sec := int64(value/10_000_000) - since1601; sec > 0 && (tag == sentTime || sent == "") { //nolint:gosec // a 64th is left
				sent = time.Unix(sec, 0).UTC().Format(time.RFC1123Z)
			}
		}
	}
	return pages, sent
}

func text(of map[string][]byte, id string, pages [2]encoding.Encoding) string {
	if b, ok := of[id+"001F"]; ok {
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		return strings.TrimRight(string(utf16.Decode(units)), "\x00")
	}
	raw := bytes.TrimRight(of[id+"001E"], "\x00")
	for _, page := range pages {
		if page == nil || utf8.Valid(raw) || mislabelled(raw, page) {
			continue
		}
		if out, err := page.NewDecoder().Bytes(raw); err == nil && !bytes.ContainsRune(out, utf8.RuneError) {
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

// koreanWords reports whether a text holds neighbouring syllables that are beside no Latin letter, and no other letters beyond ASCII.
func koreanWords(text string) bool {
	found := false
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		korean := !strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Hangul, r) })
		found = found || korean && utf8.RuneCountInString(word) > 1
	}
	return found && !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.Is(unicode.Hangul, r) })
}
