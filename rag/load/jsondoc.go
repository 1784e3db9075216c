package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const maxJSONDepth = 64

// parseJSON reads one or more JSON values. Every object of the outermost list becomes a row of "path: value" lines,
// in member order: a question before its answer.
func parseJSON(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	for n := 0; ; n++ {
		if err := jsonDepth(text[min(len(text), int(dec.InputOffset())):]); err != nil {
			return err
		}
		v, err := jsonNext(dec)
		if err != nil {
			if errors.Is(err, io.EOF) && n > 0 {
				return nil
			}
			return fault(Broken, "", fmt.Errorf("at byte %d: %w", dec.InputOffset(), err))
		}
		if err := jsonValue(v, out); err != nil {
			return err
		}
	}
}

// field is a member of an object.
type field struct {
	key   string
	value any
}

// jsonNext reads the next value; an object is a list of its fields. At the end it returns io.EOF.
func jsonNext(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	v, err := jsonRest(dec, t)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // truncated
	}
	return v, err
}

// jsonRest reads the rest of a value after its first token. [jsonDepth] bounds its recursion.
func jsonRest(dec *json.Decoder, t json.Token) (any, error) {
	open, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	var object []field
	var list []any
	for dec.More() {
		var m field
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			m.key, _ = key.(string) // the decoder accepts only strings as keys
		}
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if m.value, err = jsonRest(dec, t); err != nil {
			return nil, err
		}
		if open == '{' {
			object = append(object, m)
		} else {
			list = append(list, m.value)
		}
	}
	if _, err := dec.Token(); err != nil { // its closing bracket
		return nil, err
	}
	if open == '{' {
		return object, nil
	}
	return list, nil
}

// maxBadLines bounds the broken lines of a JSON Lines file: with more it is another format.
const maxBadLines = 20

// parseJSONLines reads a value a line. Broken lines are skipped and listed; a file with too many, or nothing else, is
// refused.
func parseJSONLines(data []byte, lim limits, out *sink) error {
	whole := &sink{left: out.left}
	err := parseJSON(data, lim, whole)
	if e := new(Error); err == nil || !errors.As(err, &e) || e.Code != Broken {
		out.Blocks, out.left = append(out.Blocks, whole.Blocks...), whole.left
		return err
	}
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	var first error
	good, n := 0, 0
	for line := range strings.Lines(text) {
		if n++; strings.TrimSpace(line) == "" {
			continue
		}
		err := parseJSON([]byte(line), lim, out)
		if e := new(Error); err != nil && (!errors.As(err, &e) || e.Code != Broken) {
			return err // the bounds are the file's, not the line's
		}
		if err == nil {
			good++
			continue
		}
		if first == nil {
			first = fmt.Errorf("line %d: %w", n, err)
		}
		out.Unread = append(out.Unread, unread{Name: ":" + strconv.Itoa(n), Code: BadLine})
	}
	if good == 0 || len(out.Unread) > maxBadLines {
		return fault(Broken, "", first)
	}
	return nil
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
			if depth++; depth > maxJSONDepth {
				return fault(TooComplex, "", errDepthLimit)
			}
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return nil
			}
		}
	}
	return nil
}

func jsonValue(v any, out *sink) error {
	if list, ok := v.([]any); ok {
		for _, e := range list {
			if err := jsonRecord(e, out); err != nil {
				return err
			}
		}
		return nil
	}
	return jsonRecord(v, out)
}

func jsonRecord(v any, out *sink) error {
	var lines []string
	flatten("", v, &lines)
	return out.add(block{Kind: row, Text: strings.Join(lines, "\n")})
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
