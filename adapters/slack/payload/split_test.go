package payload_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"maru/adapters/slack/payload"
)

// FuzzObject: an object is read as encoding/json reads it, at every level.
func FuzzObject(f *testing.F) {
	for _, s := range []string{
		``, `{}`, ` { } `, `null`, `[]`, `"x"`, `{"a":1}`, `{"a":1,"a":2}`, `{"a":}`, `{"a":1`, `{"a" : [1 , {"b":"}"} ] , "c" : null}`, "{\"\\u0061\\n\":\"\\\\\\\"\"}",
		"{\"\xff\":true}", `{"type":"event_callback","event":{"blocks":[{"type":"rich_text","elements":[{"elements":[{"type":"text","text":"가 \"[{,"}]}]}],"ts":"1.2"}}`,
		`{"a":-1.5e+10,"b":false}x`, `{"a":[[],[1,[2]],{}]}`, `{"list":[1,"two",{"three":3},null]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, ok := payload.Parse(raw)
		same(t, raw, o, ok)
	})
}

func same(t *testing.T, raw []byte, o payload.Object, ok bool) {
	t.Helper()
	var want map[string]json.RawMessage
	if isObject := json.Unmarshal(raw, &want) == nil && want != nil; ok != isObject || len(o) != len(want) {
		t.Fatalf("%q: %d members, %v; want %d, %v", raw, len(o), ok, len(want), isObject)
	}
	for k, v := range want {
		if !bytes.Equal(o[k], v) {
			t.Fatalf("%q: %q is %q, want %q", raw, k, o[k], v)
		}
		var object map[string]json.RawMessage
		if isObject := json.Unmarshal(v, &object) == nil && object != nil; isObject {
			same(t, v, o.Obj(k), true)
		}
		var list []json.RawMessage
		var objects [][]byte
		if json.Unmarshal(v, &list) == nil {
			for _, one := range list {
				if object = nil; json.Unmarshal(one, &object) == nil && object != nil {
					objects = append(objects, one)
				}
			}
		}
		got := o.List(k)
		if len(got) != len(objects) {
			t.Fatalf("%q: %q has %d objects, want %d", raw, k, len(got), len(objects))
		}
		for i, one := range objects {
			same(t, one, got[i], true)
		}
	}
}

// TestReadingAnEventAllocatesLittle bounds the allocations for the deepest part of a message.
func TestReadingAnEventAllocatesLittle(t *testing.T) {
	raw := []byte(`{"event":{"type":"message","text":"<@UBOT> good morning","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user","user_id":"UBOT"},{"type":"text","text":" good morning"}]}]}],"ts":"1700000000.000100"},"team_id":"T1"}`)
	n := testing.AllocsPerRun(100, func() {
		o, _ := payload.Parse(raw)
		for _, b := range o.Obj("event").List("blocks") {
			for _, e := range b.List("elements") {
				for _, part := range e.List("elements") {
					_ = part.Str("text")
				}
			}
		}
	})
	if n > 60 { // most of them maps
		t.Errorf("%v allocations", n)
	}
}
