package receipt_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"maru/bot/receipt"
)

func pair(t *testing.T) (ed25519.PrivateKey, receipt.Key) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return private, receipt.Public(public, time.Now())
}

func TestCheck(t *testing.T) {
	t.Parallel()
	private, public := pair(t)
	_, other := pair(t)
	want := receipt.Claims{
		Request: "r1", Digest: "sha256:00", Decision: receipt.Approved, Decided: time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC), For: "slack/T1/U1", Program: "배포", Place: "slack/T1/C1",
		By: []receipt.Person{{ID: "slack/T1/U2", Name: "영희", At: time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)}},
	}
	good, err := receipt.Sign(want, private)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	b64 := base64.RawURLEncoding.EncodeToString
	changed := want
	changed.Digest = "sha256:01"
	body, err := json.Marshal(changed)
	if err != nil {
		t.Fatal(err)
	}
	swapped := public
	swapped.X = other.X // another key under the name of this one
	foreign, _ := pair(t)
	byOther, err := receipt.Sign(want, foreign)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		keys       []receipt.Key
		want       error
	}{
		{"as_it_was_signed", good, []receipt.Key{public}, nil},
		{"with_spaces_around_it", "\n " + good + "\n", []receipt.Key{public}, nil},
		{"among_newer_keys", good, []receipt.Key{other, public}, nil},
		{"with_other_claims", parts[0] + "." + b64(body) + "." + parts[2], []receipt.Key{public}, receipt.ErrForged},
		{"with_a_signature_of_nothing", parts[0] + "." + parts[1] + "." + b64(make([]byte, 64)), []receipt.Key{public}, receipt.ErrForged},
		{"without_a_signature", parts[0] + "." + parts[1] + ".", []receipt.Key{public}, receipt.ErrForged},
		{"with_the_algorithm_none", b64([]byte(`{"alg":"none","kid":"`+public.ID+`","typ":"`+receipt.Type+`"}`)) + "." + parts[1] + ".", []receipt.Key{public}, receipt.ErrForm},
		{"of_another_program", byOther, []receipt.Key{public}, receipt.ErrKey},
		{"empty", "", []receipt.Key{public}, receipt.ErrForm},
		{"of_letters", "not.a.receipt", []receipt.Key{public}, receipt.ErrForm},
		{"endless", strings.Repeat("a", 1<<20), []receipt.Key{public}, receipt.ErrForm},
		{"without_keys", good, nil, receipt.ErrKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := receipt.Check(c.text, receipt.Keys{Keys: c.keys})
			if !errors.Is(err, c.want) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			if err == nil && (got.Digest != want.Digest || got.By[0] != want.By[0]) {
				t.Errorf("%+v", got)
			}
		})
	}
	if _, err := receipt.Check(good, receipt.Keys{Keys: []receipt.Key{swapped}}); err == nil {
		t.Error("a key under the name of another one was taken")
	}
}

func TestReadKeys(t *testing.T) {
	t.Parallel()
	_, public := pair(t)
	raw, err := json.Marshal(receipt.Keys{Keys: []receipt.Key{public}})
	if err != nil {
		t.Fatal(err)
	}
	if k, err := receipt.ReadKeys(raw); err != nil || k.Keys[0].ID != public.ID {
		t.Errorf("%+v %v", k, err)
	}
	for _, broken := range []string{"", "{}", `{"keys":[]}`, "<html>"} {
		if _, err := receipt.ReadKeys([]byte(broken)); !errors.Is(err, receipt.ErrNoKeys) {
			t.Errorf("%q: %v", broken, err)
		}
	}
}
