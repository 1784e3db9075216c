package pack

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// Names of the namespaces that readers tell apart. Which prefix a file gives to a namespace is its own affair: [Walk]
// passes these on for it.
const (
	Word          = "w"
	compatibility = "mc"
)

func space(name string) string {
	switch name {
	case "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main":
		return Word
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return compatibility
	}
	return name
}

// Walk calls start, text and end for the elements of b. It expands only XML's own five entities and bounds nesting. Of
// alternate content for newer and older readers it skips the fallback.
func Walk(b []byte, start func(xml.StartElement) error, end func(name string) error, text func(string)) error {
	d := xml.NewDecoder(bytes.NewReader(b))
	for depth, older := 0, 0; ; {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.Join(ErrBroken, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return fmt.Errorf("%w: nested deeper than %d", ErrLimit, maxDepth)
			}
			t.Name.Space = space(t.Name.Space)
			if older == 0 && t.Name == (xml.Name{Space: compatibility, Local: "Fallback"}) {
				older = depth
			}
			if older == 0 {
				err = start(t)
			}
		case xml.EndElement:
			if older == 0 {
				err = end(t.Name.Local)
			} else if older == depth {
				older = 0
			}
			depth--
		case xml.CharData:
			if older == 0 {
				text(string(t))
			}
		}
		if err != nil {
			return err
		}
	}
}

// Attr returns an element's attribute by its local name, "" if it has none.
func Attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// On parses an Office boolean.
func On(v string) bool { return v == "1" || v == "true" || v == "on" }
