package metrics

import "sync"

// maxLabels bounds the values of a label that others choose: a gateway may answer with a new
// model name each time.
const maxLabels = 100

// labels are the values of a label, the first of them by their names.
type labels struct {
	mu   sync.Mutex
	seen map[string]bool
}

// label returns a value's name, "other" once there are too many.
func (l *labels) label(value string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.seen[value]:
	case len(l.seen) >= maxLabels:
		return "other"
	default:
		if l.seen == nil {
			l.seen = map[string]bool{}
		}
		l.seen[value] = true
	}
	return value
}
