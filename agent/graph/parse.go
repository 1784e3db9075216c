package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// parser reads the envelope of a record's body. encoding/json would scan the values within it once for every level of
// nesting; this one skips them once and leaves them to the codecs, which check them. It accepts only the shapes it
// knows and reports others as errors.
type parser struct {
	b []byte
	i int
}

var errShape = errors.New("not the shape of a record")

// peek returns the next letter that is not white space, 0 at the end.
func (p *parser) peek() byte {
	for p.i < len(p.b) {
		switch c := p.b[p.i]; c {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return c
		}
	}
	return 0
}

func (p *parser) expect(c byte) error {
	if p.peek() != c {
		return fmt.Errorf("%w: no %q at byte %d", errShape, c, p.i)
	}
	p.i++
	return nil
}

// list reads values between two brackets; each reads one of them.
func (p *parser) list(open, closing byte, each func() error) error {
	if err := p.expect(open); err != nil {
		return err
	}
	if p.peek() == closing {
		p.i++
		return nil
	}
	for {
		if err := each(); err != nil {
			return err
		}
		if p.peek() == closing {
			p.i++
			return nil
		}
		if err := p.expect(','); err != nil {
			return err
		}
	}
}

func (p *parser) array(each func() error) error { return p.list('[', ']', each) }

func (p *parser) object(each func(key string) error) error {
	return p.list('{', '}', func() error {
		key, err := p.text()
		if err != nil {
			return err
		}
		if err := p.expect(':'); err != nil {
			return err
		}
		return each(key)
	})
}

// value skips one value and returns it unchecked, a part of the body.
func (p *parser) value() (json.RawMessage, error) {
	first := p.peek()
	from, depth := p.i, 0
	for p.i < len(p.b) {
		switch c := p.b[p.i]; c {
		case '"':
			if !p.skipString() {
				return nil, fmt.Errorf("%w: open string at byte %d", errShape, from)
			}
			if depth == 0 {
				return p.b[from:p.i:p.i], nil
			}
			continue
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return p.plain(from)
			}
			if c != ',' {
				if depth--; depth == 0 {
					p.i++
					return p.b[from:p.i:p.i], nil
				}
			}
		}
		p.i++
	}
	if depth > 0 || first == 0 {
		return nil, fmt.Errorf("%w: open value at byte %d", errShape, from)
	}
	return p.plain(from)
}

func (p *parser) plain(from int) (json.RawMessage, error) {
	v := bytes.TrimRight(p.b[from:p.i], " \t\r\n")
	if len(v) == 0 {
		return nil, fmt.Errorf("%w: no value at byte %d", errShape, from)
	}
	return v, nil
}

func (p *parser) skipString() bool {
	for p.i++; p.i < len(p.b); {
		rest := p.b[p.i:]
		quote := bytes.IndexByte(rest, '"')
		if quote < 0 {
			break
		}
		escape := bytes.IndexByte(rest[:quote], '\\')
		if escape < 0 {
			p.i += quote + 1
			return true
		}
		p.i += escape + 2
	}
	return false
}

func (p *parser) text() (string, error) {
	if p.peek() != '"' {
		return "", fmt.Errorf("%w: no string at byte %d", errShape, p.i)
	}
	raw, err := p.value()
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	return s, json.Unmarshal(raw, &s)
}

func (p *parser) number() (int, error) {
	raw, err := p.value()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(raw))
}

// decodeBody reads the body of a record. Its values are parts of raw.
func decodeBody(raw []byte) (body, error) {
	var b body
	p := parser{b: raw}
	err := p.object(func(key string) error { return p.field(&b, key) })
	if err == nil && p.peek() != 0 {
		err = fmt.Errorf("%w: more after its end", errShape)
	}
	return b, err
}

func (p *parser) field(b *body, key string) error {
	switch key {
	case "t":
		return p.array(func() error { return p.task(b) })
	case "u":
		return p.array(func() error { return p.update(&b.Updates) })
	case "n":
		b.routed = true
		return p.array(func() error { return p.target(b) })
	}
	raw, err := p.value()
	if err != nil {
		return err
	}
	switch key {
	case "w":
		b.Wait, err = strictJSON[map[string][]string](raw)
	case "q":
		b.Asks, err = strictJSON[[]Interrupt](raw)
	case "a":
		b.Answers, err = strictJSON[[]Answer](raw)
	case "e":
		b.Effect, err = strictJSON[*effectBody](raw)
	case "h":
		b.Head, err = strictJSON[*headBody](raw)
	default:
		err = fmt.Errorf("unknown field %q", key)
	}
	return err
}

func (p *parser) task(b *body) error {
	t := taskBody{index: -1}
	err := p.array(func() (err error) {
		if t.index < 0 {
			if t.index, err = p.number(); err == nil && t.index < 0 {
				err = fmt.Errorf("task %d", t.index)
			}
			return err
		}
		return p.update(&t.updates)
	})
	if err == nil && t.index < 0 {
		err = errors.New("a task without an index")
	}
	b.Tasks = append(b.Tasks, t)
	return err
}

func (p *parser) update(to *[]update) error {
	var u update
	at := 0
	err := p.array(func() (err error) {
		switch at++; at {
		case 1:
			u.channel, err = p.text()
		case 2:
			u.tag, err = p.text()
		case 3:
			var o string
			if o, err = p.text(); err == nil && len(o) != 1 {
				err = fmt.Errorf("unknown operation %q", o)
			}
			if err == nil {
				u.op = op(o[0])
			}
		default:
			u.value, err = p.value()
		}
		return err
	})
	if err == nil && at != 4 {
		err = fmt.Errorf("an update has %d parts, not 4", at)
	}
	*to = append(*to, u)
	return err
}

func (p *parser) target(b *body) error {
	t := target{node: unknownNode}
	var err error
	if p.peek() == '"' {
		t.name, err = p.text()
		b.Next = append(b.Next, t)
		return err
	}
	at := 0
	err = p.array(func() (err error) {
		if at++; at == 1 {
			t.name, err = p.text()
			return err
		}
		t.arg, err = p.value()
		return err
	})
	if err == nil && (at != 2 || !json.Valid(t.arg)) {
		err = errors.New("a next node is a name, or a name and its argument")
	}
	b.Next = append(b.Next, t)
	return err
}
