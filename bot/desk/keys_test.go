package desk_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot/desk"
	"maru/bot/receipt"
)

// notes keep values in memory, the first of each.
type notes struct {
	mu   sync.Mutex
	kept map[string]string
}

func (n *notes) Note(_ context.Context, key string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.kept[key], nil
}

func (n *notes) FirstNote(_ context.Context, key, value string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.kept[key] == "" {
		n.kept[key] = value
	}
	return n.kept[key], nil
}

func TestKeyring(t *testing.T) {
	t.Parallel()
	kept := &notes{kept: map[string]string{}}
	old, fresh := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	ring := func(secrets ...[]byte) desk.Keyring {
		return desk.Keyring{Notes: kept, Secrets: secrets, Now: time.Now}
	}
	sign := func(k desk.Keyring) string {
		t.Helper()
		key, err := k.Signing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text, err := receipt.Sign(receipt.Claims{Request: "r"}, key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	published := func(want int) receipt.Keys {
		t.Helper()
		keys, err := ring().Public(t.Context())
		if err != nil || len(keys.Keys) != want {
			t.Fatalf("%d keys, %v; want %d", len(keys.Keys), err, want)
		}
		return keys
	}
	if _, err := ring().Signing(t.Context()); !errors.Is(err, desk.ErrNoSecret) {
		t.Errorf("without a secret: %v", err)
	}
	var all sync.WaitGroup // programs that start together agree on one key
	for range 8 {
		all.Go(func() { _, _ = ring(old).Signing(t.Context()) })
	}
	all.Wait()
	published(1)
	first := sign(ring(old))
	if again := sign(ring(fresh, old)); again != first { // a new secret before the old one changes no key
		t.Error("the key changed with the order of secrets")
	}
	published(1)
	if _, err := ring(fresh, old).Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := sign(ring(fresh))
	third := sign(ring(bytes.Repeat([]byte{3}, 32))) // the secrets are lost
	keys := published(3)
	for name, text := range map[string]string{"first": first, "second": second, "third": third} {
		if _, err := receipt.Check(text, keys); err != nil {
			t.Errorf("the %s key's receipt: %v", name, err)
		}
	}
	for key, value := range kept.kept {
		if strings.Contains(value, `"d"`) || !strings.Contains(value, `"sealed"`) {
			t.Errorf("%s: %s", key, value)
		}
	}
}
