package sqlitestore

import (
	"maps"
	"sync"
)

// mostHeads limits the kept ends of logs.
const mostHeads = 4096

// heads keeps the ends of the logs that this process has written, since every run asks for one. No other process writes the
// file. They change with the commit that changes their logs, before the writer returns.
type heads struct {
	mu sync.Mutex
	of map[logName]logEnd
}

type logName struct{ thread, ns string }

type logEnd struct{ seq, fence int64 }

func (k *heads) get(n logName) (logEnd, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.of[n]
	return e, ok
}

// committed applies the changes of a transaction.
func (k *heads) committed(t *tx) {
	if !t.cut && len(t.ends) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.cut || len(k.of)+len(t.ends) > mostHeads {
		clear(k.of)
	}
	maps.Copy(k.of, t.ends)
}

// end returns the end of a log as the transaction sees it; false if the file must be asked.
func (t *tx) end(n logName) (logEnd, bool) {
	if e, ok := t.ends[n]; ok || t.cut {
		return e, ok
	}
	return t.w.heads.get(n)
}

// ended notes the end of a log.
func (t *tx) ended(n logName, e logEnd) {
	if t.ends == nil {
		t.ends = map[logName]logEnd{}
	}
	t.ends[n] = e
}
