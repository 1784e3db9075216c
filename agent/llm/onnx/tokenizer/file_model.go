package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readModel reads the model and returns its vocabulary.
func (t *Tokenizer) readModel(raw json.RawMessage) (vocab map[string]int, err error) {
	name, err := kind(raw)
	if err == nil && name == "" {
		name, err = guess(raw)
	}
	if err != nil {
		return nil, err
	}
	switch name {
	case "WordPiece":
		return t.readWordPiece(raw)
	case "Unigram":
		return t.readUnigram(raw)
	case "BPE":
		return t.readBPE(raw)
	}
	return nil, unknown("model", name)
}

// guess tells the kind of a model by what it has: the first files did not name it.
func guess(raw json.RawMessage) (string, error) {
	var has map[string]json.RawMessage
	if err := json.Unmarshal(raw, &has); err != nil {
		return "", fmt.Errorf("its model: %w", err)
	}
	switch {
	case has["merges"] != nil:
		return "BPE", nil
	case has["max_input_chars_per_word"] != nil:
		return "WordPiece", nil
	case has["unk_id"] != nil:
		return "Unigram", nil
	}
	return "", nil
}

func (t *Tokenizer) readWordPiece(raw json.RawMessage) (map[string]int, error) {
	s := struct {
		Type    string
		Unknown string         `json:"unk_token"`
		Prefix  string         `json:"continuing_subword_prefix"`
		Longest int            `json:"max_input_chars_per_word"`
		Vocab   map[string]int `json:"vocab"`
	}{Unknown: "[UNK]", Prefix: "##", Longest: 100}
	if err := strict(raw, "WordPiece", &s); err != nil {
		return nil, err
	}
	id, ok := s.Vocab[s.Unknown]
	if !ok {
		return nil, fmt.Errorf("its vocabulary of %d has no %s", len(s.Vocab), s.Unknown)
	}
	t.model = &wordPiece{s.Vocab, id, s.Prefix, s.Longest}
	return s.Vocab, nil
}

// scored is a piece of a Unigram: ["▁a", -3.5].
type scored struct {
	piece string
	score float64
}

func (s *scored) UnmarshalJSON(raw []byte) error {
	return json.Unmarshal(raw, &[]any{&s.piece, &s.score})
}

func (t *Tokenizer) readUnigram(raw json.RawMessage) (map[string]int, error) {
	var s struct {
		Type    string
		Unknown *int `json:"unk_id"`
		Bytes   bool `json:"byte_fallback"`
		Vocab   []scored
	}
	if err := strict(raw, "Unigram", &s); err != nil {
		return nil, err
	}
	if s.Unknown == nil || *s.Unknown < 0 || *s.Unknown >= len(s.Vocab) {
		return nil, fmt.Errorf("its vocabulary of %d has no unknown piece", len(s.Vocab))
	}
	pieces, scores := make([]string, len(s.Vocab)), make([]float64, len(s.Vocab))
	for id, v := range s.Vocab {
		pieces[id], scores[id] = v.piece, v.score
	}
	u := newUnigram(pieces, scores, *s.Unknown, s.Bytes)
	t.model = u
	return u.vocab, nil
}

// pair is a merge: "a b", or ["a", "b"] where a token may have a space.
type pair [2]string

func (p *pair) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '"' {
		return json.Unmarshal(raw, (*[2]string)(p))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	var ok bool
	if p[0], p[1], ok = strings.Cut(s, " "); !ok {
		return fmt.Errorf("a merge of one: %q", s)
	}
	return nil
}

func (t *Tokenizer) readBPE(raw json.RawMessage) (map[string]int, error) {
	var s struct {
		Type    string
		Dropout *float64
		Unknown *string `json:"unk_token"`
		Prefix  string  `json:"continuing_subword_prefix"`
		Suffix  string  `json:"end_of_word_suffix"`
		Fuse    bool    `json:"fuse_unk"`
		Bytes   bool    `json:"byte_fallback"`
		Whole   bool    `json:"ignore_merges"`
		Vocab   map[string]int
		Merges  []pair
	}
	if err := strict(raw, "BPE", &s); err != nil {
		return nil, err
	}
	if s.Dropout != nil && *s.Dropout != 0 {
		return nil, unknown("model's setting", "dropout")
	}
	m := &bpe{
		vocab: s.Vocab, merges: make(map[[2]int]merge, len(s.Merges)), unknown: letters, fuse: s.Fuse, bytes: s.Bytes, whole: s.Whole,
		prefix: s.Prefix, suffix: s.Suffix,
	}
	if s.Unknown != nil {
		id, ok := s.Vocab[*s.Unknown]
		if !ok {
			return nil, fmt.Errorf("its vocabulary of %d has no %s", len(s.Vocab), *s.Unknown)
		}
		m.unknown = id
	}
	for rank, p := range s.Merges {
		a, ok := s.Vocab[p[0]]
		b, too := s.Vocab[p[1]]
		both, three := s.Vocab[p[0]+strings.TrimPrefix(p[1], s.Prefix)]
		if !ok || !too || !three {
			return nil, fmt.Errorf("its vocabulary of %d has no %q and %q", len(s.Vocab), p[0], p[1])
		}
		m.merges[[2]int{a, b}] = merge{rank, both}
	}
	t.model = m
	return s.Vocab, nil
}
