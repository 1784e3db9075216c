// Package sourcetest holds what the tests of sources behind REST APIs have in common. It knows no service.
package sourcetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"maru/rag/source"
)

// Look lists everything from a cursor, with a source of its own for every part, as after kills. between is called after each
// part, unless it is nil.
func Look(t *testing.T, open func() source.Source, cursor string, between func()) (items map[string]source.Item, last source.Page) {
	t.Helper()
	items = map[string]source.Item{}
	last = source.Page{Cursor: cursor, More: true}
	for parts := 0; last.More; parts++ {
		if parts > 100 {
			t.Fatal("the listing does not end")
		}
		var err error
		if last, err = open().List(t.Context(), last.Cursor); err != nil {
			t.Fatal(err)
		}
		for _, it := range last.Items {
			items[it.ID] = it
		}
		if between != nil {
			between()
		}
	}
	return items, last
}

// Check compares an error with how long it asks to wait, or with the key of its sentence: "" for no error, "gone" and "stale"
// for the errors of these names. Sentences are in both languages and hold no secret.
func Check(t *testing.T, call string, err error, want string, wait time.Duration, secret string) {
	t.Helper()
	fault, faulty := errors.AsType[*source.Fault](err)
	asked, waits := errors.AsType[*source.Wait](err)
	ok := false
	switch {
	case wait > 0:
		ok = waits && asked.For == wait
	case want == "":
		ok = err == nil
	case want == "gone":
		ok = errors.Is(err, source.ErrGone)
	case want == "stale":
		ok = errors.Is(err, source.ErrStale)
	case faulty:
		en, ko := fault.PeopleText("en"), fault.PeopleText("ko")
		ok = fault.Key == want && !fault.Permanent && en != ko && !strings.Contains(en+ko, "%!")
	}
	if !ok || err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("%s: %v, want %q or a wait of %v", call, err, want, wait)
	}
}

// Addresses tries addresses of a source, each with the key of the sentence that refuses it, "" for one that is taken.
func Addresses(t *testing.T, open func(address string) error, want map[string]string) {
	t.Helper()
	for address, key := range want {
		err := open(address)
		fault, faulty := errors.AsType[*source.Fault](err)
		if key == "" && err != nil || key != "" && (!faulty || fault.Key != key) {
			t.Errorf("%q: %v, want %q", address, err, key)
		}
	}
}
