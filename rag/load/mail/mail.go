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
	"path"
	"strings"
	"time"

	"golang.org/x/text/encoding/htmlindex"

	"maru/phrase/pattern"
	"maru/rag/load/charset"
	"maru/rag/load/outline"
	"maru/rag/load/pack"
)

// Message is a message that was read.
type Message struct {
	Subject string
	From    string
	Head    []outline.Block
	Text    string // "" if there is only HTML
	HTML    []byte
	Files   []File
	Inner   []Message // forwarded within it, as those of a digest
}

// File is what is attached to a message.
type File struct {
	Name string
	Data []byte // nil if it is broken
}

const (
	maxDepth = 16
	maxParts = 200
)

// separator begins a message of a mailbox (RFC 4155): "From kim@a.example Tue Mar  3 09:00:00 2026", after an empty line and before a
// field of its head. The first may lack the time.
var separator = pattern.New(`(?m)\A(From [^\r\n]*\r?\n)|` +
	`^(\r?\nFrom [^\r\n]*\b(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)\b[^\r\n]*\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b[^\r\n]*\b\d{4}\b[^\r\n]*\r?\n)[!-9;-~]+[ \t]*:`)

// Box reads a message in the format of the Internet (RFC 5322), or a mailbox of several. lost are the lines on which those begin
// that cannot be read; where there is no other they are the error.
func Box(file []byte) (list []Message, lost []int, err error) {
	data, wide, err := unmarked(file)
	if err != nil {
		return nil, nil, errors.Join(pack.ErrBroken, err)
	}
	var marks [][]int
	for _, m := range separator.FindAllStringSubmatchIndex(data, -1) {
		marks = append(marks, []int{m[0], max(m[3], m[5])})
	}
	if len(marks) == 0 || marks[0][0] > 0 {
		marks = [][]int{{0, 0}}
	}
	line, at := 1, 0
	for i, m := range marks {
		end := len(data)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		text := data[m[1]:end]
		if m[1] > 0 {
			text = quotedFrom.ReplaceAllString(text, "$1")
		}
		r := reader{wide: wide}
		one, err := r.message(text, 0)
		line, at = line+strings.Count(data[at:m[1]], "\n"), m[1]
		switch {
		case err == nil:
			list = append(list, one)
		case len(marks) == 1 || errors.Is(err, pack.ErrLimit):
			return nil, nil, err
		default:
			lost = append(lost, line)
		}
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("%w: none of %d messages can be read", pack.ErrBroken, len(lost))
	}
	return list, lost, nil
}

// quotedFrom matches what mailboxes write before a line that would look like a separator.
var quotedFrom = pattern.New(`(?m)^>(>*From )`)

// unmarked decodes messages that were saved as text in UTF-16: their headers have no zero bytes otherwise.
func unmarked(data []byte) (out string, wide bool, err error) {
	head := data[:min(len(data), 64)]
	if !bytes.HasPrefix(head, []byte("\xff\xfe")) && !bytes.HasPrefix(head, []byte("\xfe\xff")) && bytes.IndexByte(head, 0) < 0 {
		return strings.TrimLeft(string(data), "\uFEFF\r\n "), false, nil
	}
	text, err := charset.Decode(data)
	return strings.TrimLeft(text, "\uFEFF\r\n "), true, err
}

var (
	// blank matches the line that ends the head of a message, also one with spaces in it as some programs write it.
	blank = pattern.New(`(?m)^[ \t]*\r?\n`)
	field = pattern.New(`^[!-9;-~]+[ \t]*:`)
)

// mended returns a message without the lines of its head that are none, such as words of a field that a program broke in two.
func mended(data string) string {
	end := blank.FindStringIndex(data)
	if end == nil {
		return data
	}
	var head []string
	for line := range strings.Lines(data[:end[0]]) {
		if strings.TrimLeft(line, " \t") != line && len(head) > 0 || field.MatchString(line) {
			head = append(head, strings.TrimRight(line, "\r\n"))
		}
	}
	if len(head) == 0 {
		return data
	}
	return strings.Join(head, "\n") + "\n\n" + data[end[1]:]
}

