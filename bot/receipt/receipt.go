// Package receipt signs people's decisions about a request, so that a program can show them to others, and
// verifies such receipts offline.
//
// A receipt is a JSON Web Signature in compact form (RFC 7515) with the algorithm EdDSA and the curve Ed25519 (RFC 8037),
// so that other libraries can check it too. The package knows no store and no clock.
package receipt

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Errors of [Check].
var (
	ErrForm    = errors.New("not a receipt")
	ErrKey     = errors.New("the receipt is signed with an unknown key")
	ErrForged  = errors.New("the signature does not fit: the receipt was changed or forged")
	ErrNoKeys  = errors.New("the file contains no receipt key")
	errNotEdEC = errors.New("not an Ed25519 key")
)

// Type is the "typ" of a receipt's header.
const Type = "maru-receipt+jws"

// Decisions of a receipt.
const (
	Approved = "approved"
	Rejected = "rejected"
)

// Claims is the content of a receipt.
type Claims struct {
	Issuer   string    `json:"iss,omitempty"` // public address of the program, "" if it has none
	Request  string    `json:"request"`       // id
	Digest   string    `json:"digest"`        // "sha256:…" of the shown question
	Decision string    `json:"decision"`
	Decided  time.Time `json:"decided"`
	By       []Person  `json:"by"`             // the deciders, in the order of their decisions
	For      string    `json:"for"`            // in whose name it was asked: "slack/T1/U1"
	Program  string    `json:"program"`        // that asked
	Place    string    `json:"place"`          // channel in which it was asked: "slack/T1/C1"
	Text     string    `json:"text,omitempty"` // the deciders' comments
}

// Person is a decider.
type Person struct {
	ID   string    `json:"id"` // "slack/T1/U1"
	Name string    `json:"name,omitempty"`
	At   time.Time `json:"at"`
}

// header is the protected header of a receipt.
type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Typ string `json:"typ"`
}

// Key is a public key as a member of a JSON Web Key Set.
type Key struct {
	Type    string    `json:"kty"` // "OKP"
	Curve   string    `json:"crv"` // "Ed25519"
	X       string    `json:"x"`   // base64url of the key
	ID      string    `json:"kid"`
	Use     string    `json:"use"` // "sig"
	Alg     string    `json:"alg"` // "EdDSA"
	Created time.Time `json:"created"`
}

// Keys is a JSON Web Key Set (RFC 7517), the newest key first.
type Keys struct {
	Keys []Key `json:"keys"`
}

// Public describes a public key; its ID is its thumbprint (RFC 7638).
func Public(key ed25519.PublicKey, created time.Time) Key {
	x := base64.RawURLEncoding.EncodeToString(key)
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return Key{Type: "OKP", Curve: "Ed25519", X: x, ID: base64.RawURLEncoding.EncodeToString(sum[:]), Use: "sig", Alg: "EdDSA", Created: created}
}

// Sign returns a signed receipt.
func Sign(c Claims, key ed25519.PrivateKey) (string, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return "", errNotEdEC
	}
	head, err1 := json.Marshal(header{Alg: "EdDSA", Kid: Public(public, time.Time{}).ID, Typ: Type})
	body, err2 := json.Marshal(c)
	if err := errors.Join(err1, err2); err != nil {
		return "", fmt.Errorf("encode receipt: %w", err)
	}
	signed := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(body)
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(signed))), nil
}

// maxReceipt limits a receipt, in bytes.
const maxReceipt = 64 << 10

// Check returns the content of a receipt signed with one of the keys.
func Check(text string, keys Keys) (Claims, error) {
	text = strings.TrimSpace(text)
	parts := strings.Split(text, ".")
	if len(parts) != 3 || len(text) > maxReceipt {
		return Claims{}, ErrForm
	}
	strict := base64.RawURLEncoding.Strict()
	head, err1 := strict.DecodeString(parts[0])
	body, err2 := strict.DecodeString(parts[1])
	sig, err3 := strict.DecodeString(parts[2])
	var h header
	if errors.Join(err1, err2, err3) != nil || json.Unmarshal(head, &h) != nil || h.Typ != Type || h.Alg != "EdDSA" {
		return Claims{}, ErrForm
	}
	for _, k := range keys.Keys {
		if k.ID != h.Kid {
			continue
		}
		x, err := strict.DecodeString(k.X)
		if err != nil || k.Type != "OKP" || k.Curve != "Ed25519" || len(x) != ed25519.PublicKeySize || Public(x, time.Time{}).ID != k.ID {
			return Claims{}, fmt.Errorf("key %s: %w", k.ID, errNotEdEC)
		}
		if !ed25519.Verify(x, []byte(parts[0]+"."+parts[1]), sig) {
			return Claims{}, ErrForged
		}
		var c Claims
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.DisallowUnknownFields() // a newer program's receipt may have fields with an unknown meaning
		if err := dec.Decode(&c); err != nil {
			return Claims{}, fmt.Errorf("%w: %w", ErrForm, err)
		}
		return c, nil
	}
	return Claims{}, ErrKey
}

// ReadKeys reads a key set, as GET /api/approvals/key returns it.
func ReadKeys(raw []byte) (Keys, error) {
	var k Keys
	if err := json.Unmarshal(raw, &k); err != nil || len(k.Keys) == 0 {
		return Keys{}, ErrNoKeys
	}
	return k, nil
}
