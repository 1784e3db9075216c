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

// synonyms is the team's own list of words that mean the same: a file in the form of [rag.Thesaurus.Read], read again when it
// changes. A file that became faulty leaves the words as they were, and is logged once.
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
	synonymsPause = time.Second // between two looks at the file
	maxSynonyms   = 1 << 20     // bytes
)

// current returns the list as the file has it; nil without one.
func (s *synonyms) current(ctx context.Context) *rag.Thesaurus {
	if s.path == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); s.seen.IsZero() || now.Sub(s.seen) >= synonymsPause {
		s.seen = now
		if err := s.read(); err != nil {
			s.log.WarnContext(ctx, "the file of synonyms is not used as it stands now", "err", err)
		}
	}
	return s.own
}

// read reads the file if it changed.
func (s *synonyms) read() error {
	info, err := os.Stat(s.path)
	if err != nil {
		if s.state == err.Error() {
			return nil // told before
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
	own := new(rag.Thesaurus) // searches may use the one before
	if err := own.Read(string(data)); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	s.own = own
	return nil
}

// CheckSynonyms reads the team's synonyms, and returns what is wrong with the file, line by line.
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

// withSynonyms notes on what was found the team's synonyms for words of the question.
func withSynonyms(q rag.Query, hits []rag.Hit) []rag.Hit {
	if words := q.Own.In(q.Text); len(words) > 0 {
		for i := range hits {
			hits[i].Words = words
		}
	}
	return hits
}
