package vec

import (
	"context"
	"fmt"
)

// Coverage is how far the passages of an index have vectors.
type Coverage struct {
	Have, All int    // passages with a vector of the configured model, and all
	Serving   string // a model configured before, whose vectors answer until all are there; "" for none
	Failed    error  // why the last try to make vectors failed; nil after one that did not
}

// String formats it for operators.
func (c Coverage) String() string {
	s := fmt.Sprintf("%d of %d passages have vectors", c.Have, c.All)
	if c.Have == c.All {
		s = fmt.Sprintf("all %d passages have vectors", c.All)
	}
	if c.Serving != "" {
		s += "; until all have them, those of " + c.Serving + " answer"
	}
	if c.Failed != nil {
		s += "; last failure: " + c.Failed.Error()
	}
	return s
}

// Complete reports that nothing is missing.
func (c Coverage) Complete() bool { return c.Have == c.All && c.Failed == nil }

// Covered is an optional interface of an index that makes vectors in the background.
type Covered interface {
	Embedded(ctx context.Context) (Coverage, error)
}
