package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	maxDepth = 64
	maxNodes = 500_000 // values of one record, which is held as a whole
)

var (
	errDepth = fmt.Errorf("%w: nested deeper than %d", ErrLimit, maxDepth)
	errNodes = fmt.Errorf("%w: more than %d values in one record", ErrLimit, maxNodes)
)

// JSON reads one or more JSON values. It calls row with every element of an outermost list, or else with the value, as
// lines of "path: value" in member order: a question before its answer. Elements are held one at a time. The error is
// that of row, [ErrLimit] or one of syntax.
func JSON(text string, row func(string) error) error {
	var failed error
	r := jsonReader{dec: json.NewDecoder(strings.NewReader(text))}
	r.dec.UseNumber()
	for n := 0; ; n++ {
		if err := jsonDepth(text[min(len(text), int(r.dec.InputOffset())):]); err != nil {
			return err
		}
		err := r.document(func(s string) error {
			failed = row(s)
			return failed
		})
		switch {
		case failed != nil:
			return failed
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case err != nil:
			return fmt.Errorf("at byte %d: %w", r.dec.InputOffset(), err)
		}
	}
}

// jsonReader reads values in member order.
type jsonReader struct {
	dec   *json.Decoder
	nodes int // of the present record
}

// document reads one value. At the end it returns io.EOF.
func (r *jsonReader) document(row func(string) error) error {
	t, err := r.dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return r.record(t, row)
	}
	for r.dec.More() {
		if t, err = r.dec.Token(); err == nil {
			err = r.record(t, row)
		}
		if err != nil {
			return truncated(err)
		}
	}
	_, err = r.dec.Token() // its closing bracket
	return truncated(err)
}

// record reads the rest of a value after its first token.
func (r *jsonReader) record(t json.Token, row func(string) error) error {
	r.nodes = 0
	v, err := r.rest(t)
	if err != nil {
		return truncated(err)
	}
	var lines []string
	flatten("", v, &lines)
	return row(strings.Join(lines, "\n"))
}

// truncated tells the end of the text within a value from that after one.
func truncated(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// field is a member of an object.
type field struct {
	key   string
	value any
}

// rest reads the rest of a value after its first token. [jsonDepth] bounds its recursion.
func (r *jsonReader) rest(t json.Token) (any, error) {
	if r.nodes++; r.nodes > maxNodes {
		return nil, errNodes
	}
	open, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	var object []field
	var list []any
	for r.dec.More() {
		var m field
		if open == '{' {
			key, err := r.dec.Token()
			if err != nil {
				return nil, err
			}
			m.key, _ = key.(string) // the decoder accepts only strings as keys
		}
		t, err := r.dec.Token()
		if err != nil {
			return nil, err
		}
		if m.value, err = r.rest(t); err != nil {
			return nil, err
		}
		if open == '{' {
			object = append(object, m)
		} else {
			list = append(list, m.value)
		}
	}
	if _, err := r.dec.Token(); err != nil { // its closing bracket
		return nil, err
	}
	if open == '{' {
		return object, nil
	}
	return list, nil
}

// jsonDepth checks nesting before decoding, because the decoder recurses. It reads only the first value.
func jsonDepth(text string) error {
	depth, inString := 0, false
	text = strings.TrimLeft(text, " \t\r\n")
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case depth == 0 && (c == '\n' || c == ' '):
			return nil // a bare number or word
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return errDepth
			}
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return nil
			}
		}
	}
	return nil
}

func flatten(path string, v any, lines *[]string) {
	join := func(key string) string {
		if path == "" {
			return key
		}
		return path + "." + key
	}
	switch v := v.(type) {
	case []field:
		for _, m := range v {
			flatten(join(m.key), m.value, lines)
		}
	case []any:
		var plain []string
		for _, e := range v {
			switch e.(type) {
			case []field, []any:
				flatten(path, e, lines)
			case nil:
			default:
				plain = append(plain, fmt.Sprint(e))
			}
		}
		if len(plain) > 0 {
			*lines = append(*lines, label(path, strings.Join(plain, ", ")))
		}
	case nil:
	default:
		*lines = append(*lines, label(path, fmt.Sprint(v)))
	}
}

func label(path, value string) string {
	if path == "" {
		return value
	}
	return path + ": " + value
}
