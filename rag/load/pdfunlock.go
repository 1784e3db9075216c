package load

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"strconv"
)

var (
	pdfEncrypt   = regexp.MustCompile(`/Encrypt\s*(?:(\d+)\s+(\d+)\s+R|<<)`)
	pdfObject    = regexp.MustCompile(`(\d+)\s+(\d+)\s+obj\b`)
	pdfLength    = regexp.MustCompile(`/Length\s+(\d+)(?:\s+(\d+)\s+R)?`)
	pdfID        = regexp.MustCompile(`/ID\s*\[\s*(?:<([0-9A-Fa-f\s]*)>|(\())`)
	pdfNoStreams = regexp.MustCompile(`/Type\s*/XRef\b`)
)

// unlocked returns a PDF that opens without a password as one that is not locked, in which
// everything stands where it stood: what becomes shorter is filled up with spaces. The reader underneath
// knows neither AES-256 nor short keys. nil says that the file is not locked that way or needs a password.
func unlocked(data []byte) []byte {
	at := pdfEncrypt.FindSubmatchIndex(data)
	if at == nil {
		return nil
	}
	dict, lockID := data[at[0]:min(len(data), at[1]+4096)], -1
	if at[2] >= 0 {
		lockID = digitsOf(data[at[2]:at[3]])
		m := regexp.MustCompile(`(?:^|[^0-9])`+strconv.Itoa(lockID)+`\s+\d+\s+obj\b`).FindAllIndex(data, -1)
		if len(m) == 0 {
			return nil
		}
		from := m[len(m)-1][1]
		dict = data[from:min(len(data), from+4096)]
	}
	for _, end := range []string{"endobj", "startxref", "stream"} { // behind it are other objects
		dict, _, _ = bytes.Cut(dict, []byte(end))
	}
	lock := readLock(dict)
	if m := pdfID.FindSubmatchIndex(data); m != nil && m[2] >= 0 {
		lock.id, _ = hex.DecodeString(string(bytes.Join(bytes.Fields(data[m[2]:m[3]]), nil))) // none: then no key fits
	} else if m != nil {
		lock.id, _ = pdfString(data[m[4]:])
	}
	if lock.v != 5 && (lock.v > 2 || lock.bits > 80) {
		return nil // for the reader underneath
	}
	key := lock.key()
	if key == nil {
		return nil
	}
	out := bytes.Clone(data)
	key.openAll(out, lockID)
	for _, m := range pdfEncrypt.FindAllIndex(out, -1) {
		copy(out[m[0]:], "/Xncrypt")
	}
	return out
}

func readLock(dict []byte) pdfLock {
	l := pdfLock{bits: 40}
	number := func(key string, to *int) {
		if m := regexp.MustCompile(`/` + key + `\s+(-?\d+)`).FindSubmatch(dict); m != nil {
			*to, _ = strconv.Atoi(string(m[1])) // digits
		}
	}
	value := func(key string) []byte {
		m := regexp.MustCompile(`/` + key + `\s*[(<]`).FindIndex(dict)
		if m == nil {
			return nil
		}
		s, _ := pdfString(dict[m[1]-1:])
		return s
	}
	number("V", &l.v)
	number("R", &l.r)
	number("P", &l.p)
	if l.v < 4 {
		number("Length", &l.bits)
	}
	l.o, l.u, l.ue = value("O"), value("U"), value("UE")
	l.o, l.u = l.o[:min(len(l.o), 48)], l.u[:min(len(l.u), 48)]
	l.clear = regexp.MustCompile(`/EncryptMetadata\s+false`).Match(dict)
	l.aes = bytes.Contains(dict, []byte("/AESV"))
	return l
}

