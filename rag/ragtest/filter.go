package ragtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/rag"
)

// day0 is the date of the tests' first document.
var day0 = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// filed puts a document with tags, added days after day0.
func filed(t *testing.T, x rag.Index, scope, source string, day int, tags []string, passages ...string) rag.Document {
	t.Helper()
	doc, chunks := Doc(scope, source, passages...)
	doc.Tags, doc.At = tags, day0.AddDate(0, 0, day)
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatalf("put %s: %v", source, err)
	}
	return doc
}

// filters checks tags and days: every tag is required, in any spelling; the start of a range is included, its end is
// not.
func filters(t *testing.T, open Open) {
	x := start(t, open)
	filed(t, x, "public", "leave", 0, []string{"HR", "정책"}, "연차 규정: 연차는 15일입니다.")
	filed(t, x, "public", "pay", 10, []string{"hr", "Pay Roll"}, "연차 수당 규정: 남은 연차는 수당으로 받습니다.")
	filed(t, x, "public", "old", 20, nil, "연차 규정 옛날 이야기")
	filed(t, x, "secret", "board", 10, []string{"hr"}, "연차 규정 이사회 판")
	for _, c := range []struct {
		name string
		q    rag.Query
		want string
	}{
		{"no_filter", rag.Query{}, "leave old pay"},
		{"one_tag", rag.Query{Tags: []string{"hr"}}, "leave pay"},
		{"spelt_otherwise", rag.Query{Tags: []string{" ＨＲ "}}, "leave pay"},
		{"korean_tag", rag.Query{Tags: []string{"정책"}}, "leave"},
		{"all_of_two", rag.Query{Tags: []string{"hr", "pay-roll", "HR"}}, "pay"},
		{"never_both", rag.Query{Tags: []string{"정책", "pay roll"}}, ""},
		{"part_of_a_tag", rag.Query{Tags: []string{"pay"}}, ""},
		{"unknown_tag", rag.Query{Tags: []string{"finance"}}, ""},
		{"empty_tag", rag.Query{Tags: []string{" "}}, ""},
		{"since", rag.Query{Since: day0.AddDate(0, 0, 10)}, "old pay"},
		{"since_in_another_zone", rag.Query{Since: day0.AddDate(0, 0, 10).In(time.FixedZone("KST", 9*3600))}, "old pay"},
		{"until", rag.Query{Until: day0.AddDate(0, 0, 10)}, "leave"},
		{"between", rag.Query{Since: day0.Add(time.Second), Until: day0.AddDate(0, 0, 20)}, "pay"},
		{"tag_and_days", rag.Query{Tags: []string{"hr"}, Since: day0.AddDate(0, 0, 1)}, "pay"},
		{"no_time_at_all", rag.Query{Since: day0.AddDate(0, 0, 10), Until: day0}, ""},
		{"with_a_document", rag.Query{Documents: []string{rag.DocumentID("public", "leave"), rag.DocumentID("public", "old")}, Tags: []string{"hr"}}, "leave"},
		{"no_way_into_a_scope", rag.Query{Documents: []string{rag.DocumentID("secret", "board")}, Tags: []string{"hr"}}, ""},
	} {
		c.q.Text, c.q.Scopes, c.q.Threshold, c.q.Repeats = "연차 규정", []string{"public"}, -1, true
		if got := sources(search(t, x, c.q)); got != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
	docs, err := x.Documents(t.Context(), []string{"public"})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if d.Source == "pay" && fmt.Sprint(rag.Tags(d.Tags)) != "[hr pay-roll]" {
			t.Errorf("the tags came back as %q", d.Tags)
		}
	}
}

// sources returns the documents of the hits, sorted by name.
func sources(hits []rag.Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Document.Source)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// retagged puts a document again with other tags and a later date, and deletes one: the old filing must no longer
// match.
func retagged(t *testing.T, open Open) {
	x := start(t, open)
	filed(t, x, "public", "rules", 0, []string{"draft"}, "연차 규정 초안")
	gone := filed(t, x, "public", "gone", 0, []string{"draft"}, "연차 규정 폐지")
	filed(t, x, "public", "rules", 30, []string{"final"}, "연차 규정 확정")
	if _, err := x.Delete(t.Context(), "public", gone.ID); err != nil {
		t.Fatal(err)
	}
	q := rag.Query{Text: "연차 규정", Scopes: []string{"public"}, Threshold: -1}
	for _, c := range []struct {
		narrow func(*rag.Query)
		want   string
	}{
		{func(q *rag.Query) { q.Tags = []string{"draft"} }, ""},
		{func(q *rag.Query) { q.Tags = []string{"final"} }, "rules"},
		{func(q *rag.Query) { q.Until = day0.AddDate(0, 0, 1) }, ""},
		{func(q *rag.Query) { q.Since = day0.AddDate(0, 0, 30) }, "rules"},
	} {
		asked := q
		c.narrow(&asked)
		if got := sources(search(t, x, asked)); got != c.want {
			t.Errorf("%+v found %q, want %q", asked.Filter(), got, c.want)
		}
	}
}

