package eval_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
)

// TestLaw looks articles up among those of all Korean law: by number, chatty
// and by title, as shared/data/ko-law-small does on forty statutes. It wants
// MARU_LAW_DIR, the folder kr/ of a copy of github.com/legalize-kr/legalize-kr
// (statutes are in the public domain), or with MARU_EVAL_FULL makes 170,000
// articles of the small set's shapes.
func TestLaw(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("MARU_LAW_DIR")
	var s *eval.Set
	switch {
	case dir != "":
		s = readLaw(t, dir)
	case os.Getenv("MARU_EVAL_FULL") != "":
		s = madeLaw(t)
	default:
		t.Skip("set MARU_LAW_DIR to a folder of Korean statutes, or MARU_EVAL_FULL=1 for made-up ones")
	}
	x, err := local.Open(t.Context(), local.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	start := time.Now()
	if err := eval.Fill(t.Context(), s, putAll(x)); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	r, err := eval.Evaluate(t.Context(), x, s, 1, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	r.Indexing = took.Seconds()
	var b strings.Builder
	if err := eval.WriteTable(&b, r); err != nil {
		t.Fatal(err)
	}
	t.Logf("indexed in %.1f s\n%s", r.Indexing, b.String())
	for kind, least := range map[string]float64{"number": 1, "chatty": 0.99, "title": 0.90} {
		first, asked := firsts(t, x, s, kind)
		t.Logf("%s: an article that was asked for comes first in %d of %d", kind, first, asked)
		if float64(first) < least*float64(asked) {
			t.Errorf("%s: want at least %.2f of them", kind, least)
		}
	}
}

// firsts counts the questions of a kind whose first hit is an article that was
// asked for, of laws that are twice under one name either, and logs the others.
func firsts(t *testing.T, x rag.Index, s *eval.Set, kind string) (first, asked int) {
	t.Helper()
	for _, q := range s.Queries {
		if q.Kind != kind {
			continue
		}
		asked++
		hits, err := x.Search(t.Context(), rag.Query{Text: q.Text, Scopes: []string{eval.Scope}, Limit: 1, Threshold: -1})
		switch {
		case err != nil:
			t.Fatal(err)
		case len(hits) > 0 && s.Answers[q.ID][hits[0].Document.ID] > 0:
			first++
		case len(hits) > 0 && asked-first <= 10:
			t.Logf("%s: %q leads to %q", kind, q.Text, hits[0].Document.Title)
		}
	}
	return first, asked
}

// lawArticle is one article on its way into a set.
type lawArticle struct{ law, number, title, text string }

// lawSet makes a set of articles, with questions about every n-th. Where a law
// is twice under one name, either of its articles answers.
func lawSet(name string, all []lawArticle) *eval.Set {
	const questions = 1000 // of each kind
	s := &eval.Set{Name: name, Answers: map[string]map[string]int{}}
	byNumber, byTitle := map[string][]string{}, map[string][]string{}
	squeeze := func(parts ...string) string { return strings.ReplaceAll(strings.Join(parts, "\x00"), " ", "") }
	for i, a := range all {
		id := fmt.Sprint(i)
		head := a.law + " " + a.number
		if a.title != "" {
			head += "(" + a.title + ")"
		}
		s.Corpus = append(s.Corpus, eval.Passage{ID: id, Title: head, Text: a.text})
		byNumber[squeeze(a.law, a.number)] = append(byNumber[squeeze(a.law, a.number)], id)
		byTitle[squeeze(a.law, a.title)] = append(byTitle[squeeze(a.law, a.title)], id)
	}
	ask := func(kind, text string, ids []string) {
		q := eval.Question{ID: fmt.Sprint("q", len(s.Queries)), Text: text, Kind: kind}
		s.Queries = append(s.Queries, q)
		s.Answers[q.ID] = map[string]int{}
		for _, id := range ids {
			s.Answers[q.ID][id] = 1
		}
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	for range questions {
		a := all[rnd.IntN(len(all))]
		ask("number", a.law+" "+a.number, byNumber[squeeze(a.law, a.number)])
		a = all[rnd.IntN(len(all))]
		ask("chatty", strings.ReplaceAll(a.law, " ", "")+" "+a.number+"에는 뭐라고 되어 있어?", byNumber[squeeze(a.law, a.number)])
		for a.title == "" {
			a = all[rnd.IntN(len(all))]
		}
		ask("title", a.law+"에서 "+strings.Trim(a.title, "()")+" 규정은 어디에 있나요?", byTitle[squeeze(a.law, a.title)])
	}
	return s
}

var (
	lawName    = regexp.MustCompile(`(?m)^제목: ['"]?(.+?)['"]?$`)
	lawHeading = regexp.MustCompile(`(?m)^#+ (제\d+조(?:의\d+)*)(?: *\(([^\n]*)\))? *$`)
)

// readLaw reads a folder of statutes, each Markdown with its name in the front
// matter and a heading an article. What follows 부칙 has numbers of its own.
func readLaw(t *testing.T, dir string) *eval.Set {
	t.Helper()
	var all []lawArticle
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, _, _ := strings.Cut(string(b), "\n## 부칙")
		name := lawName.FindStringSubmatch(text)
		if name == nil {
			return fmt.Errorf("%s has no 제목 in its front matter", path)
		}
		places := lawHeading.FindAllStringSubmatchIndex(text, -1)
		for i, p := range places {
			end := len(text)
			if i+1 < len(places) {
				end = places[i+1][0]
			}
			a := lawArticle{law: name[1], number: text[p[2]:p[3]], text: strings.TrimSpace(text[p[1]:end])}
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
	return lawSet("law", all)
}

// madeLaw multiplies the articles of the small set until there are 170,000:
// other laws by name, the same numbers, titles and texts.
func madeLaw(t *testing.T) *eval.Set {
	t.Helper()
	small, err := eval.ReadSet(filepath.Join(datatest.Dir(t), "ko-law-small"))
	if err != nil {
		t.Fatal(err)
	}
	split := regexp.MustCompile(`^(.+) (제\d+조(?:의\d+)*)(?:\((.*)\))?$`)
	var all []lawArticle
	for copied := 0; len(all) < 170_000; copied++ {
		for _, p := range small.Corpus {
			if m := split.FindStringSubmatch(p.Title); m != nil {
				region := string([]rune{'가' + rune(copied*7%11_000), '나' + rune(copied*13%9_000)})
				all = append(all, lawArticle{region + "지역 " + m[1], m[2], m[3], p.Text})
			}
		}
	}
	return lawSet("law, made", all)
}
