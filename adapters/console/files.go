package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"maru/bot"
	"maru/phrase/fit"
)

// fileWait is how long a single question waits for the files of its answer.
const fileWait = 10 * time.Second

// Upload implements bot.Uploader: it writes a run's files into their own folder and prints
// the paths. It is idempotent.
func (s *screen) Upload(_ context.Context, p bot.Parcel) error {
	if len(p.Files) == 0 {
		return nil
	}
	run := p.Files[0].Run
	paths, err := writeFiles(filepath.Join(s.files, filepath.Base(run)), p.Files)
	if err != nil {
		return &bot.DeliveryError{Op: "upload", Code: "folder", Err: errors.Join(bot.ErrForbidden, err)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.question != "" && run != s.run {
		return nil // of another answer
	}
	told := s.handedTo(p.Key)
	select {
	case told <- paths:
	default: // already written
		return nil
	}
	if s.prompt != nil {
		s.prompt(false)
		defer s.prompt(true)
	}
	s.wipe()
	s.print(s.quiet(word(s.lang, "files")) + "\n")
	for _, at := range paths {
		s.print("  " + fit.Clean(at) + "\n")
	}
	s.print("\n")
	return nil
}

// handedTo returns the channel for the paths of a parcel's files; mu is held.
func (s *screen) handedTo(key string) chan []string {
	if s.handed[key] == nil {
		s.handed[key] = make(chan []string, 1)
	}
	return s.handed[key]
}

// awaitFiles waits for a card's files and returns their paths.
func (s *screen) awaitFiles(ctx context.Context, c bot.Card) []string {
	if len(c.Files) == 0 {
		return nil
	}
	s.mu.Lock()
	told := s.handedTo(bot.JobFiles + "-" + c.Run)
	s.mu.Unlock()
	t := time.NewTimer(fileWait)
	defer t.Stop()
	select {
	case paths := <-told:
		return paths
	case <-ctx.Done():
	case <-t.C: // the next start of the program writes them
	}
	return nil
}

// writeFiles writes files into a folder and returns their paths. Their names are valid
// everywhere; the os.Root still prevents writing outside the folder.
func writeFiles(dir string, files []bot.Artifact) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for files: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder for files: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		if err := root.WriteFile(f.Name, f.Data, 0o600); err != nil {
			return nil, fmt.Errorf("write a file: %w", err)
		}
		paths = append(paths, filepath.Join(dir, f.Name))
	}
	return paths, nil
}
