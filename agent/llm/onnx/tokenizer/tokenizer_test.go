package tokenizer_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/agent/llm/onnx/tokenizer"
)

const all = 1 << 30

func read(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func parse(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Parse(read(t, name+".json"))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return tok
}

// TestTokensAreThoseOfTheReference: the ids are those of Hugging Face's tokenizers 0.23.2
// (npm's package of that name, which holds the library in Rust) for the files beside them,
// without what these say of cutting and padding. The vocabularies are made up; the steps
// are those of the encoders that the files are named after.
func TestTokensAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	var want map[string]map[string][]int
	if err := json.Unmarshal(read(t, "ids.json"), &want); err != nil {
		t.Fatal(err)
	}
	for name, texts := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tok := parse(t, name)
			for text, ids := range texts {
				if got := tok.IDs(text, all); !slices.Equal(got, ids) {
					t.Errorf("%q: %v, want %v", text, got, ids)
				}
			}
		})
	}
}

// TestTheFirstFilesDidNotNameTheirModel: it is known by what it has.
func TestTheFirstFilesDidNotNameTheirModel(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]string{"bert-uncased": "WordPiece", "xlm-roberta": "Unigram", "roberta": "BPE"} {
		old, err := tokenizer.Parse(spoilt(t, name, `"model":{"type":"`+model+`",`, `"model":{`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		const text = "How many days of annual leave? 연차"
		if got, want := old.IDs(text, all), parse(t, name).IDs(text, all); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestALongTextIsCutInTheMiddle: the first tokens stay and so do the marks of the end, also
// of a model that has none.
func TestALongTextIsCutInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, tail := range map[string]int{"bert-uncased": 1, "xlm-roberta": 1, "gemma": 0} {
		tok := parse(t, name)
		text := strings.Repeat("annual leave ", 40)
		whole := tok.IDs(text, all)
		if got := tok.IDs(text, len(whole)); !slices.Equal(got, whole) {
			t.Errorf("%s: what fits is %v, want %v", name, got, whole)
		}
		want := append(slices.Clone(whole[:12-tail]), whole[len(whole)-tail:]...)
		if got := tok.IDs(text, 12); !slices.Equal(got, want) {
			t.Errorf("%s: twelve are %v, want %v", name, got, want)
		}
	}
}

// TestBytesThatAreNoText: they are read as the sign for what cannot be read.
func TestBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	tok := parse(t, "gemma")
	if got, want := tok.IDs("a\xff", all), tok.IDs("a\uFFFD", all); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestWhatIsNotKnownIsRefused: a file whose steps are not all known makes no tokens, for
// they might be others than the model's.
func TestWhatIsNotKnownIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, old, now, want string }{
		"normalizer":        {"roberta", `"normalizer":null`, `"normalizer":{"type":"Nmt"}`, `normalizer "Nmt"`},
		"within_a_sequence": {"albert", `{"type":"NFKD"}`, `{"type":"ByteLevel"}`, `normalizer "ByteLevel"`},
		"expression":        {"xlm-roberta", `" {2,}"`, `"\\s+"`, `\s+`},
		"setting":           {"bert-uncased", `"clean_text":true`, `"clean_text":true,"clean_more":true`, "clean_more"},
		"split":             {"roberta", `"pre_tokenizer":{"type":"ByteLevel"`, `"pre_tokenizer":{"type":"Digits"`, `pre_tokenizer "Digits"`},
		"split_by_words":    {"gemma", `"pattern":{"String":" "},"behavior"`, `"pattern":{"Regex":"\\p{L}+"},"behavior"`, "expression"},
		"split_otherwise":   {"gemma", `"MergedWithPrevious"`, `"Contiguous"`, "Contiguous"},
		"first_of_many":     {"xlm-roberta", `"prepend_scheme":"always"`, `"prepend_scheme":"first"`, "first"},
		"model":             {"roberta", `"type":"BPE"`, `"type":"WordLevel"`, `model "WordLevel"`},
		"chance":            {"roberta", `"dropout":null`, `"dropout":0.1`, "dropout"},
		"frame":             {"roberta", `"type":"RobertaProcessing"`, `"type":"PairProcessing"`, "PairProcessing"},
		"second_text":       {"gemma", `{"id":"A","type_id":0}}],"pair"`, `{"id":"A","type_id":1}}],"pair"`, "another"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tokenizer.Parse(spoilt(t, c.file, c.old, c.now))
			if !errors.Is(err, tokenizer.ErrUnknown) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// TestAFileThatIsBroken: it is refused too, and is not called unknown.
func TestAFileThatIsBroken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, old, now string }{
		"cut_off":          {"roberta", `"model":`, `"mod`},
		"no_unknown_word":  {"bert-uncased", `"[UNK]":1`, `"[UNC]":1`},
		"no_unknown_piece": {"xlm-roberta", `"unk_id":3`, `"unk_id":null`},
		"no_map":           {"albert", `"precompiled_charsmap":"`, `"precompiled_charsmap":"AAAA`},
		"two_minds":        {"albert", `"prepend_scheme":"never"`, `"prepend_scheme":"always"`},
		"no_frame":         {"roberta", `["</s>",2]`, `["</s>"]`},
		"no_such_token":    {"xlm-roberta", `"special_tokens":{"<s>"`, `"special_tokens":{"<t>"`},
		"lost_merge":       {"roberta", `"merges":["`, `"merges":["a bcd","`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tok, err := tokenizer.Parse(spoilt(t, c.file, c.old, c.now)); err == nil || errors.Is(err, tokenizer.ErrUnknown) {
				t.Errorf("%v, %v", tok, err)
			}
		})
	}
}

func spoilt(t *testing.T, file, old, now string) []byte {
	t.Helper()
	raw := string(read(t, file+".json"))
	if !strings.Contains(raw, old) {
		t.Fatalf("%s has no %s", file, old)
	}
	return []byte(strings.Replace(raw, old, now, 1))
}

func FuzzIDs(f *testing.F) {
	var toks []*tokenizer.Tokenizer
	for _, name := range []string{"bert-uncased", "bert-lower", "bert-korean", "xlm-roberta", "xlm-roberta-old", "albert", "roberta", "modernbert", "gemma"} {
		toks = append(toks, parse(f, name))
	}
	f.Add("연차는 [SEP] a</s>b <mask> ½\xff é")
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range toks {
			ids := tok.IDs(text, all)
			if got := tok.IDs(text, 8); len(got) > 8 || len(ids) <= 8 && !slices.Equal(got, ids) {
				t.Errorf("%v of %v", got, ids)
			}
			if len(ids) > 3*(len(text)+utf8.RuneCountInString(text))+8 {
				t.Errorf("%d tokens of %d bytes", len(ids), len(text))
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"bert-korean", "xlm-roberta", "roberta", "gemma"} {
		f.Add(read(f, name+".json"), "연차 a½ </s>")
	}
	f.Fuzz(func(_ *testing.T, raw []byte, text string) {
		if tok, err := tokenizer.Parse(raw); err == nil {
			tok.IDs(text, 64)
		}
	})
}

// BenchmarkIDs cuts a passage as long as an encoder reads.
func BenchmarkIDs(b *testing.B) {
	text := strings.Repeat("연차 휴가는 며칠이야 how many days of annual leave ", 20)
	for _, name := range []string{"bert-korean", "xlm-roberta", "roberta"} {
		tok := parse(b, name)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				tok.IDs(text, 512)
			}
		})
	}
}
