package install

import (
	"context"
	"time"
)

// Owners is a lease shared by the replicas. Own acquires or renews owner's lease on a name
// for ttl; false means that another owner holds it. Disown releases it early.
type Owners interface {
	Own(ctx context.Context, name, owner string, ttl time.Duration) (bool, error)
	Disown(ctx context.Context, name, owner string) error
}
