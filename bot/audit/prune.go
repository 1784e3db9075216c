package audit

import (
	"encoding/json"
	"fmt"
	"time"
)

// WhatPruned is the What of the entry that replaces pruned entries.
const WhatPruned = "audit.prune"

// Pruned is the detail of a [WhatPruned] entry: the end of the pruned part of its team's chain, so that the rest
// can still be verified. The newest one of a chain counts.
type Pruned struct {
	Through int64     `json:"through"` // Seq of the last entry that went
	Hash    string    `json:"hash"`    // its Hash, the Prev of the first entry kept
	Entries int       `json:"entries"` // that went this time
	Total   int       `json:"total"`   // that ever went
	Before  time.Time `json:"before"`  // the pruned entries are older
}

// Entry returns the entry that is committed with the pruning of a team's
// chain.
func (p Pruned) Entry(team string) (Entry, error) {
	detail, err := json.Marshal(p)
	if err != nil {
		return Entry{}, fmt.Errorf("audit: encode pruned range: %w", err)
	}
	return Entry{Team: team, What: WhatPruned, Detail: detail}, nil
}

// ReadPruned returns the detail of an [WhatPruned] entry.
func ReadPruned(e Entry) (Pruned, error) {
	var p Pruned
	if err := json.Unmarshal(e.Detail, &p); err != nil {
		return Pruned{}, fmt.Errorf("audit: decode pruned range of entry %d: %w", e.Seq, err)
	}
	return p, nil
}

// Check verifies a team's whole chain in pieces. The zero value is ready.
type Check struct {
	Entries int    // that were checked
	Pruned  Pruned // the pruned range according to the chain; zero: none

	first Entry
	prev  string
}

// Add verifies the next entries, oldest first. It returns the Seq of the first entry that was changed or does not
// follow its predecessor.
func (c *Check) Add(page []Entry) (broken int64, ok bool) {
	if len(page) == 0 {
		return 0, true
	}
	if c.Entries == 0 { // a later entry states its expected Prev
		c.first, c.prev = page[0], page[0].Prev
	}
	if broken, ok := Verify(c.prev, page); !ok {
		return broken, false
	}
	for _, e := range page {
		if e.What != WhatPruned {
			continue
		}
		p, err := ReadPruned(e)
		if err != nil {
			return e.Seq, false
		}
		c.Pruned = p
	}
	c.Entries += len(page)
	c.prev = page[len(page)-1].Hash
	return 0, true
}

// Done reports, after the last piece, whether the chain starts at its very first entry or after the pruned range.
// If not, broken is the first entry left.
func (c *Check) Done() (broken int64, ok bool) {
	if c.first.Prev != c.Pruned.Hash {
		return c.first.Seq, false
	}
	return 0, true
}
