package confluence

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	maxDepth = 400       // elements within each other
	maxNodes = 1_000_000 // of a page
)

// errTooComplex reports a page with more elements than a reader should take.
var errTooComplex = errors.New("too many elements")

// element is an element of the storage format, or a text if it has no name.
type element struct {
	name string // with its prefix: p, ac:link, ri:page
	attr map[string]string
	text string
	kids []*element
}

// parse reads the storage format: XHTML with elements of the prefixes ac and ri
// (https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html). Old pages and pages that apps wrote are
// not always well-formed: an end tag without its start is ignored, and a missing one ends with the element around it.
func parse(storage string) (*element, error) {
	d := xml.NewDecoder(strings.NewReader(legible(storage)))
	d.Strict, d.Entity = false, xml.HTMLEntity
	root := &element{name: "body"}
	open := []*element{root}
	for nodes := 0; ; nodes++ {
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF):
			return root, nil
		case err != nil:
			return nil, fmt.Errorf("read the storage format: %w", err)
		case nodes > maxNodes || len(open) > maxDepth:
			return nil, errTooComplex
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.CharData:
			top.kids = append(top.kids, &element{text: string(t)})
		case xml.StartElement:
			e := &element{name: named(t.Name), attr: map[string]string{}}
			for _, a := range t.Attr {
				e.attr[named(a.Name)] = a.Value
			}
			top.kids = append(top.kids, e)
			if !empty(e.name) {
				open = append(open, e)
			}
		case xml.EndElement:
			for i := len(open) - 1; i > 0; i-- {
				if open[i].name == named(t.Name) {
					open = open[:i]
					break
				}
			}
		}
	}
}

// named returns a name with its prefix. HTML's names are those in lower case.
func named(n xml.Name) string {
	if n.Space == "" {
		return strings.ToLower(n.Local)
	}
	return n.Space + ":" + n.Local
}

// empty reports elements of HTML that never have content, with or without an end.
func empty(name string) bool { return name == "br" || name == "hr" || name == "img" || name == "col" }

// legible replaces what XML has no place for.
func legible(s string) string {
	return string(bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, []byte(s)))
}

// child returns the first child of a name, nil if there is none.
func (e *element) child(name string) *element {
	for _, k := range e.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// parameter returns a parameter of a macro.
func (e *element) parameter(name string) string {
	for _, k := range e.kids {
		if k.name == "ac:parameter" && k.attr["ac:name"] == name {
			return strings.TrimSpace(k.raw())
		}
	}
	return ""
}

// raw returns the text below an element as it stands.
func (e *element) raw() string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	e.each(func(k *element) { b.WriteString(k.text) })
	return b.String()
}

// each calls do with an element and all below it.
func (e *element) each(do func(*element)) {
	do(e)
	for _, k := range e.kids {
		k.each(do)
	}
}

// people returns the users that a page mentions, each once.
func (e *element) people() (list []person) {
	seen := map[person]bool{}
	e.each(func(k *element) {
		if p := mentioned(k); p != (person{}) && !seen[p] {
			seen[p] = true
			list = append(list, p)
		}
	})
	return list
}

// person is how a page names a user: by one of them.
type person struct {
	account string // Cloud
	key     string // Data Center
	name    string // Data Center, in old pages
}

// mentioned returns the user of an ri:user.
func mentioned(e *element) person {
	if e.name != "ri:user" {
		return person{}
	}
	return person{account: e.attr["ri:account-id"], key: e.attr["ri:userkey"], name: e.attr["ri:username"]}
}