// filedAs is a document of [filterOracle].
type filedAs struct {
	scope, source string
	day           int
	tags          []string
}

// filterOracle checks random filters on random documents against a plain list: without a threshold exactly the
// expected documents are found, with the limit equal to their number, and each with its unfiltered score.
func filterOracle(t *testing.T, open Open) {
	x := start(t, open)
	rnd := rand.New(rand.NewPCG(5, 21))
	docs, asks := most(t, 180, 60), most(t, 40, 12)
	all := fileMany(t, x, rnd, docs)
	for range asks {
		q := rag.Query{Text: "공통 규정 shared rule", Threshold: -1, Repeats: true, Limit: 2 * docs}
		for s := range filterScopes {
			if rnd.IntN(3) > 0 {
				q.Scopes = append(q.Scopes, fmt.Sprint("team/", s))
			}
		}
		plain := map[string]float64{}
		for _, h := range search(t, x, q) {
			plain[h.Chunk.ID] = h.Score
		}
		want := narrowed(&q, rnd, all)
		q.Limit = max(len(want), 1)
		hits := search(t, x, q)
		for _, h := range hits {
			if !want[h.Chunk.ID] {
				t.Fatalf("%+v in %v: %s of %v was found", q.Filter(), q.Scopes, h.Document.Source, h.Document.Tags)
			}
			if h.Score != plain[h.Chunk.ID] {
				t.Errorf("%+v: %s scores %v, without the filter %v", q.Filter(), h.Chunk.ID, h.Score, plain[h.Chunk.ID])
			}
		}
		if len(hits) != len(want) {
			t.Fatalf("%+v in %v: %d passages, want %d", q.Filter(), q.Scopes, len(hits), len(want))
		}
	}
}

// filterScopes is the number of scopes of [filterOracle].
const filterScopes = 2

// filterTags returns its tags.
func filterTags() []string { return []string{"hr", "법무", "draft", "2026"} }

// fileMany puts n documents of two passages each, filed at random.
func fileMany(t *testing.T, x rag.Index, rnd *rand.Rand, n int) []filedAs {
	t.Helper()
	var all []filedAs
	for i := range n {
		d := filedAs{scope: fmt.Sprint("team/", rnd.IntN(filterScopes)), source: fmt.Sprint("doc", i), day: rnd.IntN(30)}
		for _, tag := range filterTags() {
			if rnd.IntN(3) == 0 {
				d.tags = append(d.tags, tag)
			}
		}
		filed(t, x, d.scope, d.source, d.day, d.tags, fmt.Sprintf("공통 규정 shared rule 번호 %d", i), fmt.Sprintf("다른 조항 공통 규정 shared rule %d 끝", i))
		all = append(all, d)
	}
	return all
}

// narrowed adds a random filter to a query and returns the expected passages.
func narrowed(q *rag.Query, rnd *rand.Rand, all []filedAs) map[string]bool {
	from, to := rnd.IntN(25), 30
	for _, tag := range filterTags() {
		if rnd.IntN(5) == 0 {
			q.Tags = append(q.Tags, strings.ToUpper(tag))
		}
	}
	if rnd.IntN(2) == 0 {
		q.Since = day0.AddDate(0, 0, from)
	} else {
		from = 0
	}
	if rnd.IntN(2) == 0 {
		to = from + rnd.IntN(20)
		q.Until = day0.AddDate(0, 0, to)
	}
	want := map[string]bool{}
	for _, d := range all {
		tagged := !slices.ContainsFunc(q.Tags, func(t string) bool { return !slices.Contains(d.tags, strings.ToLower(t)) })
		if tagged && d.day >= from && d.day < to && slices.Contains(q.Scopes, d.scope) {
			id := rag.DocumentID(d.scope, d.source)
			want[id+"#0"], want[id+"#1"] = true, true
		}
	}
	return want
}
