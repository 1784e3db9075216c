package bot

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"
)

// RunID names the run that answers an inbox item: after a crash, the same item is the same run.
func RunID(item string) string {
	sum := sha256.Sum256([]byte(item))
	return "r" + encodeID(sum[:])[:20]
}

func encodeID(b []byte) string {
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b))
}

// Digest returns the fingerprint of a card's content.
func Digest(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}
