package payload

import (
	"bytes"
	"encoding/json"
)

// members splits a valid JSON object into its members; false if raw is not one. The values are parts of raw: encoding/json would
// validate and copy each level of an event once for every level above it.
func members(raw []byte) (Object, bool) {
	i := skipSpace(raw, 0)
	if i == len(raw) || raw[i] != '{' {
		return nil, false
	}
	o := Object{}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] == '"'; {
		end := endOf(raw, i)
		key := text(raw[i:end])
		if i = skipSpace(raw, end); i == len(raw) || raw[i] != ':' {
			return nil, false
		}
		i = skipSpace(raw, i+1)
		end = endOf(raw, i)
		o[key] = raw[i:end:end]
		if i = skipSpace(raw, end); i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return o, i < len(raw)
}

// elements returns the elements of a valid JSON array as subslices of raw, or nil if raw is another value.
func elements(raw []byte) (list []json.RawMessage) {
	i := skipSpace(raw, 0)
	if i == len(raw) || raw[i] != '[' {
		return nil
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != ']'; {
		end := endOf(raw, i)
		list = append(list, raw[i:end:end])
		if i = skipSpace(raw, end); i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return list
}

// text decodes a valid JSON string; "" if raw is not a string.
func text(raw []byte) (s string) {
	if plain(raw) {
		return string(raw[1 : len(raw)-1])
	}
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// endOf returns the end of the valid JSON value that begins at i.
func endOf(raw []byte, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ' ', '\t', '\r', '\n', ',', ':':
			continue // within an object or an array
		default: // a number or a name
			for i+1 < len(raw) && bytes.IndexByte([]byte(" \t\r\n,]}"), raw[i+1]) < 0 {
				i++
			}
		}
		if depth <= 0 {
			return min(i+1, len(raw))
		}
	}
	return len(raw)
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n') {
		i++
	}
	return i
}
