package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrUnknown is wrapped in the errors of files that may be right and hold what is not
// known here.
var ErrUnknown = errors.New("not known")

// file is a tokenizer.json. What it says of cutting and padding is for another program's
// batches, and nothing is decoded.
type file struct {
	Added []struct {
		Content    string
		SingleWord bool `json:"single_word"`
		Left       bool `json:"lstrip"`
		Right      bool `json:"rstrip"`
		Normalized bool
	} `json:"added_tokens"`
	Normalizer json.RawMessage
	Split      json.RawMessage `json:"pre_tokenizer"`
	Post       json.RawMessage `json:"post_processor"`
	Model      json.RawMessage
}

// Parse reads a tokenizer.json.
func Parse(raw []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	t := &Tokenizer{before: added{}, after: added{}}
	vocab, err := t.readModel(f.Model)
	if err != nil {
		return nil, err
	}
	if err := t.readNormalizer(f.Normalizer); err != nil {
		return nil, err
	}
	if err := t.readSplit(f.Split); err != nil {
		return nil, err
	}
	if err := t.readPost(f.Post); err != nil {
		return nil, err
	}
	t.words = len(vocab)
	next := len(vocab)
	for _, a := range f.Added {
		id, ok := vocab[a.Content]
		if !ok {
			id = next // whatever the file says
		}
		next = max(next, id+1)
		tok := token{a.Content, id, a.SingleWord, a.Left, a.Right}
		if !a.Normalized {
			t.before.put(tok)
			continue
		}
		for _, f := range t.normalize {
			tok.text = f(tok.text)
		}
		t.after.put(tok)
	}
	return t, nil
}

// kind returns the type of a part of the file; without one it is "".
func kind(raw json.RawMessage) (string, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var part struct{ Type string }
	err := json.Unmarshal(raw, &part)
	return part.Type, err
}

// strict reads a part of the file. A setting that into has not might change the tokens.
func strict(raw json.RawMessage, what string, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("its %s: %w: %w", what, ErrUnknown, err)
	}
	return nil
}

// unknown is the error of a part that is not known.
func unknown(part, kind string) error {
	return fmt.Errorf("its %s %q is %w", part, kind, ErrUnknown)
}

// templates are how a text is framed.
type template struct {
	Type   string
	Single []map[string]struct {
		ID   string
		Kind int `json:"type_id"`
	}
	Special map[string]struct{ IDs []int } `json:"special_tokens"`

	// of BertProcessing and RobertaProcessing
	Sep, Cls []any

	Processors []json.RawMessage // of a Sequence
}

// readPost reads what stands in front of every text and behind it.
func (t *Tokenizer) readPost(raw json.RawMessage) error {
	name, err := kind(raw)
	if err != nil || name == "" {
		return err
	}
	var p template
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	switch name {
	case "ByteLevel": // moves offsets alone
	case "BertProcessing", "RobertaProcessing":
		cls, ok := frameID(p.Cls)
		sep, too := frameID(p.Sep)
		if !ok || !too {
			return fmt.Errorf("its post_processor %q has the tokens %v and %v", name, p.Cls, p.Sep)
		}
		t.head, t.tail = append([]int{cls}, t.head...), append(t.tail, sep)
	case "TemplateProcessing":
		return t.readTemplate(p)
	case "Sequence":
		for _, raw := range p.Processors {
			if err := t.readPost(raw); err != nil {
				return err
			}
		}
	default:
		return unknown("post_processor", name)
	}
	return nil
}

// frameID is the id of a pair such as ["[CLS]", 101].
func frameID(pair []any) (int, bool) {
	if len(pair) != 2 {
		return 0, false
	}
	id, ok := pair[1].(float64)
	return int(id), ok
}

func (t *Tokenizer) readTemplate(p template) error {
	var head, tail []int
	in := &head
	for _, part := range p.Single {
		if part["Sequence"].Kind != 0 || part["SpecialToken"].Kind != 0 {
			return fmt.Errorf("its template marks tokens of one text as those of another, which is %w", ErrUnknown)
		}
		if _, ok := part["Sequence"]; ok {
			in = &tail
			continue
		}
		name := part["SpecialToken"].ID
		special, ok := p.Special[name]
		if !ok {
			return fmt.Errorf("its template has a token %q that it does not list", name)
		}
		*in = append(*in, special.IDs...)
	}
	t.head, t.tail = append(head, t.head...), append(t.tail, tail...)
	return nil
}
