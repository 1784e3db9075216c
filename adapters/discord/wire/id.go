package wire

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// epoch is the zero time of Discord's IDs, in Unix milliseconds.
const epoch = 1420070400000

// Snowflake returns the smallest ID of time t.
func Snowflake(t time.Time) uint64 {
	ms := t.UnixMilli() - epoch
	if ms < 0 {
		return 0
	}
	return uint64(ms) << 22 //nolint:gosec // G115: not negative
}

// IDTime returns the time of an ID; zero for anything else.
func IDTime(id string) time.Time {
	n := IDNumber(id)
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n>>22) + epoch).UTC() //nolint:gosec // G115: 42 bits
}

// IDNumber returns an ID as a number, 0 for anything else.
func IDNumber(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// CompareIDs orders IDs by time.
func CompareIDs(x, y string) int { return cmp.Compare(IDNumber(x), IDNumber(y)) }

// Digest returns a short digest for comparing texts.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}
