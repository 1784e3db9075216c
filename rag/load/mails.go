package load

import (
	"errors"

	"maru/rag/load/mail"
	"maru/rag/load/office"
	"maru/rag/load/pack"
)

// parseMail returns the parser of a mail format: header, text or else HTML, and attachments.
func parseMail(read func([]byte) (mail.Message, error)) func([]byte, limits, *sink) error {
	return func(data []byte, lim limits, out *sink) error {
		m, err := read(data)
		if err != nil {
			return err
		}
		for _, b := range m.Head {
			if err := out.add(b); err != nil {
				return err
			}
		}
		if m.Text == "" && len(m.HTML) > 0 {
			err = parseHTML(m.HTML, lim, out)
		} else {
			err = parseText([]byte(m.Text), lim, out)
		}
		out.Title = m.Subject
		if err != nil {
			return err
		}
		for _, f := range m.Files {
			err := error(fault(Nested, "", nil))
			if kind := byExtension[extension(f.Name)]; kind != archive && kind != eml && kind != msg { // likewise for members of an archive
				err = coded(within(f.Name, f.Data, lim, out))
			}
			var e *Error
			if errors.As(err, &e) && e.Code == TooComplex {
				return err
			} else if errors.As(err, &e) {
				out.Unread = append(out.Unread, unread{Name: f.Name, Code: e.Code})
			}
		}
		return nil
	}
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
