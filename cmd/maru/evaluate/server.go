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
// next Create for the same server drops the index of each note that no process has locked.
func (s Server) Create(ctx context.Context, v Vectors) (Index, error) {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("note the index to be removed: %w", err)
	}
	if err := s.dropLeft(ctx); err != nil {
		s.Log.Warn("an index of a killed measurement is still on its server; the next measurement tries to remove it again", "err", err)
	}
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
func (s Server) note(name string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(s.Folder, name+noteEnding), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = lockNote(f); err == nil {
		_, err = f.WriteString(s.digest())
		err = errors.Join(err, f.Sync())
	}
	if err != nil {
		return nil, errors.Join(err, unnote(f))
	}
	return f, nil
}

// unnote removes a note. Another process may remove it once it is closed.
func unnote(f *os.File) error {
	err := f.Close()
	if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

func (s Server) digest() string {
	sum := sha256.Sum256([]byte(s.Address))
	return hex.EncodeToString(sum[:12])
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
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	free := false
	if err == nil && string(text) == s.digest() {
		free, err = lockNote(f)
	}
	if err != nil || !free {
		return errors.Join(err, f.Close())
	}
	x, err := s.Open(ctx, strings.TrimSuffix(filepath.Base(path), noteEnding), Vectors{})
	if err == nil {
		err = x.Drop(ctx)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return unnote(f)
}

// dropped is an index that is dropped when closed.
type dropped struct {
	ServerIndex

	note *os.File
}

// Close drops the index, also where the measurement was interrupted. The note stays if that fails.
func (d dropped) Close() error {
	if err := d.Drop(context.Background()); err != nil {
		return errors.Join(err, d.note.Close())
	}
	return unnote(d.note)
}
