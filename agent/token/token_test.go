package token

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

// published is the hash of o200k_base.tiktoken, as OpenAI's tiktoken checks it (tiktoken_ext/openai_public.py).
const published = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

// tokens is the size of the vocabulary without special tokens.
const tokens = 199_998

// TestVocabularyIsThePublishedOne. MARU_UPDATE=1 writes o200k.gz from the library's tables.
func TestVocabularyIsThePublishedOne(t *testing.T) {
	t.Parallel()
	if os.Getenv("MARU_UPDATE") != "" {
		library := codec.NewO200kBase()
		var raw, packed bytes.Buffer
		for id := range uint(tokens) {
			text, err := library.Decode([]uint{id})
			if err != nil {
				t.Fatal(err)
			}
			raw.Write(binary.AppendUvarint(nil, uint64(len(text))))
			raw.WriteString(text)
		}
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(raw.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("o200k.gz", packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		o200k = packed.Bytes()
	}
	ranks := O200k().ranks
	list := make([]string, len(ranks))
	for text, rank := range ranks {
		list[rank] = text
	}
	sum := sha256.New()
	for rank, text := range list {
		fmt.Fprintf(sum, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(text)), rank)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); len(list) != tokens || got != published {
		t.Errorf("%d tokens with the hash %s", len(list), got)
	}
	for name, packed := range map[string][]byte{"no gzip": []byte("x"), "cut": o200k[:1000]} {
		if _, err := read(packed); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// blankLines are where the library is wrong: of \s*[\r\n]+ it finds the first end of a line, not the last (regexp2cg 2.5
// writes IndexOfAny for LastIndexOfAny).
var blankLines = regexp.MustCompile(`[\r\n][^\S\r\n]+[\r\n]|[\r\n][\v\x{85}\x{a0}\p{Z}]`)

// compare checks a count with the library's.
func compare(t *testing.T, text string) {
	t.Helper()
	if blankLines.MatchString(text) {
		return
	}
	want, err := codec.NewO200kBase().Count(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := O200k().Count(text); got != want {
		t.Errorf("%.200q has %d tokens, want %d", text, got, want)
	}
}

func TestCountsAreTheLibrarys(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "  ", "a", "Hello, world!", "It's we'll THEY'VE he'S I'd 'tis don't", "안녕하세요, 마루입니다. 연차는 15일이에요!",
		"camelCaseHTTPServer XMLParser ABC abc Abc", "1234567890 1,234.56 ³½ ٣٤٥", "\n\n\tx", "a  b   c \t d", "end  ", "end \n ",
		"// path/to/file\r\n/*x*/", "e\u0301cole \u0301x", "👩‍👩‍👧 🇰🇷 ❤️", "日本語とカタカナ、漢字。", "ǅungla ʰaspiration", "a\u00a0b\u3000c\u2003 d", "x'ſ y'LL z'Re",
		"\xff\xfe bad \xc3", strings.Repeat("=", 300), strings.Repeat("가나다 라마", 40), strings.Repeat("\u0301", 5) + "a", "I'M'm 'S", "!가 .A ?b -1",
	} {
		compare(t, text)
	}
	files, err := filepath.Glob("../../handbook/*/*.md")
	more, _ := filepath.Glob("../../docs/*.md") // the pattern is sound
	if err != nil || len(files) < 4 || len(more) < 4 {
		t.Fatal(err, files)
	}
	for _, file := range append(files, more...) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, string(raw))
	}
}

// TestPieces has pieces as Python's module regex finds them with o200k's pattern. Outside of this test they were compared
// for 30,000 texts of random signs, the documentation and the source.
func TestPieces(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{
		{"\n\n  \n", "\tx"},
		{"a", " ", " b", "  \r\n", "  ", " c", "  "},
		{"It's", " THEY'LL", " x", "'y"},
		{"HTTPServer", "Name", "ǅ가나", "A"},
		{"연차는", " ", "15", "일", "(", "123", "456", "7", ")/\n/", "x"},
		{"\u0301a", "!\u0301", "-->", "b", "👍\u200d/"},
	} {
		text := strings.Join(want, "")
		var got []string
		for rest := text; rest != ""; {
			n := pieceLen(rest)
			got, rest = append(got, rest[:n]), rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("pieces %q, want %q", got, want)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, text := range []string{"It's 연차 15일\r\n\t x", "\u0301'S  \n", "AbC1234/,\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < maxPiece { // longer pieces are counted in parts
			compare(t, text)
		}
	})
}

// TestLongPieces: a text without spaces takes linear time and is counted nearly right.
func TestLongPieces(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("가나다라마바사", 10_000)
	want, err := codec.NewO200kBase().Count(text)
	if got := O200k().Count(text); err != nil || got < want*98/100 || got > want*102/100 {
		t.Errorf("%d tokens, want about %d, %v", got, want, err)
	}
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat("연차는 입사일 기준으로 15일이 생겨요. You can carry five of them over. ", 200)
	b.SetBytes(int64(len(text)))
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			O200k().Count(text)
		}
	})
	library := codec.NewO200kBase()
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			if _, err := library.Count(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
