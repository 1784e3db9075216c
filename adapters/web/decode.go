package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// decode reads a JSON body into v. It rejects unknown members, since a misspelt one must not
// count as absent, duplicate members, and members in other letter case: encoding/json reads
// {"action":"reject","ACTION":"approve"} as approve.
func decode(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refusal{http.StatusRequestEntityTooLarge, "too_long"}
	case err != nil, !exact(body):
		return refusal{http.StatusBadRequest, "bad_request"}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return refusal{http.StatusBadRequest, "bad_request"}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return refusal{http.StatusBadRequest, "bad_request"}
	}
	return nil
}

// exact reports whether body is a JSON object with lower-case members, and no object in it
// has a duplicate member in any letter case.
func exact(body []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(body))
	t, err := dec.Token()
	return err == nil && t == json.Delim('{') && members(dec, 1)
}

// maxDepth bounds the nesting of a body.
const maxDepth = 16

// members reads an object's members up to its end.
func members(dec *json.Decoder, depth int) bool {
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		low := strings.ToLower(name)
		if err != nil || !ok || seen[low] || depth == 1 && low != name {
			return false
		}
		seen[low] = true
		if !value(dec, depth) {
			return false
		}
	}
	_, err := dec.Token()
	return err == nil
}

// value reads one value, including nested ones.
func value(dec *json.Decoder, depth int) bool {
	t, err := dec.Token()
	if err != nil || depth > maxDepth {
		return false
	}
	switch t {
	case json.Delim('{'):
		return members(dec, depth+1)
	case json.Delim('['):
		for dec.More() {
			if !value(dec, depth+1) {
				return false
			}
		}
		_, err := dec.Token()
		return err == nil
	}
	return true
}
