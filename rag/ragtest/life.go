package ragtest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"maru/rag"
)

func closed(t *testing.T, open Open) {
	x, _ := open(t)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	doc, chunks := Doc("public", "rules", "연차")
	if x.Put(t.Context(), doc, chunks) == nil {
		t.Error("a closed index took a document")
	}
	if _, err := x.Search(t.Context(), rag.Query{Text: "연차", Scopes: []string{"public"}}); err == nil {
		t.Error("a closed index answered")
	}
}

func concurrent(t *testing.T, open Open) {
	x := start(t, open)
	rounds := most(t, 60, 15)
	put(t, x, "public", "moving", "연차 판 0 가", "연차 판 0 나")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				hits, err := x.Search(t.Context(), rag.Query{Text: "연차 판", Scopes: []string{"public"}, Repeats: true, Threshold: -1})
				if err != nil || len(hits) != 2 {
					t.Errorf("a reader saw %d passages (%v), want always two", len(hits), err)
					return
				}
				if a, b := strings.Fields(hits[0].Chunk.Text), strings.Fields(hits[1].Chunk.Text); a[2] != b[2] {
					t.Errorf("a reader saw half of two editions: %v %v", a, b)
					return
				}
			}
		})
	}
	for i := 1; i <= rounds; i++ {
		put(t, x, "public", "moving", fmt.Sprintf("연차 판 %d 가", i), fmt.Sprintf("연차 판 %d 나", i))
		put(t, x, "other", fmt.Sprint("noise", i), "연차 판 소음")
	}
	close(stop)
	wg.Wait()
}

func reopening(t *testing.T, open Open) {
	x, reopen := open(t)
	if reopen == nil {
		_ = x.Close()
		t.Skip("this index is not persistent")
	}
	library(t, x)
	gone := put(t, x, "public", "gone", "지운 이야기")
	put(t, x, "public", "leave", "연차는 1년에 16일입니다.")
	if _, err := x.Delete(t.Context(), "public", gone.ID); err != nil {
		t.Fatal(err)
	}
	q := rag.Query{Text: "연차 annual leave 과태료 지운 이야기", Scopes: []string{"public"}, Threshold: -1, Limit: 20}
	before := search(t, x, q)
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = reopen(t)
		if after := search(t, x, q); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("after reopening:\n%v\nwas:\n%v", after, before)
		}
	}
	_ = x.Close()
}
