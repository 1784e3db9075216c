package ragtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"maru/rag"
)

// isolation puts random documents into random scopes, moves, replaces and deletes some, and queries random sets of
// scopes. The oracle is a plain map: every hit must be of a live document in a queried scope, and without a threshold
// every such document must be found. It checks 2,400 triples of asker, place and document.
func isolation(t *testing.T, open Open) {
	x := start(t, open)
	rnd := rand.New(rand.NewPCG(7, 11))
	const scopes = 8
	docs, asks := most(t, 120, 40), most(t, 20, 10)
	alive := map[string]string{} // source to scope
	for i := range docs {
		scope := fmt.Sprint("team/", rnd.IntN(scopes))
		source := fmt.Sprint("doc", i)
		put(t, x, scope, source, fmt.Sprintf("비밀 계획 %d 공통 낱말 shared word %s", i, scope))
		alive[scope+" "+source] = scope
		switch rnd.IntN(6) {
		case 0:
			if _, err := x.Delete(t.Context(), scope, rag.DocumentID(scope, source)); err != nil {
				t.Fatal(err)
			}
			delete(alive, scope+" "+source)
		case 1:
			put(t, x, scope, source, "공통 낱말 shared word 고친 글")
		}
	}
	triples := 0
	for range asks {
		var asked []string
		for s := range scopes {
			if rnd.IntN(2) == 0 {
				asked = append(asked, fmt.Sprint("team/", s))
			}
		}
		found := map[string]bool{}
		for _, h := range search(t, x, rag.Query{Text: "공통 낱말 shared word", Scopes: asked, Limit: docs, Threshold: -1, Repeats: true}) {
			found[h.Document.Scope+" "+h.Document.Source] = true
			if !slices.Contains(asked, h.Document.Scope) {
				t.Fatalf("LEAK: asked %v, got %s of %s", asked, h.Document.Source, h.Document.Scope)
			}
		}
		for i := range docs {
			for s := range scopes {
				key := fmt.Sprintf("team/%d doc%d", s, i)
				_, lives := alive[key]
				want := lives && slices.Contains(asked, fmt.Sprint("team/", s))
				if found[key] != want {
					t.Fatalf("asked %v: %s found %v, want %v", asked, key, found[key], want)
				}
			}
			triples++
		}
	}
	if triples < most(t, 2400, 400) {
		t.Fatalf("only %d triples", triples)
	}
}

// silence compares an index with secrets to one without: results visible to an asker, scores included, must be equal.
func silence(t *testing.T, open Open) {
	with, without := start(t, open), start(t, open)
	for i := range most(t, 30, 12) {
		text := fmt.Sprintf("연차 규정 %d번: 휴가는 미리 신청합니다. Rule %d of leave.", i, i)
		put(t, with, "public", fmt.Sprint("p", i), text)
		put(t, without, "public", fmt.Sprint("p", i), text)
		put(t, with, "board", fmt.Sprint("s", i), "인수 합병 계획 merger plan 연차", "휴가 merger "+text)
	}
	for _, q := range []string{"연차 규정", "merger plan 휴가", "인수 합병 계획이 있어?", "Rule 7 of leave"} {
		query := rag.Query{Text: q, Scopes: []string{"public"}, Limit: 10, Threshold: -1, Repeats: true}
		a, b := search(t, with, query), search(t, without, query)
		if len(a) != len(b) {
			t.Fatalf("%q: %d hits beside secrets, %d without", q, len(a), len(b))
		}
		for i := range a {
			if a[i].Score != b[i].Score || a[i].Rank != b[i].Rank {
				t.Errorf("%q, hit %d: score %v rank %v beside secrets, %v %v without", q, i, a[i].Score, a[i].Rank, b[i].Score, b[i].Rank)
			}
		}
	}
}
