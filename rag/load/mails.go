package load

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"maru/phrase"
	"maru/rag/load/mail"
	"maru/rag/load/office"
	"maru/rag/load/pack"
	"maru/rag/load/remark"
)

// parseMails returns the parser of a mail format. A mailbox is titled after its file.
func parseMails(read func([]byte) ([]mail.Message, []int, error)) func([]byte, limits, *sink) error {
	return func(data []byte, lim limits, out *sink) error {
		list, lost, err := read(data)
		if err != nil {
			return err
		}
		for _, m := range list {
			if len(list) > 1 {
				m.Head[0].Text = called(m)
			}
			if err := addMail(m, 1, lim, out); err != nil {
				return err
			}
		}
		for _, line := range lost {
			out.Unread = append(out.Unread, unread{Name: ":" + strconv.Itoa(line), Code: BadLine})
		}
		if out.Title = ""; len(list) == 1 {
			out.Title = list[0].Subject
		}
		return nil
	}
}

// called names a mail among others: those without a subject by who sent them.
func called(m mail.Message) string {
	return cmp.Or(strings.TrimSpace(m.Subject), m.From, phrase.Say(remark.Language(m.Text), "load.no_subject"))
}

// outlookMail reads the one message of a file.
func outlookMail(data []byte) ([]mail.Message, []int, error) {
	m, err := mail.Outlook(data)
	return []mail.Message{m}, nil, err
}

// addMail adds a mail: header, text or else HTML, attachments and the mails within it.
func addMail(m mail.Message, level int, lim limits, out *sink) error {
	for _, b := range m.Head {
		if b.Kind == heading {
			b.Level = level
		}
		if err := out.add(b); err != nil {
			return err
		}
	}
	var err error
	before := len(out.Blocks)
	if m.Text == "" && len(m.HTML) > 0 {
		err = parseHTML(m.HTML, lim, out)
	} else {
		err = parseText([]byte(m.Text), lim, out)
	}
	if err != nil {
		return err
	}
	for i := range out.Blocks[before:] {
		if b := &out.Blocks[before+i]; b.Kind == heading {
			b.Level += level
		}
	}
	for _, f := range m.Files {
		err := error(fault(Nested, "", nil))
		if f.Data == nil {
			err = fault(Broken, "", nil)
		} else if kind := byExtension[extension(f.Name)]; kind != archive && kind != eml && kind != msg { // likewise for members of an archive
			err = coded(within(f.Name, f.Data, level+1, lim, out))
		}
		var e *Error
		if errors.As(err, &e) && e.Code == TooComplex {
			return err
		} else if errors.As(err, &e) {
			out.Unread = append(out.Unread, unread{Name: f.Name, Code: e.Code})
		}
	}
	for _, inner := range m.Inner {
		inner.Head[0].Text = called(inner)
		if err := addMail(inner, level+1, lim, out); err != nil {
			return err
		}
	}
	return nil
}

func parseODF(data []byte, _ limits, out *sink) (err error) {
	out.Title, err = office.ODF(data, out.add)
	return err
}

func parseEPUB(data []byte, lim limits, out *sink) error {
	p, err := pack.Open(data)
	if err != nil {
		return err
	}
	title, chapters, err := office.Chapters(p)
	for _, name := range chapters {
		b, err := p.Part(name)
		if err == nil && b != nil {
			err = parseHTML(b, lim, out)
		}
		if err != nil {
			return err
		}
	}
	out.Title = title
	return err
}
