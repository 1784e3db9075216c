package tokenizer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// readNormalizer reads what happens to a text before it is split.
func (t *Tokenizer) readNormalizer(raw json.RawMessage) error {
	name, err := kind(raw)
	if err != nil || name == "" {
		return err
	}
	add := func(f func(string) string) error { t.normalize = append(t.normalize, f); return nil }
	switch name {
	case "Sequence":
		var s struct {
			Type        string
			Normalizers []json.RawMessage
		}
		if err := strict(raw, name, &s); err != nil {
			return err
		}
		for _, raw := range s.Normalizers {
			if err := t.readNormalizer(raw); err != nil {
				return err
			}
		}
		return nil
	case "BertNormalizer":
		return t.readBert(raw)
	case "Lowercase":
		return add(lower)
	case "StripAccents":
		return add(withoutMarks)
	case "NFC":
		return add(norm.NFC.String)
	case "NFD":
		return add(norm.NFD.String)
	case "NFKC":
		return add(norm.NFKC.String)
	case "NFKD":
		return add(norm.NFKD.String)
	case "Strip":
		var s struct {
			Type  string
			Left  bool `json:"strip_left"`
			Right bool `json:"strip_right"`
		}
		if err := strict(raw, name, &s); err != nil {
			return err
		}
		return add(func(text string) string { return trim(text, s.Left, s.Right) })
	case "Prepend":
		var s struct{ Type, Prepend string }
		if err := strict(raw, name, &s); err != nil {
			return err
		}
		return add(func(text string) string {
			if text == "" {
				return ""
			}
			return s.Prepend + text
		})
	case "Replace":
		f, err := readReplace(raw)
		if err != nil {
			return err
		}
		return add(f)
	case "Precompiled":
		var s struct {
			Type string
			Map  []byte `json:"precompiled_charsmap"`
		}
		if err := strict(raw, name, &s); err != nil {
			return err
		}
		m, err := newCharsmap(s.Map)
		if err != nil {
			return err
		}
		return add(m.normalize)
	}
	return unknown("normalizer", name)
}

func trim(s string, left, right bool) string {
	if left {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	if right {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	return s
}

func (t *Tokenizer) readBert(raw json.RawMessage) error {
	var s struct {
		Type    string
		Clean   bool  `json:"clean_text"`
		CJK     bool  `json:"handle_chinese_chars"`
		Accents *bool `json:"strip_accents"`
		Lower   bool  `json:"lowercase"`
	}
	if err := strict(raw, "BertNormalizer", &s); err != nil {
		return err
	}
	if s.Accents == nil {
		s.Accents = &s.Lower
	}
	for _, step := range []struct {
		on bool
		f  func(string) string
	}{{s.Clean, cleanText}, {s.CJK, spaceCJK}, {*s.Accents, bareLetters}, {s.Lower, lower}} {
		if step.on {
			t.normalize = append(t.normalize, step.f)
		}
	}
	return nil
}

// pattern is what is looked for in a text.
type pattern struct {
	String *string
	Regex  *string
}

// alike are the expressions that mean the same to Go and to the library that the file is
// made for, which takes ^, \s and much else otherwise.
var alike = regexp.MustCompile(`^[^\\^$.(|\[]*$`)

func readReplace(raw json.RawMessage) (func(string) string, error) {
	var s struct {
		Type, Content string
		Pattern       pattern
	}
	if err := strict(raw, "Replace", &s); err != nil {
		return nil, err
	}
	switch {
	case s.Pattern.String != nil:
		return func(text string) string { return strings.ReplaceAll(text, *s.Pattern.String, s.Content) }, nil
	case s.Pattern.Regex != nil && alike.MatchString(*s.Pattern.Regex):
		re, err := regexp.Compile(*s.Pattern.Regex)
		if err != nil {
			return nil, fmt.Errorf("its normalizer Replace: %w: %w", ErrUnknown, err)
		}
		return func(text string) string { return re.ReplaceAllLiteralString(text, s.Content) }, nil
	case s.Pattern.Regex != nil:
		return nil, unknown("normalizer's expression", *s.Pattern.Regex)
	}
	return nil, unknown("normalizer", "Replace")
}

// readSplit reads how a text becomes words.
func (t *Tokenizer) readSplit(raw json.RawMessage) error {
	name, err := kind(raw)
	if err != nil || name == "" {
		return err
	}
	add := func(f func(piece) []piece) error { t.split = append(t.split, f); return nil }
	class := func(f func(rune) int) error { return add(func(p piece) []piece { return runs(p, f) }) }
	switch name {
	case "Sequence":
		var s struct {
			Type          string
			PreTokenizers []json.RawMessage `json:"pretokenizers"`
		}
		if err := strict(raw, name, &s); err != nil {
			return err
		}
		for _, raw := range s.PreTokenizers {
			if err := t.readSplit(raw); err != nil {
				return err
			}
		}
		return nil
	case "BertPreTokenizer":
		return class(spacesAndPunctuation)
	case "WhitespaceSplit":
		return class(spaces)
	case "Whitespace":
		return class(wordsAndSigns)
	case "Metaspace":
		m, err := readMetaspace(raw)
		if err != nil {
			return err
		}
		return add(m.split)
	case "ByteLevel":
		s := struct {
			Type  string
			Space bool `json:"add_prefix_space"`
			Trim  bool `json:"trim_offsets"`
			Regex bool `json:"use_regex"`
		}{Regex: true}
		if err := strict(raw, name, &s); err != nil {
			return err
		}
		return add(byteLevel{s.Space, !s.Regex}.split)
	case "Split":
		return t.readSeparator(raw)
	}
	return unknown("pre_tokenizer", name)
}

// readMetaspace knows the settings of old files too.
func readMetaspace(raw json.RawMessage) (m metaspace, err error) {
	s := struct {
		Type   string
		Sign   string `json:"replacement"`
		Old    string `json:"str_rep"`
		Space  *bool  `json:"add_prefix_space"`
		Scheme string `json:"prepend_scheme"`
		Split  bool
	}{Scheme: "always", Split: true}
	if err := strict(raw, "Metaspace", &s); err != nil {
		return m, err
	}
	front := s.Scheme == "always"
	switch {
	case s.Scheme == "first": // what is first depends on how the text was normalized
		return m, unknown("prepend_scheme", s.Scheme)
	case !front && s.Scheme != "never" || s.Sign == "" || front && s.Space != nil && !*s.Space:
		return m, fmt.Errorf("its Metaspace is %q, %q", s.Sign, s.Scheme)
	}
	return metaspace{s.Sign, front, !s.Split}, nil
}
