package seal_test

import (
	"bytes"
	"errors"
	"testing"

	"maru/bot/seal"
)

func TestSealOpensForItsPurposeAlone(t *testing.T) {
	t.Parallel()
	old, fresh := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	sealed, err := seal.New([][]byte{old}).Seal([]byte("secret"), "account/ann")
	if err != nil || bytes.Contains(sealed, []byte("secret")) {
		t.Fatalf("%q, %v", sealed, err)
	}
	if got, err := seal.New([][]byte{fresh, old}).Open(sealed, "account/ann"); err != nil || string(got) != "secret" {
		t.Errorf("after a new key: %q, %v", got, err)
	}
	for name, open := range map[string]func() ([]byte, error){
		"another person": func() ([]byte, error) { return seal.New([][]byte{old}).Open(sealed, "account/bob") },
		"another key":    func() ([]byte, error) { return seal.New([][]byte{fresh}).Open(sealed, "account/ann") },
		"no key":         func() ([]byte, error) { return seal.Box{}.Open(sealed, "account/ann") },
		"a changed byte": func() ([]byte, error) {
			return seal.New([][]byte{old}).Open(append([]byte{9}, sealed[1:]...), "account/ann")
		},
	} {
		if got, err := open(); !errors.Is(err, seal.ErrClosed) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := (seal.Box{}).Seal(nil, ""); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("%v", err)
	}
}
