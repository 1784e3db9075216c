package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// ErrJSON reports a body other than the JSON object that is expected. What follows it in the error's text says why.
var ErrJSON = errors.New("bad body")

// JSON reads a JSON object into v. It rejects unknown members, since a misspelt one must not count as absent, duplicate
// members, and members in other letter case: encoding/json reads {"action":"reject","ACTION":"approve"} as approve.
// An error is an [http.MaxBytesError] or [ErrJSON].
func JSON(r io.Reader, v any) error {
	data, err := io.ReadAll(r)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return err
	}
	if err == nil {
		err = exact(data)
	}
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		err = dec.Decode(v)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return fmt.Errorf("%w: `%s` %s", ErrJSON, wrong.Field, misfit(wrong.Value))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it ends too early", ErrJSON)
	}
	return fmt.Errorf("%w: %s", ErrJSON, strings.TrimPrefix(err.Error(), "json: "))
}

// misfit says why a member cannot have a value: a JSON type, or "number" with its digits where the member is an integer.
func misfit(value string) string {
	kind, digits, number := strings.Cut(value, " ")
	switch {
	case number && strings.ContainsAny(digits, ".eE"):
		return "must be a whole number"
	case number:
		return "is out of range"
	case strings.ContainsAny(kind[:1], "ao"):
		return "cannot be an " + kind
	}
	return "cannot be a " + kind
}

// exact checks that data is one JSON object with lower-case members, and that no object in it has a duplicate member
// in any letter case.
func exact(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	t, err := dec.Token()
	if err != nil {
		return err //nolint:wrapcheck // JSON does
	}
	if t != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	if err := members(dec, 1); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

// maxDepth bounds the nesting of a body.
const maxDepth = 16

// members reads an object's members up to its end.
func members(dec *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err //nolint:wrapcheck // JSON does
		}
		name, _ := t.(string) // the decoder takes nothing else for a name
		low := strings.ToLower(name)
		switch {
		case seen[low]:
			return fmt.Errorf("`%.40s` is there twice", name)
		case depth == 1 && low != name:
			return fmt.Errorf("unknown field %.40q", name)
		}
		seen[low] = true
		if err := value(dec, depth); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err //nolint:wrapcheck // JSON does
}

// value reads one value, including nested ones.
func value(dec *json.Decoder, depth int) error {
	t, err := dec.Token()
	if err != nil {
		return err //nolint:wrapcheck // JSON does
	}
	if depth > maxDepth {
		return errors.New("it is nested too deeply")
	}
	switch t {
	case json.Delim('{'):
		return members(dec, depth+1)
	case json.Delim('['):
		for dec.More() {
			if err := value(dec, depth+1); err != nil {
				return err
			}
		}
		_, err := dec.Token()
		return err //nolint:wrapcheck // JSON does
	}
	return nil
}
