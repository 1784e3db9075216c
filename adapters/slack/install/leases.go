package install

import "log/slog"

// leases are shared by the replicas: the holder of a name has exclusive rights to its work.
type leases struct {
	owners Owners // nil: a single process, which holds every lease
	owner  string // identifies this process
	log    *slog.Logger
}
