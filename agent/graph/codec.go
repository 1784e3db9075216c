package graph

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	fastjson "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Codec converts the values of one state channel to JSON and back. Name and Version are stored beside every value, so
// that logs contain no Go types, and reading never builds a type that the schema did not register.
//
// Encode appends one JSON value to dst. Decode must reject unknown input. Clean, if set, returns a value as it would
// come back from the log. Upcast, if set, converts a value of an older version.
type Codec[T any] struct {
	Name    string // [a-z][a-z0-9_.-]*, stable for ever
	Version int    // 1, 2, …; 0 means 1
	Encode  func(dst []byte, v T) ([]byte, error)
	Decode  func(raw []byte) (T, error)
	Clean   func(v T) (T, error)
	Upcast  func(version int, raw []byte) ([]byte, error)

	list    func(raw []byte) ([]T, error) // decodes an array at once
	problem string                        // why the codec cannot be used
}

var codecName = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`)

func (c Codec[T]) version() int { return max(c.Version, 1) }

func (c Codec[T]) check() string {
	switch {
	case c.problem != "":
		return c.problem
	case !codecName.MatchString(c.Name):
		return fmt.Sprintf("codec name %q is not of the form [a-z][a-z0-9_.-]*", c.Name)
	case c.Encode == nil || c.Decode == nil:
		return fmt.Sprintf("codec %q lacks Encode or Decode", c.Name)
	}
	return ""
}

func (c Codec[T]) clean(v T) (T, error) {
	if c.Clean == nil {
		return v, nil
	}
	return c.Clean(v)
}

func (c Codec[T]) decode(version int, raw []byte) (T, error) {
	raw, err := c.upcast(version, raw)
	if err != nil {
		var zero T
		return zero, err
	}
	return c.Decode(raw)
}

func (c Codec[T]) upcast(version int, raw []byte) ([]byte, error) {
	switch {
	case version == c.version():
		return raw, nil
	case version > c.version():
		return nil, fmt.Errorf("%s version %d is newer than this program's %d", c.Name, version, c.version())
	case c.Upcast == nil:
		return nil, fmt.Errorf("%s version %d: no way to bring it to version %d", c.Name, version, c.version())
	}
	return c.Upcast(version, raw)
}

func (c Codec[T]) decodeList(version int, raw []byte) ([]T, error) {
	if c.list != nil && version == c.version() {
		return c.list(raw)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	out := make([]T, len(items))
	for i, item := range items {
		v, err := c.decode(version, item)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		out[i] = v
	}
	return out, nil
}

func (c Codec[T]) encodeList(dst []byte, list []T) ([]byte, error) {
	dst = append(dst, '[')
	var err error
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = c.Encode(dst, v); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

// JSON returns a codec that encodes T with encoding/json and rejects unknown fields when it reads. T must not have
// interface fields, whose type would be lost, nor unexported ones, which would be dropped silently: Compile reports
// them.
func JSON[T any](name string, version int) Codec[T] {
	c := Codec[T]{
		Name: name, Version: version,
		Encode: func(dst []byte, v T) ([]byte, error) { return appendJSON(dst, v) },
		Decode: strictJSON[T],
		list:   strictJSON[[]T],
	}
	if err := keepable(reflect.TypeFor[T](), map[reflect.Type]bool{}); err != nil {
		c.problem = fmt.Sprintf("codec %q: %v", name, err)
	}
	return c
}

// String returns the codec of strings. Invalid UTF-8 is replaced when written.
func String() Codec[string] {
	return Codec[string]{
		Name:   "s",
		Encode: func(dst []byte, v string) ([]byte, error) { return appendString(dst, v), nil },
		Decode: strictJSON[string],
		Clean:  func(v string) (string, error) { return strings.ToValidUTF8(v, "\uFFFD"), nil },
		list:   strictJSON[[]string],
	}
}

// Int returns the codec of ints.
func Int() Codec[int] {
	return Codec[int]{
		Name:   "i",
		Encode: func(dst []byte, v int) ([]byte, error) { return strconv.AppendInt(dst, int64(v), 10), nil },
		Decode: func(raw []byte) (int, error) { return strconv.Atoi(string(raw)) },
	}
}

// Float returns the codec of finite float64s.
func Float() Codec[float64] {
	return Codec[float64]{Name: "f", Encode: appendFloat, Decode: strictJSON[float64]}
}

// Bool returns the codec of bools.
func Bool() Codec[bool] {
	return Codec[bool]{
		Name:   "b",
		Encode: func(dst []byte, v bool) ([]byte, error) { return strconv.AppendBool(dst, v), nil },
		Decode: strictJSON[bool],
	}
}

// Time returns the codec of points in time, kept in UTC without the monotonic
// clock.
func Time() Codec[time.Time] {
	return Codec[time.Time]{
		Name:   "t",
		Encode: func(dst []byte, v time.Time) ([]byte, error) { return appendJSON(dst, v) },
		Decode: strictJSON[time.Time],
		Clean:  func(v time.Time) (time.Time, error) { return v.UTC().Round(0), nil },
	}
}

// appendJSON appends v as encoding/json writes it, without HTML escapes.
func appendJSON(dst []byte, v any) ([]byte, error) {
	w := sliceWriter{dst}
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return w.b[:len(w.b)-1], nil // without Encode's newline
}

type sliceWriter struct{ b []byte }

func (w *sliceWriter) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}

// strictJSON decodes exactly one value and refuses unknown fields.
func strictJSON[T any](raw []byte) (T, error) {
	var v T
	err := strictInto(raw, &v)
	return v, err
}

func strictInto(raw []byte, v any) error {
	return fastjson.Unmarshal(raw, v, strictly)
}

// strictly is what encoding/json does after DisallowUnknownFields.
var strictly = fastjson.JoinOptions(jsonv1.DefaultOptionsV1(), fastjson.RejectUnknownMembers(true))

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string. s must be valid UTF-8.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		from = i + 1
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// keepable reports why a type would not come back from JSON as it was.
func keepable(t reflect.Type, seen map[reflect.Type]bool) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	if reflect.PointerTo(t).Implements(jsonMarshaler) && reflect.PointerTo(t).Implements(jsonUnmarshaler) {
		return nil
	}
	switch t.Kind() {
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("%s cannot be kept: its type does not survive JSON", t)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return keepable(t.Elem(), seen)
	case reflect.Struct:
		for f := range fields(t) {
			if f.Tag.Get("json") == "-" {
				continue
			}
			if !f.IsExported() && !f.Anonymous {
				return fmt.Errorf("%s.%s is unexported and would be lost", t, f.Name)
			}
			if err := keepable(f.Type, seen); err != nil {
				return fmt.Errorf("%s.%s: %w", t, f.Name, err)
			}
		}
	default:
	}
	return nil
}

func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}
