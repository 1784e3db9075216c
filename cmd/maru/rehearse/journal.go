package rehearse

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"maru/bot/rehearsal"
	"maru/phrase"
)

// keepProgress is how long the answers of a rehearsal stay: they may quote documents and people.
const keepProgress = 7 * 24 * time.Hour

// journal keeps the progress of a rehearsal in a file: the first line lists the runs, each other line is an outcome.
// A line that a crash cut off is dropped.
type journal struct {
	file *os.File
	runs []string
	done map[string]rehearsal.Outcome
}

var _ rehearsal.Journal = (*journal)(nil)

// head is the first line.
type head struct {
	Runs []string `json:"runs"`
}

// openJournal opens the progress of the rehearsal with this digest, and removes old progress of any.
func openJournal(folder, digest string, fresh bool, now time.Time) (*journal, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("keep progress: %w", err)
	}
	own := filepath.Join(folder, digest+".jsonl")
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("keep progress: %w", err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err == nil && (now.Sub(info.ModTime()) > keepProgress || fresh && f == own) {
			err = os.Remove(f)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove old progress: %w", err)
		}
	}
	f, err := os.OpenFile(own, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep progress: %w", err)
	}
	j := &journal{file: f, done: map[string]rehearsal.Outcome{}}
	if err := j.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("read progress: %w", err), f.Close())
	}
	return j, nil
}

// load reads the whole lines and goes on after the last of them.
func (j *journal) load() error {
	in := bufio.NewReader(j.file)
	end := int64(0)
	for first := true; ; first = false {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var h head
		var o rehearsal.Outcome
		if first {
			err = json.Unmarshal(line, &h)
			j.runs = h.Runs
		} else if err = json.Unmarshal(line, &o); err == nil {
			j.done[o.Run] = o
		}
		if err != nil {
			break // of another program, or damaged: what is behind it is asked again
		}
		end += int64(len(line))
	}
	if err := j.file.Truncate(end); err != nil {
		return err
	}
	_, err := j.file.Seek(end, io.SeekStart)
	return err
}

// begin notes which runs are replayed.
func (j *journal) begin(runs []string) error {
	j.runs = runs
	return j.write(head{runs})
}

// write adds a line, which then survives a crash.
func (j *journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode progress: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

// Done implements rehearsal.Journal.
func (j *journal) Done() map[string]rehearsal.Outcome { return j.done }

// Add implements rehearsal.Journal.
func (j *journal) Add(o rehearsal.Outcome) error {
	j.done[o.Run] = o
	return j.write(o)
}

// Close closes the file, or removes it where nothing is in it to go on with.
func (j *journal) Close() error {
	name := j.file.Name()
	err := j.file.Close()
	if len(j.runs) == 0 {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// digest names a rehearsal by what it tries and of which questions: calls with the same digest go on with one another.
func (o options) digest(read func(string) ([]byte, error)) (string, error) {
	h := sha256.New()
	for _, path := range slices.Concat(list{o.against}, o.workflows) {
		if path == "" {
			continue
		}
		text, err := read(path)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		sum := sha256.Sum256(bytes.TrimSpace(text))
		h.Write(sum[:])
	}
	_, err := fmt.Fprintf(h, "%q %q %q %d %t", o.set, o.documents, o.channel, o.last, o.baseline)
	return hex.EncodeToString(h.Sum(nil)[:12]), err
}

// say writes a sentence to the one who asked.
func (c Command) say(key string, args ...any) error {
	_, err := io.WriteString(c.Stdout, strings.TrimSpace(phrase.Say(c.Language, key, args...))+"\n")
	return err
}
