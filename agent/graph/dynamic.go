package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of dynamic values.
const maxDepth = 64

// Any returns the codec of dynamic values: nil, bool, string, int64, float64,
// []any and map[string]any of these. Other integers become int64, JSON text is
// parsed, and everything else is refused when it is written: a struct would
// come back as a map. What is kept comes back with the same Go types.
func Any() Codec[any] {
	return Codec[any]{Name: "any", Encode: appendAny, Decode: decodeAny, Clean: Normalize}
}

// Normalize brings a dynamic value to the types that [Any] keeps.
func Normalize(v any) (any, error) { return normalize(v, 0) }

func normalize(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	switch v := v.(type) {
	case nil, bool, int64:
		return v, nil
	case string:
		return strings.ToValidUTF8(v, "\uFFFD"), nil
	case int:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case float32:
		return normalize(float64(v), depth)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is not a JSON number", v)
		}
		return v, nil
	case json.Number:
		return number(string(v))
	case json.RawMessage:
		return decodeAny(v)
	case []string:
		out := make([]any, len(v))
		for i, s := range v {
			out[i] = strings.ToValidUTF8(s, "\uFFFD")
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			n, err := normalize(e, depth+1)
			if err != nil {
				return nil, fmt.Errorf("item %d: %w", i, err)
			}
			out[i] = n
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			n, err := normalize(e, depth+1)
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", k, err)
			}
			out[strings.ToValidUTF8(k, "\uFFFD")] = n
		}
		return out, nil
	}
	return nil, fmt.Errorf("a %T would not come back as it is; give JSON or a typed channel", v)
}

// number reads a JSON number: int64 if it is written as an integer that fits.
func number(s string) (any, error) {
	if !strings.ContainsAny(s, ".eE") {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("number %q: %w", s, err)
	}
	return f, nil
}

func decodeAny(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return normalize(v, 0)
}

// appendAny encodes a normalized value: keys sorted, floats always with a
// point or an exponent, so that they do not come back as integers.
func appendAny(dst []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return appendString(dst, v), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		return appendFloat(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendAny(dst, e); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		dst = append(dst, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, k), ':')
			if dst, err = appendAny(dst, v[k]); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
	return nil, fmt.Errorf("a %T is not a dynamic value", v)
}

func appendFloat(dst []byte, v float64) ([]byte, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("%v is not a JSON number", v)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
	if !bytes.ContainsAny(dst[from:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst, nil
}