// message reads one message, with those within it.
func (r *reader) message(data string, depth int) (Message, error) {
	data = strings.TrimLeft(data, "\r\n ")
	m, err := mail.ReadMessage(strings.NewReader(data))
	if err != nil {
		m, err = mail.ReadMessage(strings.NewReader(mended(data)))
	}
	if err != nil {
		return Message{}, errors.Join(pack.ErrBroken, err)
	}
	out := Message{Subject: decoded(m.Header.Get("Subject")), From: decoded(m.Header.Get("From"))}
	date := ""
	if at, err := m.Header.Date(); err == nil {
		date = at.Format(time.RFC1123Z)
	}
	out.Head = head(out.Subject, out.From, decoded(m.Header.Get("To")), decoded(m.Header.Get("Cc")), date)
	err = r.part(&out, m.Header.Get, m.Body, "text/plain", depth)
	return out, err
}

// head writes what is above a message.
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
	wide  bool // the file was in UTF-16: names of other charsets are those from before
	parts int
}

// part reads one part of a message with those within it. kind is the type of a part that names none.
func (r *reader) part(out *Message, header func(string) string, body io.Reader, kind string, depth int) error {
	if r.parts++; r.parts > maxParts || depth > maxDepth {
		return fmt.Errorf("%w: more than %d parts, or nested deeper than %d", pack.ErrLimit, maxParts, maxDepth)
	}
	kind, params, err := mime.ParseMediaType(cmp.Or(header("Content-Type"), kind))
	if err != nil {
		kind, params = "text/plain", map[string]string{}
	}
	if strings.HasPrefix(kind, "multipart/") && params["boundary"] != "" {
		within := "text/plain"
		if kind == "multipart/digest" {
			within = "message/rfc822"
		}
		parts, html := multipart.NewReader(body, params["boundary"]), len(out.HTML)
		for {
			text, page := out.Text, kind == "multipart/related" && len(out.HTML) > html
			p, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) { // also where it is broken off: what came counts
				return nil
			}
			if err != nil {
				out.Files = append(out.Files, File{Name: "attachment"})
				return nil
			}
			if err := r.part(out, p.Header.Get, p, within, depth+1); err != nil {
				return err
			}
			if page { // what follows it is its styles and programs
				out.Text = text
			}
		}
	}
	coded := true
	switch strings.ToLower(strings.TrimSpace(header("Content-Transfer-Encoding"))) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	default:
		coded = false
	}
	raw, _ := io.ReadAll(body) //nolint:errcheck // what came before a fault counts
	if r.wide && !coded {
		params["charset"] = "utf-8"
	}
	disposition, more, err := mime.ParseMediaType(header("Content-Disposition"))
	if err != nil {
		disposition = ""
	}
	name := decoded(cmp.Or(more["filename"], params["name"]))
	switch {
	case kind == "message/rfc822" || kind == "message/global" || strings.EqualFold(path.Ext(name), ".eml"):
		inner, err := r.message(string(raw), depth+1)
		switch {
		case errors.Is(err, pack.ErrLimit):
			return err
		case err != nil:
			out.Files = append(out.Files, File{Name: cmp.Or(name, "message.eml")})
		default:
			out.Inner = append(out.Inner, inner)
		}
	case disposition == "attachment" || name != "" && !strings.HasPrefix(kind, "text/"):
		out.Files = append(out.Files, File{Name: cmp.Or(name, "attachment"), Data: raw})
	case kind == "text/calendar":
		out.Files = append(out.Files, File{Name: cmp.Or(name, "invitation.ics"), Data: inUTF8(raw, params["charset"])})
	case kind == "text/html":
		out.HTML = append(out.HTML, inUTF8(raw, params["charset"])...)
	case strings.HasPrefix(kind, "text/"), kind == "message/delivery-status":
		out.Text += string(inUTF8(raw, params["charset"])) + "\n"
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
