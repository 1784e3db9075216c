package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// WithReaders is a source whose items have readers of their own.
//
// Permissions returns who may read an item now, with groups resolved to their members. Its errors are those of Fetch without
// ErrUnchanged and ErrStale. The engine asks before every Fetch and again every [Spec.Rights].
type WithReaders interface {
	Source
	Permissions(ctx context.Context, it Item) (Readers, error)
}

// How long rights count.
const (
	// DefaultRights is the time between two checks of a document's readers.
	DefaultRights = 30 * time.Minute
	// RightsHold is how long readers count that cannot be checked again; then nobody may read.
	RightsHold = 24 * time.Hour
)

// Readers are the people who may read an item: nobody, if they are empty.
type Readers struct {
	Everyone bool     `json:"everyone,omitempty"` // all for whom its source is declared
	Mails    []string `json:"mails,omitempty"`    // e-mail addresses, and domains such as "@example.com"
}

// Normal returns the readers in lower case, in order and without repetitions.
func (r Readers) Normal() Readers {
	if r.Everyone {
		return Readers{Everyone: true}
	}
	var out Readers
	for _, m := range r.Mails {
		if m = strings.ToLower(strings.TrimSpace(m)); strings.Contains(m, "@") {
			out.Mails = append(out.Mails, m)
		}
	}
	slices.Sort(out.Mails)
	out.Mails = slices.Compact(out.Mails)
	return out
}

// Scope returns the scope of documents with these readers: that of their source if everyone reads them, else one of this source
// and set alone.
func (r Readers) Scope(name string, s Spec) (string, error) {
	if r.Everyone {
		return s.Scope, nil
	}
	data, err := json.Marshal(r.Normal())
	if err != nil {
		return "", fmt.Errorf("name readers: %w", err)
	}
	sum := sha256.Sum256(data)
	return readersPrefix + placeOf(s.Scope) + "/" + name + "/" + hex.EncodeToString(sum[:16]), nil
}

const (
	readersPrefix = "readers:"
	public        = "public"
)

// placeOf names those for whom a scope is, without the kind of the scope.
func placeOf(scope string) string {
	_, place, found := strings.Cut(scope, ":")
	if !found {
		return public
	}
	return place
}

// Restriction is what the name of a scope of restricted documents says.
type Restriction struct {
	Source string
	Outer  string // scope of the source: nobody outside of it may read, whatever the source says
}

// RestrictionOf reads the name of a scope; false if it is one of ordinary documents.
func RestrictionOf(scope string) (Restriction, bool) {
	rest, ok := strings.CutPrefix(scope, readersPrefix)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) < 3 {
		return Restriction{}, false
	}
	place := parts[:len(parts)-2]
	r := Restriction{Source: parts[len(parts)-2], Outer: strings.Join(place, "/")}
	switch len(place) {
	case 1:
		return r, r.Outer == public
	case 2:
		r.Outer = "team:" + r.Outer
	case 3:
		r.Outer = "channel:" + r.Outer
	default:
		return Restriction{}, false
	}
	return r, true
}

// ReadersNote returns the key of the note with the readers of a scope, as JSON.
func ReadersNote(scope string) string {
	return strings.TrimSuffix(readersPrefix, ":") + "/" + strings.TrimPrefix(scope, readersPrefix)
}

// RightsNote returns the key of the note that says until when the rights of a source count, as RFC 3339. Without it nobody may
// read the restricted documents of the source.
func RightsNote(name, scope string) string { return "rights/" + placeOf(scope) + "/" + name }
