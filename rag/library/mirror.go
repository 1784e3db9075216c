package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// RemoveMissing deletes the documents of a scope that by added under a prefix and whose files are gone, and
// returns their names.
func (l *Library) RemoveMissing(ctx context.Context, scope, prefix, by string, files []File) ([]string, error) {
	docs, err := l.Documents(ctx, []string{scope})
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	there, away := map[string]bool{}, []string{}
	for _, f := range files {
		there[f.Name] = true
		if strings.HasSuffix(f.Name, "/") {
			away = append(away, f.Name) // an unreadable folder's files are not gone
		}
	}
	var gone []string
	var errs []error
	for _, d := range docs {
		if d.By != by || !strings.HasPrefix(d.Source, prefix) || there[d.Source] || slices.ContainsFunc(away, func(dir string) bool { return strings.HasPrefix(d.Source, dir) }) {
			continue
		}
		if _, err := l.Delete(ctx, scope, d.ID); err != nil {
			errs = append(errs, fmt.Errorf("remove %s: %w", d.Source, err))
			continue
		}
		gone = append(gone, d.Source)
	}
	return gone, errors.Join(errs...)
}
