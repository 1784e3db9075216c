package schedule

import (
	"crypto/sha256"
	"encoding/hex"
)

// idOf derives an ID from a kind and a key, mostly a run: a turn resumed after a crash finds what it stored.
func idOf(kind, key string) string {
	sum := sha256.Sum256([]byte(kind + key))
	return hex.EncodeToString(sum[:10])
}
