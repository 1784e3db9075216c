package pdf

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"regexp"
)

// ErrNested reports forms (reusable drawings) that call each other so often that reading a page would take minutes.
var ErrNested = errors.New("drawings that call each other too often")

// Bounds of [nested]. PDFium reads a form again for each call, so forms that call the next one twice double at every level. A plot
// calls the form of its marker once a point of its data; past maxDrawn markers PDFium exceeds the memory that it may have.
const (
	maxDrawn   = 100_000  // forms read for one call of a form
	maxCalling = 20_000   // those of them that call others
	maxLevels  = 64       // deeper than PDFium goes
	maxHead    = 16 << 10 // bytes of an object before its stream
	maxContent = 1 << 20  // bytes of a form's content
	maxForms   = 20_000
)

var (
	objects  = regexp.MustCompile(`(?:^|[\s>])(\d{1,10})\s+\d{1,5}\s+obj\b`)
	isForm   = regexp.MustCompile(`/Subtype\s*/Form\b`)
	xObjects = regexp.MustCompile(`/XObject\s*(?:<<([^>]*)>>|(\d{1,10})\s+\d+\s+R)`)
	resource = regexp.MustCompile(`/Resources\s+(\d{1,10})\s+\d+\s+R`)
	named    = regexp.MustCompile(`/([^\s/<>\[\]()]+)\s+(\d{1,10})\s+\d+\s+R`)
	calls    = regexp.MustCompile(`/([^\s/<>\[\]()]+)\s+Do\b`)
)

// nested reports whether forms call each other more than maxDrawn times, or more than maxCalling times those that call others. It reads what a file says plainly or deflated; forms
// are never within object streams. What it does not understand it leaves to the limit on time.
func nested(data []byte) bool {
	if !isForm.Match(data) {
		return false
	}
	n := nesting{heads: map[string][]byte{}, forms: map[string]map[string]int{}, drawn: map[string]drawn{}, open: map[string]bool{}}
	found := objects.FindAllSubmatchIndex(data, -1)
	for i, at := range found {
		end := len(data)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		n.add(string(data[at[2]:at[3]]), data[at[1]:end])
	}
	for form := range n.bodies {
		n.forms[form] = n.called(form)
	}
	for form := range n.forms {
		if n.cost(form, 0).tooMuch() {
			return true
		}
	}
	return false
}

type nesting struct {
	heads  map[string][]byte         // dictionaries by object
	bodies map[string][]byte         // of forms: what follows their dictionary
	forms  map[string]map[string]int // how often each calls another object
	drawn  map[string]drawn
	open   map[string]bool // forms being counted: PDFium does not enter them again
}

func (n *nesting) add(id string, object []byte) {
	head, body, _ := bytes.Cut(object, []byte("stream"))
	head = head[:min(len(head), maxHead)]
	n.heads[id] = head // the last of an id holds
	if isForm.Match(head) && len(n.bodies) < maxForms {
		if n.bodies == nil {
			n.bodies = map[string][]byte{}
		}
		n.bodies[id] = body
	}
}

// called counts the objects that a form calls.
func (n *nesting) called(form string) map[string]int {
	head := n.heads[form]
	if m := resource.FindSubmatch(head); m != nil {
		head = n.heads[string(m[1])]
	}
	out := map[string]int{}
	m := xObjects.FindSubmatch(head)
	if m == nil {
		return out
	}
	list := m[1]
	if len(m[2]) > 0 {
		list = n.heads[string(m[2])]
	}
	ids := map[string]string{}
	for _, one := range named.FindAllSubmatch(list, -1) {
		ids[string(one[1])] = string(one[2])
	}
	for _, one := range calls.FindAllSubmatch(content(n.heads[form], n.bodies[form]), -1) {
		if id, ok := ids[string(one[1])]; ok {
			out[id]++
		}
	}
	return out
}

// content returns what a form draws, as far as it can be read.
func content(head, body []byte) []byte {
	body = bytes.TrimLeft(body, "\r")
	body = bytes.TrimPrefix(body, []byte("\n"))
	if bytes.Contains(head, []byte("/FlateDecode")) {
		r, err := zlib.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil
		}
		text, _ := io.ReadAll(io.LimitReader(r, maxContent)) // what came before a fault counts
		return text
	}
	body, _, _ = bytes.Cut(body, []byte("endstream"))
	return body[:min(len(body), maxContent)]
}

// drawn counts the forms that are read for one call of a form.
type drawn struct{ all, calling int }

func (d drawn) tooMuch() bool { return d.all > maxDrawn || d.calling > maxCalling }

// cost returns what one call of a form reads. It stops counting where that is too much.
func (n *nesting) cost(form string, level int) drawn {
	calls, ok := n.forms[form]
	if !ok || n.open[form] || level > maxLevels {
		return drawn{}
	}
	if known, ok := n.drawn[form]; ok {
		return known
	}
	n.open[form] = true
	defer delete(n.open, form)
	sum := drawn{all: 1}
	for id, times := range calls {
		of := n.cost(id, level+1)
		if times = min(times, maxDrawn+1); of.all > 0 && sum.calling == 0 {
			sum.calling = 1
		}
		sum.all += times * of.all
		if sum.calling += times * of.calling; sum.tooMuch() {
			break
		}
	}
	n.drawn[form] = drawn{min(sum.all, maxDrawn+1), min(sum.calling, maxCalling+1)}
	return n.drawn[form]
}
