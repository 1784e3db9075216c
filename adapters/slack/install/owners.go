package install

import (
	"context"
	"time"
)

// Owners is a lease that replicas share. Own makes a thing owner's for ttl, or
// prolongs that; false says that another has it. Disown ends it early.
type Owners interface {
	Own(ctx context.Context, name, owner string, ttl time.Duration) (bool, error)
	Disown(ctx context.Context, name, owner string) error
}
