package library

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"maru/rag"
)

// synonyms is the team's list of synonyms: a file in the form of [rag.Thesaurus.Read], reloaded when it changes.
// If a change has errors, the previous list stays in use, and the error is logged once.
type synonyms struct {
	path string
	now  func() time.Time
	log  *slog.Logger

	mu    sync.Mutex
	own   *rag.Thesaurus
	state string
	seen  time.Time
}

const (
	synonymsPause = time.Second // minimum interval between checks of the file
	maxSynonyms   = 1 << 20     // bytes
)

// current returns the list of the file; nil without one.
func (s *synonyms) current(ctx context.Context) *rag.Thesaurus {
	if s.path == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); s.seen.IsZero() || now.Sub(s.seen) >= synonymsPause {
		s.seen = now
		if err := s.read(); err != nil {
			s.log.WarnContext(ctx, "reload synonyms, keeping the previous list", "err", err)
		}
	}
	return s.own
}

// read reloads the file if it changed.
func (s *synonyms) read() error {
	info, err := os.Stat(s.path)
	if err != nil {
		if s.state == err.Error() {
			return nil // reported before
		}
		s.state = err.Error()
		return err
	}
	state := stateOf(info)
	if state == s.state {
		return nil
	}
	s.state = state
	if info.Size() > maxSynonyms {
		return fmt.Errorf("%s has more than %d bytes", s.path, maxSynonyms)
	}
	data, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	own := new(rag.Thesaurus) // running searches may use the previous one
	if err := own.Read(string(data)); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	s.own = own
	return nil
}

// CheckSynonyms loads the team's synonyms and returns the file's errors, line by line.
func (l *Library) CheckSynonyms() error {
	if l.synonyms.path == "" {
		return nil
	}
	l.synonyms.mu.Lock()
	defer l.synonyms.mu.Unlock()
	if err := l.synonyms.read(); err != nil {
		return fmt.Errorf("MARU_SYNONYMS: %w", err)
	}
	return nil
}

// withSynonyms sets the team's synonyms for words of the question on hits.
func withSynonyms(q rag.Query, hits []rag.Hit) []rag.Hit {
	if words := q.Own.In(q.Text); len(words) > 0 {
		for i := range hits {
			hits[i].Words = append(hits[i].Words, words...)
		}
	}
	return hits
}
