package wire

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// epoch is where Discord's ids begin to count, in milliseconds.
const epoch = 1420070400000

// Snowflake returns the smallest id that Discord makes at t.
func Snowflake(t time.Time) uint64 {
	ms := t.UnixMilli() - epoch
	if ms < 0 {
		return 0
	}
	return uint64(ms) << 22 //nolint:gosec // G115: not negative
}

// IDTime is when Discord made an id; zero if it is none.
func IDTime(id string) time.Time {
	n := IDNumber(id)
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n>>22) + epoch).UTC() //nolint:gosec // G115: 42 bits
}

// IDNumber is an id as a number, 0 if it is none.
func IDNumber(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// CompareIDs orders ids by the time at which they were made.
func CompareIDs(x, y string) int { return cmp.Compare(IDNumber(x), IDNumber(y)) }

// Digest is a short digest that tells texts apart.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}
