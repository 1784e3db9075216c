// Package mail reads messages of e-mail programs: who wrote to whom when, the text, and what is attached. It must not know
// the formats of attachments.
package mail

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"

	"golang.org/x/text/encoding/htmlindex"

	"maru/rag/load/charset"
	"maru/rag/load/outline"
	"maru/rag/load/pack"
)

// Message is a message that was read.
type Message struct {
	Subject string
	Head    []outline.Block
	Text    string // "" if there is only HTML
	HTML    []byte
	Files   []File
}

// File is what is attached to a message.
type File struct {
	Name string
	Data []byte
}

const (
	maxDepth = 16
	maxParts = 200
)

// Read reads a message in the format of the Internet (RFC 5322).
func Read(data []byte) (Message, error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) { // a message that was saved as text
		text, err := charset.Decode(data)
		if err != nil {
			return Message{}, errors.Join(pack.ErrBroken, err)
		}
		data = []byte(text)
	}
	m, err := mail.ReadMessage(bytes.NewReader(bytes.TrimLeft(data, "\uFEFF\r\n ")))
	if err != nil {
		return Message{}, errors.Join(pack.ErrBroken, err)
	}
	out := Message{Subject: decoded(m.Header.Get("Subject"))}
	date := ""
	if at, err := m.Header.Date(); err == nil {
		date = at.Format(time.RFC1123Z)
	}
	out.Head = head(out.Subject, decoded(m.Header.Get("From")), decoded(m.Header.Get("To")), decoded(m.Header.Get("Cc")), date)
	r := reader{message: &out}
	err = r.part(m.Header.Get, m.Body, 0)
	return out, err
}

// head writes what stands above a message.
func head(subject, from, to, cc, date string) []outline.Block {
	var lines []string
	for _, l := range []struct{ name, value string }{{"From", from}, {"To", to}, {"Cc", cc}, {"Date", date}} {
		if l.value != "" {
			lines = append(lines, l.name+": "+l.value)
		}
	}
	return []outline.Block{{Kind: outline.Heading, Level: 1, Text: subject}, {Text: strings.Join(lines, "\n")}}
}

// decoded reads the words of a header, whatever their encoding.
func decoded(s string) string {
	d := mime.WordDecoder{CharsetReader: func(name string, in io.Reader) (io.Reader, error) {
		enc, err := htmlindex.Get(name)
		if err != nil {
			return nil, fmt.Errorf("charset %q: %w", name, err)
		}
		return enc.NewDecoder().Reader(in), nil
	}}
	out, err := d.DecodeHeader(s)
	if err != nil {
		out = s
	}
	if text, err := charset.Decode([]byte(out)); err == nil {
		return text
	}
	return out
}

type reader struct {
	message *Message
	parts   int
}

// part reads one part of a message with those within it.
func (r *reader) part(header func(string) string, body io.Reader, depth int) error {
	if r.parts++; r.parts > maxParts || depth > maxDepth {
		return fmt.Errorf("%w: more than %d parts, or nested deeper than %d", pack.ErrLimit, maxParts, maxDepth)
	}
	kind, params, err := mime.ParseMediaType(cmp.Or(header("Content-Type"), "text/plain"))
	if err != nil {
		kind = "text/plain"
	}
	if strings.HasPrefix(kind, "multipart/") && params["boundary"] != "" {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			p, err := parts.NextRawPart()
			if err != nil { // the end, or broken off: what came counts
				return nil
			}
			if err := r.part(p.Header.Get, p, depth+1); err != nil {
				return err
			}
		}
	}
	switch strings.ToLower(strings.TrimSpace(header("Content-Transfer-Encoding"))) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	raw, _ := io.ReadAll(body) //nolint:errcheck // what came before a fault counts
	disposition, more, err := mime.ParseMediaType(header("Content-Disposition"))
	if err != nil {
		disposition = ""
	}
	name := decoded(cmp.Or(more["filename"], params["name"]))
	switch {
	case disposition == "attachment" || name != "" && !strings.HasPrefix(kind, "text/"):
		r.message.Files = append(r.message.Files, File{Name: cmp.Or(name, "attachment"), Data: raw})
	case kind == "message/rfc822":
		r.message.Files = append(r.message.Files, File{Name: cmp.Or(name, "message.eml"), Data: raw})
	case kind == "text/html":
		r.message.HTML = append(r.message.HTML, inUTF8(raw, params["charset"])...)
	case strings.HasPrefix(kind, "text/"):
		r.message.Text += string(inUTF8(raw, params["charset"])) + "\n"
	}
	return nil
}

// inUTF8 decodes by the name of a charset, else by the bytes.
func inUTF8(raw []byte, name string) []byte {
	if enc, err := htmlindex.Get(name); err == nil && name != "" {
		if out, err := enc.NewDecoder().Bytes(raw); err == nil {
			return out
		}
	}
	if text, err := charset.Decode(raw); err == nil {
		return []byte(text)
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}
