package records

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errMixed reports text with marks in it: prose, which records would tear apart.
var errMixed = errors.New("text and elements side by side")

// XML passes the elements below the outermost one on, a line a value under its path: "part.id: A7". An outermost element
// of values alone is one record. The error is one of [ErrLimit], of emit, or of an XML that has no such records.
func XML(text string, row func(string) error) error {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // decoded already
	var path []string
	var words []string // of the open elements
	var inner []bool   // an open element has elements
	var lines []string
	add := func(name, value string) {
		if value = strings.Join(strings.Fields(value), " "); value != "" {
			lines = append(lines, label(strings.Join(append(path[min(1, len(path)):], name), "."), value))
		}
	}
	flush := func() error {
		s := strings.Join(lines, "\n")
		if lines = nil; s == "" {
			return nil
		}
		return row(s)
	}
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return flush()
		}
		if err != nil {
			return fmt.Errorf("at byte %d: %w", d.InputOffset(), err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(path) > maxDepth {
				return errDepth
			}
			if n := len(inner); n > 0 {
				if inner[n-1] = true; strings.TrimSpace(words[n-1]) != "" {
					return errMixed
				}
			}
			path, words, inner = append(path, t.Name.Local), append(words, ""), append(inner, false)
			for _, a := range t.Attr {
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					add(a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if n := len(words); n > 0 {
				if words[n-1] += string(t); inner[n-1] && strings.TrimSpace(string(t)) != "" {
					return errMixed
				}
			}
		case xml.EndElement:
			n := len(path) - 1
			name, word, had := path[n], words[n], inner[n]
			path, words, inner = path[:n], words[:n], inner[:n]
			if !had {
				add(name, word)
			}
			if len(lines) > maxNodes {
				return errNodes
			}
			if n == 1 && had {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
}
