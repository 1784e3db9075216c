package install

import "log/slog"

// leases are shared by replicas: who owns a name does alone what it stands for.
type leases struct {
	owners Owners // nil: there is one process, which owns everything
	owner  string // names this process
	log    *slog.Logger
}
