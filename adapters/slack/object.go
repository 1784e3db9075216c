package slack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object read leniently: a field of an unexpected type is as if
// it were missing, and what stands beside it is still read. Everything that
// arrives from Slack is read through it, because the client library refuses a
// whole event for one block that it does not know.
type object map[string]json.RawMessage

func parseObject(raw []byte) (object, bool) {
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		return nil, false
	}
	return o, true
}

// str returns a text or number field, "" if there is none.
func (o object) str(k string) string {
	raw := bytes.TrimSpace(o[k])
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) != nil {
		return ""
	}
	return n.String()
}

// obj returns an object field, nil (which reads as empty) if there is none.
func (o object) obj(k string) object {
	sub, _ := parseObject(o[k])
	return sub
}

// list returns the objects of a list field and leaves out all else.
func (o object) list(k string) []object {
	var raws []json.RawMessage
	if json.Unmarshal(o[k], &raws) != nil {
		return nil
	}
	out := make([]object, 0, len(raws))
	for _, r := range raws {
		if sub, ok := parseObject(r); ok {
			out = append(out, sub)
		}
	}
	return out
}

// strs returns a list of strings; what is none is left out.
func (o object) strs(k string) []string {
	var list []json.RawMessage
	if json.Unmarshal(o[k], &list) != nil {
		return nil
	}
	var out []string
	for _, raw := range list {
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (o object) flag(k string) bool { return string(bytes.TrimSpace(o[k])) == "true" }

func (o object) num(k string) int64 {
	n, err := strconv.ParseInt(o.str(k), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// first returns the first of the values that is not empty.
func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// tsTime turns a message's ts into the time it was written.
func tsTime(ts string) time.Time {
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

// timeTS reverses tsTime.
func timeTS(at time.Time) string {
	us := at.UnixMicro()
	return fmt.Sprintf("%d.%06d", us/1e6, us%1e6)
}

// mustList is a list of one object as JSON.
func mustList(o object) json.RawMessage {
	raw, err := json.Marshal([]object{o})
	if err != nil {
		return nil
	}
	return raw
}
