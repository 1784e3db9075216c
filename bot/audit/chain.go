package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Sum returns the expected Hash: SHA-256, in hex, of Prev and the canonical JSON of the rest. Time has microsecond
// precision in UTC, and the keys of Detail are sorted, so that every store and export gives the same sum.
func (e Entry) Sum() (string, error) {
	var detail any
	if len(e.Detail) > 0 {
		d := json.NewDecoder(bytes.NewReader(e.Detail))
		d.UseNumber()
		if err := d.Decode(&detail); err != nil {
			return "", fmt.Errorf("audit: detail of audit entry: %w", err)
		}
	}
	at := e.At.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	raw, err := json.Marshal([]any{e.Seq, at, e.Team, e.Who, e.What, detail})
	if err != nil {
		return "", fmt.Errorf("audit: encode audit entry: %w", err)
	}
	h := sha256.New()
	_, _ = h.Write([]byte(e.Prev)) // never fails
	_, _ = h.Write([]byte{'\n'})
	_, _ = h.Write(raw)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Verify checks consecutive entries of one team's audit log, of which the
// one before has the hash prev ("" for the very first): it returns the Seq of
// the first entry that was changed or does not follow the one before it.
func Verify(prev string, entries []Entry) (broken int64, ok bool) {
	for _, e := range entries {
		sum, err := e.Sum()
		if err != nil || e.Prev != prev || e.Hash != sum {
			return e.Seq, false
		}
		prev = e.Hash
	}
	return 0, true
}
