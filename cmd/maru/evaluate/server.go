package evaluate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Server is where a measurement or rehearsal creates its own index.
type Server struct {
	Folder  string // of the notes: one for each open index
	Address string // kind and URL of the server; notes keep a hash of it
	Log     *slog.Logger

	Open func(ctx context.Context, name string, v Vectors) (ServerIndex, error) // creates an index that is missing
}

// ServerIndex is an index on a server.
type ServerIndex interface {
	Index
	Drop(context.Context) error // closes it, too
}

// noteEnding ends the names of notes: the name of the index, then this.
const noteEnding = ".index"

// Create creates an empty index that Close drops. A note in the folder, locked by this process, outlives a kill: the
// next Create or Watch for the same server drops the index of each note that no process has locked.
func (s Server) Create(ctx context.Context, v Vectors) (Index, error) {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("note the index to be removed: %w", err)
	}
	s.sweep(ctx)
	name := "maru-eval-" + strings.ToLower(rand.Text())
	note, err := s.note(name)
	if err != nil {
		return nil, fmt.Errorf("note the index to be removed: %w", err)
	}
	x, err := s.Open(ctx, name, v)
	if err != nil { // nothing has been written to it
		return nil, errors.Join(err, unnote(note))
	}
	return dropped{x, note}, nil
}

// note writes a note. It is locked before it names a server, so that no other process takes it for one that was left.
func (s Server) note(name string) (*flock.Flock, error) {
	note := flock.New(filepath.Join(s.Folder, name+noteEnding))
	_, err := note.TryLock()
	if err == nil {
		err = writeSynced(note.Path(), s.digest())
	}
	if err != nil {
		return nil, errors.Join(err, unnote(note))
	}
	return note, nil
}

// writeSynced writes into the file itself: a replaced file would not be locked.
func writeSynced(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// unnote removes a note. Another process may remove it once it is unlocked.
func unnote(note *flock.Flock) error {
	err := note.Unlock()
	if gone := os.Remove(note.Path()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

func (s Server) digest() string {
	sum := sha256.Sum256([]byte(s.Address))
	return hex.EncodeToString(sum[:12])
}

// sweeping is the interval of [Server.Watch].
const sweeping = time.Hour

// Watch drops the indexes of killed measurements and rehearsals at once and every hour, until ctx ends.
func (s Server) Watch(ctx context.Context) {
	tick := time.NewTicker(sweeping)
	defer tick.Stop()
	for {
		s.sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweep is dropLeft for callers that go on without it.
func (s Server) sweep(ctx context.Context) {
	if err := s.dropLeft(ctx); err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "an index of a killed measurement is still on its server; the next hour or measurement tries to remove it again", "err", err)
	}
}

// dropLeft drops the indexes of killed processes on this server.
func (s Server) dropLeft(ctx context.Context) error {
	notes, err := filepath.Glob(filepath.Join(s.Folder, "*"+noteEnding))
	for _, path := range notes {
		if err = s.dropNoted(ctx, path); err != nil {
			return err // the server is away
		}
	}
	return err
}

func (s Server) dropNoted(ctx context.Context, path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(text) != s.digest() {
		return nil
	}
	if err != nil {
		return err
	}
	note := flock.New(path, flock.SetFlag(os.O_RDWR))
	if free, err := note.TryLock(); err != nil || !free {
		return err
	}
	x, err := s.Open(ctx, strings.TrimSuffix(filepath.Base(path), noteEnding), Vectors{})
	if err == nil {
		err = x.Drop(ctx)
	}
	if err != nil {
		return errors.Join(err, note.Unlock())
	}
	return unnote(note)
}

// dropped is an index that is dropped when closed.
type dropped struct {
	ServerIndex

	note *flock.Flock
}

// Close drops the index, also where the measurement was interrupted. The note stays if that fails.
func (d dropped) Close() error {
	if err := d.Drop(context.Background()); err != nil {
		return errors.Join(err, d.note.Unlock())
	}
	return unnote(d.note)
}