// openAll unlocks the streams and texts of all objects where they stand. What packed
// objects hold is locked with their stream alone.
func (k *pdfKey) openAll(data []byte, lockID int) {
	places := map[int]int{} // where what an object is begins, by its number
	for _, m := range pdfObject.FindAllSubmatchIndex(data, -1) {
		places[digitsOf(data[m[2]:m[3]])] = m[1]
	}
	for from, whole := 0, true; whole; {
		m := pdfObject.FindSubmatchIndex(data[from:])
		if m == nil {
			return
		}
		id, gen := digitsOf(data[from+m[2]:from+m[3]]), digitsOf(data[from+m[4]:from+m[5]])
		from += m[1]
		end := bytes.Index(data[from:], []byte("endobj"))
		if whole = end >= 0; !whole {
			end = len(data) - from
		}
		stream := bytes.Index(data[from:from+end], []byte("stream"))
		dict := data[from : from+end]
		if stream >= 0 {
			dict = dict[:stream]
		}
		own := id != lockID && !pdfNoStreams.Match(dict)
		length := pdfLength.FindSubmatch(dict)
		if own {
			k.openTexts(id, gen, dict)
		}
		if from += len(dict); stream < 0 {
			continue
		}
		body := data[from+len("stream"):]
		body = bytes.TrimPrefix(bytes.TrimPrefix(body, []byte("\r")), []byte("\n"))
		n := streamLength(data, body, length, places)
		if own {
			fill(body[:n], k.open(id, gen, body[:n]))
		}
		from = len(data) - len(body) + n
	}
}

// streamLength is how long a stream says that it is, itself or by an object that has the
// number, or where that is wrong, how long it is.
func streamLength(data, body []byte, said [][]byte, places map[int]int) int {
	if said != nil {
		n := digitsOf(said[1])
		if at, ok := places[n]; len(said[2]) > 0 && ok {
			n = digitsOf(bytes.TrimSpace(data[at:min(len(data), at+24)]))
		}
		if n >= 0 && n <= len(body) && bytes.HasPrefix(bytes.TrimLeft(body[n:min(len(body), n+16)], "\r\n "), []byte("endstream")) {
			return n
		}
	}
	if n := bytes.Index(body, []byte("endstream")); n >= 0 {
		return len(bytes.TrimRight(body[:n], "\r\n"))
	}
	return len(body)
}

// digitsOf reads the digits with which b begins; -1 if there are none.
func digitsOf(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	v, err := strconv.Atoi(string(b[:n]))
	if err != nil {
		return -1
	}
	return v
}

// fill puts text where a longer one stood.
func fill(place, text []byte) {
	for i := copy(place, text); i < len(place); i++ {
		place[i] = ' '
	}
}

// openTexts unlocks the texts of an object.
func (k *pdfKey) openTexts(id, gen int, dict []byte) {
	for i := 0; i < len(dict); {
		if dict[i] != '(' && (dict[i] != '<' || i+1 < len(dict) && dict[i+1] == '<') {
			if dict[i] == '<' {
				i++
			}
			i++
			continue
		}
		s, n := pdfString(dict[i:])
		if n == 0 {
			return
		}
		text := []byte("<" + hex.EncodeToString(k.open(id, gen, s)) + ">")
		if len(text) > n {
			text = []byte("()") // it has no room as digits
		}
		fill(dict[i:i+n], text)
		i += n
	}
}

// pdfString reads the text with which b begins, (…) or <…>, and how many bytes it takes; 0 if it does not end.
func pdfString(b []byte) (text []byte, n int) {
	if b[0] == '<' {
		end := bytes.IndexByte(b, '>')
		if end < 0 {
			return nil, 0
		}
		digits := bytes.Join(bytes.Fields(b[1:end]), nil)
		if len(digits)%2 == 1 {
			digits = append(digits, '0')
		}
		text = make([]byte, len(digits)/2)
		if _, err := hex.Decode(text, digits); err != nil {
			return nil, end + 1
		}
		return text, end + 1
	}
	depth := 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '\\':
			i++
			if i >= len(b) {
				return nil, 0
			}
			if b[i] >= '0' && b[i] <= '7' {
				v, j := 0, i
				for ; j < min(len(b), i+3) && b[j] >= '0' && b[j] <= '7'; j++ {
					v = v*8 + int(b[j]-'0')
				}
				text, i = append(text, byte(v)), j-1
			} else if b[i] == '\r' || b[i] == '\n' {
				if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
					i++
				}
			} else if at := bytes.IndexByte([]byte("nrtbf"), b[i]); at >= 0 {
				text = append(text, "\n\r\t\b\f"[at])
			} else {
				text = append(text, b[i])
			}
		case '(':
			if depth++; depth > 1 {
				text = append(text, c)
			}
		case ')':
			if depth--; depth == 0 {
				return text, i + 1
			}
			text = append(text, c)
		default:
			text = append(text, c)
		}
	}
	return nil, 0
}
