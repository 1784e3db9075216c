package install

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Vault seals secrets for the record: AES-256-GCM with a fresh nonce, bound to a name, so
// that a row copied to another workspace does not open. A sealed value is
//
//	version (1 byte) ∥ id of the key (8 bytes) ∥ nonce (12 bytes) ∥ ciphertext and tag
//
// The first key seals; all of them open. To rotate a key, put the new one in front, and
// remove the old one when nothing is sealed with it any more.
type Vault struct{ keys []sealKey }

type sealKey struct {
	id   [keyIDSize]byte
	aead cipher.AEAD
}

const (
	sealVersion = 1
	keyIDSize   = 8
)

// Errors returned when opening.
var (
	errSealKey = errors.New("slack: the token was sealed with a key that is not in MARU_SECRET_KEY: add that key after a comma")
	errSealed  = errors.New("slack: the sealed token was changed, or belongs to another workspace: install the app there again")
)

// NewVault returns a vault of 32-byte keys, newest first.
func NewVault(keys [][]byte) (*Vault, error) {
	v := &Vault{}
	for _, k := range keys {
		if len(k) != 2*aes.BlockSize { // AES-256
			return nil, fmt.Errorf("slack: a sealing key has %d bytes, it must have 32", len(k))
		}
		block, err := aes.NewCipher(k)
		if err != nil {
			return nil, fmt.Errorf("slack: sealing key: %w", err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, fmt.Errorf("slack: sealing key: %w", err)
		}
		sum := sha256.Sum256(append([]byte("maru sealing key "), k...))
		sk := sealKey{aead: aead}
		copy(sk.id[:], sum[:])
		v.keys = append(v.keys, sk)
	}
	if len(v.keys) == 0 {
		return nil, errors.New("slack: there is no sealing key: set MARU_SECRET_KEY to what `openssl rand -base64 32` prints")
	}
	return v, nil
}

// seal encrypts plain, bound to name, such as a workspace's key.
func (v *Vault) seal(name string, plain []byte) []byte {
	k := v.keys[0]
	head := append([]byte{sealVersion}, k.id[:]...)
	return k.aead.Seal(head, nil, plain, boundTo(head, name))
}

// open reverses seal; stale means that an older key sealed the value.
func (v *Vault) open(name string, sealed []byte) (plain []byte, stale bool, err error) {
	if len(sealed) <= 1+keyIDSize || sealed[0] != sealVersion {
		return nil, false, errSealed
	}
	head, body := sealed[:1+keyIDSize:1+keyIDSize], sealed[1+keyIDSize:]
	for i, k := range v.keys {
		if !bytes.Equal(k.id[:], head[1:]) {
			continue
		}
		plain, err := k.aead.Open(nil, nil, body, boundTo(head, name))
		if err != nil {
			return nil, false, errSealed
		}
		return plain, i > 0, nil
	}
	return nil, false, errSealKey
}

// boundTo returns the additional authenticated data of a sealed value.
func boundTo(head []byte, name string) []byte { return append(head[:len(head):len(head)], name...) }
