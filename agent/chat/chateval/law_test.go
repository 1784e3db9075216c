package chateval_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/chat/chateval"
	"maru/agent/llm/extractive"
	"maru/datatest"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/local"
)

// shelf is a library in memory with what answers from it.
type shelf struct {
	lib   *library.Library
	asker *chateval.Questioner
	at    map[string]rag.Document // by source
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	s := &shelf{at: map[string]rag.Document{}, lib: library.New(library.Config{Index: x, Loader: load.New(load.Config{}), Now: time.Now, MaxFile: 50 << 20})}
	s.asker, err = chateval.New(chateval.Config{
		Chat: chat.Config{Model: extractive.New(), Documents: s.lib, Passages: 5}, Scopes: []string{"public"}, Now: time.Now,
		Sink: func(agent.Event) {}, Progress: func(int, string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cited answers a question and returns the passages that the answer cites, in order.
func (s *shelf) cited(t *testing.T, question string) (out []rag.Hit, text string) {
	t.Helper()
	r, err := s.asker.Answer(t.Context(), eval.Case{Question: question})
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	for _, id := range r.Cited {
		c, d, err := s.lib.Chunk(t.Context(), []string{"public"}, id)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rag.Hit{Chunk: c, Document: d})
	}
	return out, r.Text
}

// asked is a question of a set with what a right answer does.
type asked struct {
	kind, text string
	right      func(cited []rag.Hit, text string) bool
}

// score asks the questions and holds the share that is answered rightly, of the first half, on which rules may be tuned,
// and of the second, which is held out, against least.
func (s *shelf) score(t *testing.T, kind string, list []asked, least float64) {
	t.Helper()
	var right, all [2]int
	for i, q := range list {
		half := 0
		if i >= len(list)/2 {
			half = 1
		}
		all[half]++
		cited, text := s.cited(t, q.text)
		if q.right(cited, text) {
			right[half]++
			continue
		}
		if half == 0 || os.Getenv("MARU_EVAL_FULL") != "" {
			place := "nothing"
			if len(cited) > 0 {
				place = cited[0].Document.Title + " " + rag.Place(cited[0])
			}
			t.Logf("%s: %q cites %s", kind, q.text, place)
		}
	}
	t.Logf("| %s | %d of %d | %d of %d |", kind, right[0], all[0], right[1], all[1])
	if float64(right[0]+right[1]) < least*float64(len(list)) {
		t.Errorf("%s: %d of %d, want %.2f", kind, right[0]+right[1], len(list), least)
	}
}

// statuteArticle is an article in the body of a statute.
type statuteArticle struct{ law, source, number, title, text string }

var (
	lawTitle   = regexp.MustCompile(`(?m)^제목: ['"]?(.+?)['"]?$`)
	lawArticle = regexp.MustCompile(`(?m)^#+ (제\d+조(?:의\d+)*)(?: *\(([^\n]*)\))? *$`)
)

// readStatutes adds the statutes of a folder and returns their articles.
func readStatutes(t *testing.T, s *shelf, dir string) (all []statuteArticle, names []string) {
	t.Helper()
	start, bytes, passages := time.Now(), 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		source, _ := filepath.Rel(filepath.Dir(dir), path)
		source = filepath.ToSlash(source)
		ids, err := s.lib.AddBundled(t.Context(), "public", []library.Bundled{{Name: source, Data: data}})
		if err != nil {
			return err
		}
		for id := range ids {
			doc, err := s.lib.Document(t.Context(), []string{"public"}, id)
			if err != nil {
				return err
			}
			s.at[source] = doc
			passages += doc.Chunks
		}
		bytes += len(data)
		text, _, _ := strings.Cut(string(data), "\n## 부칙")
		name := lawTitle.FindStringSubmatch(text)
		if name == nil {
			return fmt.Errorf("%s has no 제목 in its front matter", path)
		}
		names = append(names, name[1])
		places := lawArticle.FindAllStringSubmatchIndex(text, -1)
		for i, p := range places {
			end := len(text)
			if i+1 < len(places) {
				end = places[i+1][0]
			}
			a := statuteArticle{law: name[1], source: source, number: text[p[2]:p[3]], text: text[p[1]:end]}
			if p[4] >= 0 {
				a.title = strings.TrimSpace(text[p[4]:p[5]])
			}
			all = append(all, a)
		}
		return nil
	})
	if err != nil || len(all) < 1000 {
		t.Fatalf("%d articles in %s: %v", len(all), dir, err)
	}
	t.Logf("%d statutes, %d articles, %d passages, %d MB in %v", len(names), len(all), passages, bytes>>20, time.Since(start).Round(time.Millisecond))
	return all, names
}

// isArticle reports whether a passage is of an article in the body of its statute.
func isArticle(h rag.Hit, a statuteArticle) bool {
	if h.Document.Title != a.law {
		return false
	}
	last := h.Chunk.Heading[len(h.Chunk.Heading)-1]
	number, _, _ := strings.Cut(last, "(")
	return strings.TrimSpace(number) == a.number && !slices.ContainsFunc(h.Chunk.Heading, func(s string) bool { return strings.HasPrefix(s, "부칙") })
}

// particle returns the form of a Korean particle after a word: with and without a final consonant.
func particle(word, with, without string) string {
	r := []rune(strings.TrimRight(word, ")"))
	if last := r[len(r)-1]; last >= '가' && last <= '힣' && (last-'가')%28 != 0 {
		return word + with
	}
	return word + without
}

const questions = 200 // of each set; the second half is held out

// lawQuestions returns the ways to ask for an article: of each the first half of the templates is for both halves of the
// questions, and the second half only for the half that is held out.
func lawQuestions(all []statuteArticle, rnd *rand.Rand) map[string][]asked {
	short := func(number string) string { return strings.TrimPrefix(number, "제") }
	squeezed := func(name string) string { return strings.ReplaceAll(name, " ", "") }
	paragraphs := regexp.MustCompile(`\*\*([①-⑳])\*\*`)
	ways := map[string][]func(a statuteArticle) string{
		"by number": {
			func(a statuteArticle) string { return a.law + " " + a.number },
			func(a statuteArticle) string { return squeezed(a.law) + " " + a.number },
			func(a statuteArticle) string { return a.law + " " + a.number + " 내용" },
			func(a statuteArticle) string { return squeezed(a.law) + a.number },
		},
		"chatty": {
			func(a statuteArticle) string {
				return squeezed(a.law) + " " + a.number + "에는 뭐라고 되어 있어?"
			},
			func(a statuteArticle) string {
				return "안녕하세요, " + a.law + " " + a.number + " 내용이 궁금합니다"
			},
			func(a statuteArticle) string {
				return "혹시 " + a.law + " " + a.number + " 좀 찾아줄 수 있어?"
			},
			func(a statuteArticle) string { return a.law + "에서 " + a.number + "가 무슨 내용이었지?" },
			func(a statuteArticle) string { return a.number + " 설명해 주세요. " + a.law + "이요" },
		},
		"without 제": {
			func(a statuteArticle) string { return a.law + " " + short(a.number) },
			func(a statuteArticle) string { return squeezed(a.law) + " " + short(a.number) + " 알려줘" },
			func(a statuteArticle) string { return a.law + " " + short(a.number) + "가 뭐야?" },
			func(a statuteArticle) string { return a.law + "의 " + short(a.number) + "에 뭐 나와?" },
		},
		"with 제N항": {
			func(a statuteArticle) string { return a.law + " " + a.number + "제1항" },
			func(a statuteArticle) string {
				return a.law + " " + a.number + " 제2항에는 뭐라고 되어 있어?"
			},
			func(a statuteArticle) string {
				return squeezed(a.law) + " " + short(a.number) + " 1항은 뭐라고 돼 있나요"
			},
			func(a statuteArticle) string { return a.law + " " + a.number + " 2항 알려줘" },
		},
		"which article": {
			func(a statuteArticle) string {
				return a.law + "에서 " + particle(a.title, "은", "는") + " 몇 조야?"
			},
			func(a statuteArticle) string {
				return a.title + "에 관한 조문은 " + a.law + " 몇 조에 있어?"
			},
			func(a statuteArticle) string { return a.law + "의 " + a.title + " 규정은 어느 조항인가요?" },
			func(a statuteArticle) string {
				return squeezed(a.law) + " 몇 조에 " + particle(a.title, "이", "가") + " 나와?"
			},
		},
		"by title": {
			func(a statuteArticle) string { return a.law + " " + a.title },
			func(a statuteArticle) string { return a.law + "에서 " + a.title + " 규정은 어디에 있나요?" },
			func(a statuteArticle) string { return squeezed(a.law) + " 중 " + a.title + "에 대해 알려줘" },
			func(a statuteArticle) string { return a.title + " (" + a.law + ")" },
		},
	}
	out := map[string][]asked{}
	for _, kind := range slices.Sorted(mapsKeys(ways)) {
		for i := range questions {
			a := all[rnd.IntN(len(all))]
			titled := kind == "which article" || kind == "by title"
			for titled && a.title == "" || kind == "with 제N항" && len(paragraphs.FindAllString(a.text, 2)) < 2 {
				a = all[rnd.IntN(len(all))]
			}
			n := (len(ways[kind]) + 1) / 2
			if i >= questions/2 {
				n = len(ways[kind])
			}
			fits := func(h rag.Hit) bool { return isArticle(h, a) }
			if titled {
				var same []statuteArticle
				for _, b := range all {
					if b.law == a.law && squeezed(b.title) == squeezed(a.title) {
						same = append(same, b)
					}
				}
				fits = func(h rag.Hit) bool {
					return slices.ContainsFunc(same, func(b statuteArticle) bool { return isArticle(h, b) })
				}
			}
			out[kind] = append(out[kind], asked{kind, ways[kind][i%n](a), func(cited []rag.Hit, _ string) bool { return len(cited) > 0 && fits(cited[0]) }})
		}
	}
	return out
}

func mapsKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestLawFiles asks for articles of Korean statutes as people do: forty acts with their decrees, or all of MARU_LAW_DIR.
// The right article of the body of the right statute must be cited first.
func TestLawFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	dir := os.Getenv("MARU_LAW_DIR")
	if dir == "" {
		dir = filepath.Join(datatest.Dir(t), "ko-law-files", "kr")
	}
	s := newShelf(t)
	all, names := readStatutes(t, s, dir)
	sets := lawQuestions(all, rand.New(rand.NewPCG(32, 1)))
	for _, kind := range slices.Sorted(mapsKeys(sets)) {
		s.score(t, kind, datatest.Sample(sets[kind], 3), 0.98)
	}
	none := func(cited []rag.Hit, text string) bool {
		return len(cited) == 0 && strings.Contains(text, "없어요.") && strings.Contains(text, "\n- ") // with the nearest names
	}
	s.score(t, "not there", datatest.Sample(absent(all, names, rand.New(rand.NewPCG(32, 2)), none), 3), 1)
	s.score(t, "there by another name", datatest.Sample(renamed(all, names, rand.New(rand.NewPCG(32, 3))), 3), 0.98)
}
