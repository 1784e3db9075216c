package office

import (
	"encoding/xml"
	"path"

	"maru/rag/load/pack"
)

// Chapters returns the title of an EPUB and its chapters, pages of HTML, in reading order.
func Chapters(p *pack.Package) (title string, chapters []string, err error) {
	container, err := p.Part("META-INF/container.xml")
	if err != nil {
		return "", nil, err
	}
	book := ""
	if err := pack.Walk(container, func(e xml.StartElement) error {
		if e.Name.Local == "rootfile" && book == "" {
			book = pack.Attr(e, "full-path")
		}
		return nil
	}, func(string) error { return nil }, func(string) {}); err != nil {
		return "", nil, err
	}
	b, err := p.Part(book)
	if err != nil {
		return "", nil, err
	}
	if b == nil {
		return "", nil, pack.ErrBroken
	}
	parts := map[string]string{}
	if err := pack.Walk(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "item":
			parts[pack.Attr(e, "id")] = pack.Resolve(path.Dir(book), pack.Attr(e, "href"))
		case "itemref":
			if name := parts[pack.Attr(e, "idref")]; name != "" && pack.Attr(e, "linear") != "no" {
				chapters = append(chapters, name)
			}
		}
		return nil
	}, func(string) error { return nil }, func(string) {}); err != nil {
		return "", nil, err
	}
	title, err = titleIn(p, book)
	return title, chapters, err
}
