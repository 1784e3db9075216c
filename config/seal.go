package config

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"maru/phrase/pattern"
)

// sealKeySize is the size of a sealing key in bytes, as AES-256 wants it.
const sealKeySize = 32

// SealKeys reads keys that seal secrets at rest: 32 bytes each in base64 (of
// either alphabet, padded or not) or hex, separated by commas. The first one
// seals, all of them open. Its error never repeats a key.
func SealKeys(s Secret) ([][]byte, error) {
	var keys [][]byte
	for i, text := range list(s.Reveal()) {
		key, ok := sealKey(text)
		if !ok {
			return nil, fmt.Errorf("key %d is not 32 bytes in base64 or hex", i+1)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key")
	}
	return keys, nil
}

func sealKey(text string) ([]byte, bool) {
	if key, err := hex.DecodeString(text); err == nil && len(key) == sealKeySize {
		return key, true
	}
	bare := strings.TrimRight(text, "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if key, err := enc.DecodeString(bare); err == nil && len(key) == sealKeySize {
			return key, true
		}
	}
	return nil, false
}

// sealKeys returns the rule of MARU_SECRET_KEY.
func sealKeys(value string) (string, string) {
	if _, err := SealKeys(Secret(value)); err != nil {
		return "cannot be read: " + err.Error(), "use what `openssl rand -base64 32` prints, the newest first, older ones after a comma"
	}
	return "", ""
}

var teamShape = pattern.New(`^[TE][A-Z0-9]{1,30}$`)

// slackTeam takes the id of a workspace or an organisation.
func slackTeam(value string) (string, string) {
	if !teamShape.MatchString(value) {
		return "is " + quote(value), "use ids such as T0123ABCD or E0123ABCD"
	}
	return "", ""
}
