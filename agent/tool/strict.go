package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Limits of a call's arguments. Models may repeat themselves without end, and parsers disagree
// about unusual input; what exceeds the limits is rejected before parsing.
const (
	maxArguments = 256 << 10 // bytes
	maxDepth     = 32
)

// decodeStrict decodes one JSON object. Unlike encoding/json it rejects duplicate keys, invalid
// UTF-8, deep nesting and trailing data, and matches keys case-sensitively.
func decodeStrict(data []byte) (map[string]any, error) {
	if len(data) > maxArguments {
		return nil, fmt.Errorf("the arguments are longer than %d bytes", maxArguments)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("the arguments are not UTF-8 text")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := value(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the arguments: send one JSON object")
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("the arguments are not a JSON object")
	}
	return object, nil
}

// value reads the next value of d.
func value(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the arguments are nested more than %d deep", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, errors.New("the arguments are not valid JSON")
	}
	switch token {
	case json.Delim('{'):
		return object(d, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, end(d)
	}
	return token, nil
}

// object reads the rest of an object.
func object(d *json.Decoder, depth int) (map[string]any, error) {
	out := map[string]any{}
	for d.More() {
		token, err := d.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return nil, errors.New("the arguments are not valid JSON")
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("the key %q is there twice", clip(key, 64))
		}
		if out[key], err = value(d, depth+1); err != nil {
			return nil, err
		}
	}
	return out, end(d)
}

// end reads the closing bracket.
func end(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return errors.New("the arguments are not valid JSON")
	}
	return nil
}
