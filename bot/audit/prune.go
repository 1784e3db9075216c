package audit

import (
	"encoding/json"
	"fmt"
	"time"
)

// WhatPruned is the What of the entry that stands for those that were pruned.
const WhatPruned = "audit.prune"

// Pruned is the detail of an [WhatPruned] entry: it holds the end of the part of
// its team's chain that is kept no more, so that the rest can still be proved.
// The newest one of a chain counts.
type Pruned struct {
	Through int64     `json:"through"` // Seq of the last entry that went
	Hash    string    `json:"hash"`    // and its Hash, which is the Prev of the first one kept
	Entries int       `json:"entries"` // that went this time
	Total   int       `json:"total"`   // that ever went
	Before  time.Time `json:"before"`  // what went is older
}

// Entry returns the entry that is committed with the pruning of a team's
// chain.
func (p Pruned) Entry(team string) (Entry, error) {
	detail, err := json.Marshal(p)
	if err != nil {
		return Entry{}, fmt.Errorf("audit: audit of what was pruned: %w", err)
	}
	return Entry{Team: team, What: WhatPruned, Detail: detail}, nil
}

// ReadPruned returns the detail of an [WhatPruned] entry.
func ReadPruned(e Entry) (Pruned, error) {
	var p Pruned
	if err := json.Unmarshal(e.Detail, &p); err != nil {
		return Pruned{}, fmt.Errorf("audit: what entry %d says was pruned: %w", e.Seq, err)
	}
	return p, nil
}

// Check proves a team's whole chain, which it is given in pieces. The zero
// value is ready.
type Check struct {
	Entries int    // that were checked
	Pruned  Pruned // what the chain says that is kept no more; zero: nothing

	first Entry
	prev  string
}

// Add checks the next entries, oldest first: it returns the Seq of the first one
// that was changed or does not follow the one before it.
func (c *Check) Add(page []Entry) (broken int64, ok bool) {
	if len(page) == 0 {
		return 0, true
	}
	if c.Entries == 0 { // what its Prev must be is told by a later entry
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

// Done reports, after the last piece, whether the chain begins where it must: at
// its very first entry, or behind what was pruned. If not, broken is the first
// entry that is left.
func (c *Check) Done() (broken int64, ok bool) {
	if c.first.Prev != c.Pruned.Hash {
		return c.first.Seq, false
	}
	return 0, true
}
