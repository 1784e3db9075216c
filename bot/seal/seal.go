// Package seal seals secrets of the record with AES-256-GCM under the keys of MARU_SECRET_KEY.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

var (
	// ErrNoKey reports a missing key.
	ErrNoKey = errors.New("seal: MARU_SECRET_KEY is not set")
	// ErrClosed reports that no key opens a secret, or that it was sealed for another purpose.
	ErrClosed = errors.New("seal: no key opens it")
)

// Box seals and opens. The zero Box has no keys.
type Box struct{ keys [][]byte }

// New returns a Box: the first key seals, all open.
func New(keys [][]byte) Box { return Box{keys} }

// Closed reports that the box has no key.
func (b Box) Closed() bool { return len(b.keys) == 0 }

// Seal encrypts a secret, bound to about, which names its owner and purpose and is needed to open it.
func (b Box) Seal(secret []byte, about string) ([]byte, error) {
	if b.Closed() {
		return nil, ErrNoKey
	}
	aead, err := aeadOf(b.keys[0])
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, secret, []byte(about)), nil
}

// Open decrypts a secret sealed with about.
func (b Box) Open(sealed []byte, about string) ([]byte, error) {
	for _, key := range b.keys {
		aead, err := aeadOf(key)
		if err != nil {
			return nil, err
		}
		if secret, err := aead.Open(nil, nil, sealed, []byte(about)); err == nil {
			return secret, nil
		}
	}
	return nil, ErrClosed
}

func aeadOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("seal: MARU_SECRET_KEY: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
