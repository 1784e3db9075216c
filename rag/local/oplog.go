package local

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

const (
	recordPut    = 'P' // payload: a segment
	recordDelete = 'D' // payload: a document ID
	recordHead   = 8   // length, checksum
)

// errLogLost reports that a failed write could not be rolled back.
var errLogLost = errors.New("rag/local: the log is in an unknown state")

// opLog is the write-ahead log of changes not yet in a segment file.
type opLog struct {
	f    *os.File
	size int64
	cut  int64 // bytes of an unfinished record that opening removed
}

// openLog opens a log and passes each complete record to apply (nil for a new log). A truncated last record is a Put
// that never returned: it is cut off. Damage before the end is an error, and changes nothing.
func openLog(path string, apply func(kind byte, payload []byte) error) (*opLog, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	l := &opLog{f: f}
	if err := l.replay(path, apply); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Base(path), err), f.Close())
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *opLog) replay(path string, apply func(byte, []byte) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rest := data
	for len(rest) >= recordHead {
		n := int(le.Uint32(rest))
		if n == 0 || n > len(rest)-recordHead {
			break
		}
		body := rest[recordHead : recordHead+n]
		if crc32.Checksum(body, castagnoli) != le.Uint32(rest[4:]) {
			if n < len(rest)-recordHead {
				return fmt.Errorf("record at byte %d: %w", len(data)-len(rest), errCorrupt)
			}
			break
		}
		if err := apply(body[0], body[1:]); err != nil {
			return err
		}
		rest = rest[recordHead+n:]
	}
	l.size = int64(len(data) - len(rest))
	if len(rest) > recordHead && int(le.Uint32(rest)) == 0 && len(bytes.Trim(rest, "\x00")) > 0 || completeRecordFollows(rest) {
		return fmt.Errorf("record at byte %d: %w", l.size, errCorrupt)
	}
	l.cut = int64(len(rest))
	return l.f.Truncate(l.size)
}

// completeRecordFollows reports whether a complete record follows an unreadable one. A crash leaves nothing behind
// the last, so the length is damaged, and the following record was acknowledged.
func completeRecordFollows(rest []byte) bool {
	for at := 1; at+recordHead < len(rest); at++ {
		head := rest[at:]
		n, kind := int(le.Uint32(head)), head[recordHead]
		if (kind == recordPut || kind == recordDelete) && n > 0 && n <= len(head)-recordHead &&
			crc32.Checksum(head[recordHead:recordHead+n], castagnoli) == le.Uint32(head[4:]) {
			return true
		}
	}
	return false
}

// append writes a record and syncs it. On failure the log is rolled back; if that fails too, the error is errLogLost.
func (l *opLog) append(kind byte, payload []byte) error {
	rec := make([]byte, recordHead, recordHead+1+len(payload))
	rec = append(append(rec, kind), payload...)
	le.PutUint32(rec, uint32(len(rec)-recordHead))
	le.PutUint32(rec[4:], crc32.Checksum(rec[recordHead:], castagnoli))
	_, err := l.f.WriteAt(rec, l.size)
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		if undo := errors.Join(l.f.Truncate(l.size), l.f.Sync()); undo != nil {
			return fmt.Errorf("%w: %w: %w", errLogLost, err, undo)
		}
		return err
	}
	l.size += int64(len(rec))
	return nil
}

func (l *opLog) close() error { return l.f.Close() }
