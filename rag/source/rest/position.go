package rest

import (
	"encoding/json"
	"time"
)

// Position is where a listing of pages stands. A listing names all pages, which alone tells what was deleted or moved, or
// those that changed.
type Position struct {
	Going bool      `json:"going,omitempty"` // within a listing
	Whole bool      `json:"whole,omitempty"` // of all pages
	Next  string    `json:"next,omitempty"`  // of this listing, as the API has it
	Begun time.Time `json:"begun,omitzero"`  // of the last listing of all pages
	Parts int       `json:"parts,omitempty"` // of it
	Since time.Time `json:"since,omitzero"`  // what changed before it was listed by an earlier listing
	Mark  time.Time `json:"mark,omitzero"`   // Since of the next listing
}

// Overlap is how long before Since changes are listed again: search indexes are a little behind.
const Overlap = 5 * time.Minute

// whole is how long a collection that is not small is listed by its changes only.
const whole = time.Hour

// Begin starts a listing, of everything if the last one of that kind took at most small requests or is old.
func (p *Position) Begin(now time.Time, small int) {
	p.Going, p.Next, p.Mark = true, "", time.Time{}
	if p.Whole = p.Since.IsZero() || p.Parts <= small || now.Sub(p.Begun) >= whole; p.Whole {
		p.Begun, p.Parts = now, 0
	}
}

// Step notes an answer of the listing and returns the cursor behind it; more reports whether the listing goes on.
func (p *Position) Step(more bool) (string, error) {
	if p.Whole {
		p.Parts++
	}
	if !more {
		*p = Position{Begun: p.Begun, Parts: p.Parts, Since: p.Mark}
	}
	return WriteCursor(*p)
}

// ReadCursor reads a position from a cursor. One of another version of the program is the zero value: it is listed again.
func ReadCursor[T any](cursor string) T {
	var at, none T
	if cursor == "" || json.Unmarshal([]byte(cursor), &at) != nil {
		return none
	}
	return at
}

// WriteCursor returns the cursor of a position.
func WriteCursor(at any) (string, error) {
	data, err := json.Marshal(at)
	return string(data), err
}
