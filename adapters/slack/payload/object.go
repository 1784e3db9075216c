package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Object is a JSON object read leniently: a field of an unexpected type counts as missing,
// without affecting the others. Everything from Slack is read through it, because the client
// library rejects a whole event for one unknown block. Its values are valid JSON.
type Object map[string]json.RawMessage

// Parse reads a JSON object; false if raw is not one. The object refers to raw, which must not change.
func Parse(raw []byte) (Object, bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	return members(raw)
}

// Str returns a text or number field, "" if there is none.
func (o Object) Str(k string) string {
	raw := bytes.TrimSpace(o[k])
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '"' {
		return text(raw)
	}
	var n json.Number
	if json.Unmarshal(raw, &n) != nil {
		return ""
	}
	return n.String()
}

// plain reports whether a JSON string equals its value: ASCII only (so that no UTF-8 can be invalid) and no escapes.
func plain(raw []byte) bool {
	for _, c := range raw {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return len(raw) > 1 && raw[0] == '"'
}

// Text returns a text field, "" if there is none or it is no text.
func (o Object) Text(k string) string {
	if raw := bytes.TrimSpace(o[k]); len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	return o.Str(k)
}

// Obj returns an object field, nil (which reads as empty) if there is none.
func (o Object) Obj(k string) Object {
	sub, _ := members(o[k])
	return sub
}

// List returns the objects of a list field and skips other elements.
func (o Object) List(k string) []Object {
	raws := elements(o[k])
	out := make([]Object, 0, len(raws))
	for _, r := range raws {
		if sub, ok := members(r); ok {
			out = append(out, sub)
		}
	}
	return out
}

// Strs returns the strings of a list and skips other elements.
func (o Object) Strs(k string) []string {
	var out []string
	for _, raw := range elements(o[k]) {
		if s := text(raw); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Flag reports whether a field is true.
func (o Object) Flag(k string) bool { return string(bytes.TrimSpace(o[k])) == "true" }

// Num returns an integer field, 0 if there is none.
func (o Object) Num(k string) int64 {
	n, err := strconv.ParseInt(o.Str(k), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Time converts a message's ts to its time.
func Time(ts string) time.Time {
	sec, frac, _ := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(sec, 10, 64)
	if err != nil {
		return time.Time{}
	}
	us, err := strconv.ParseInt((frac + "000000")[:6], 10, 64)
	if err != nil {
		us = 0
	}
	return time.Unix(s, us*1000).UTC()
}

// TS reverses Time.
func TS(at time.Time) string {
	us := at.UnixMicro()
	return fmt.Sprintf("%d.%06d", us/1e6, us%1e6)
}

// Rows returns a list of lists of objects, as a table's, and skips other elements.
func (o Object) Rows(k string) [][]Object {
	raws := elements(o[k])
	out := make([][]Object, 0, len(raws))
	for _, r := range raws {
		out = append(out, Object{"row": r}.List("row"))
	}
	return out
}
