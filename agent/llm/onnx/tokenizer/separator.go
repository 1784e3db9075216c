package tokenizer

import (
	"encoding/json"
	"strings"
)

// readSeparator reads a split at a fixed text. Splits by expressions look ahead, which
// ours cannot.
func (t *Tokenizer) readSeparator(raw json.RawMessage) error {
	var s struct {
		Type     string
		Pattern  pattern
		Behavior string
		Invert   bool
	}
	if err := strict(raw, "Split", &s); err != nil {
		return err
	}
	switch {
	case s.Pattern.Regex != nil:
		return unknown("pre_tokenizer's expression", *s.Pattern.Regex)
	case s.Pattern.String == nil || *s.Pattern.String == "" || s.Invert:
		return unknown("pre_tokenizer", "Split")
	}
	sep := *s.Pattern.String
	cut := map[string]func(text, sep string) []string{
		"Removed": strings.Split, "MergedWithPrevious": strings.SplitAfter, "Isolated": isolate,
	}[s.Behavior]
	if cut == nil {
		return unknown("pre_tokenizer's behavior", s.Behavior)
	}
	t.split = append(t.split, func(p piece) []piece {
		var out []piece
		for _, part := range cut(p.text, sep) {
			if part != "" {
				out = append(out, piece{text: part, id: letters})
			}
		}
		return out
	})
	return nil
}

// isolate splits at a separator and keeps it.
func isolate(text, sep string) []string {
	var out []string
	for i, part := range strings.Split(text, sep) {
		if i > 0 {
			out = append(out, sep)
		}
		out = append(out, part)
	}
	return out
}
