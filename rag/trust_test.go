package rag_test

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"maru/rag"
)

func always(v float64) func(int) float64 { return func(int) float64 { return v } }

// taught returns a trust that has seen sure questions in which the vectors' first was the
// keywords' first, one of their next, and none of them.
func taught(agreed, near, far int) *rag.Trust {
	t := &rag.Trust{}
	for first, n := range map[int]int{1: agreed, 3: near, 99: far} {
		for range n {
			t.Fuse([]int{1, 2, 3}, always(1), []int{first}, always(1))
		}
	}
	return t
}

func TestFuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		trust            *rag.Trust
		lexical, vectors []int
		confidence, gate float64
		want             []int
	}{
		{"closed_gate_changes_nothing", taught(50, 0, 5), []int{1, 2, 3}, []int{9, 3}, 0.5, 0, []int{1, 2, 3, 9}},
		{"no_vectors_change_nothing", taught(50, 0, 5), []int{1, 2, 3}, nil, 0.5, 1, []int{1, 2, 3}},
		{"vectors_alone", taught(0, 0, 0), nil, []int{5, 6}, 0, 1, []int{5, 6}},
		{"good_ones_choose_among_the_found", taught(45, 0, 5), []int{1, 2, 3}, []int{3}, 0.5, 1, []int{3, 1, 2}},
		{"good_ones_bring_what_is_missing", taught(45, 0, 5), []int{1, 2, 3}, []int{9}, 0.3, 1, []int{9, 1, 2, 3}},
		{"sure_keywords_stay", taught(45, 0, 5), []int{1, 2, 3}, []int{3, 9}, 0.95, 1, []int{1, 2, 3, 9}},
		{"wrong_ones_are_not_heard", taught(0, 5, 45), []int{1, 2, 3}, []int{3, 9}, 0.5, 1, []int{1, 2, 3, 9}},
		{"those_that_err_near_are_not_heard_there", taught(12, 30, 8), []int{1, 2, 3}, []int{3}, 0.7, 1, []int{1, 3, 2}},
		{"unknown_ones_come_behind", taught(0, 0, 0), []int{1, 2, 3}, []int{9}, 0.7, 1, []int{1, 2, 3, 9}},
	} {
		if got := c.trust.Fuse(c.lexical, always(c.confidence), c.vectors, always(c.gate)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestErrorsMoveAway: vectors that know a tenth, and else err among the keywords' next where these are
// sure, err farther away where they are less sure. That is no sign that they are right there.
func TestErrorsMoveAway(t *testing.T) {
	t.Parallel()
	ask := func(x *rag.Trust, agreed, near, far int) []int {
		for first, n := range map[int]int{1: agreed, 3: near, 99: far} {
			for range n {
				x.Fuse([]int{1, 2, 3}, always(0.86), []int{first}, always(1))
			}
		}
		return x.Fuse([]int{1, 2, 3}, always(0.86), []int{99}, always(1))
	}
	if got := ask(taught(23, 83, 97), 10, 40, 75); !slices.Equal(got, []int{1, 2, 3, 99}) {
		t.Errorf("as often in all as where keywords are sure: %v", got)
	}
	if got := ask(taught(120, 40, 40), 30, 25, 70); got[0] != 99 {
		t.Errorf("three times as often in all: %v", got)
	}
}

// TestTrustForgets: a model that was replaced behind the same name is judged by what it does now.
func TestTrustForgets(t *testing.T) {
	t.Parallel()
	x := taught(0, 0, 600)
	for range 2000 {
		x.Fuse([]int{1, 2, 3}, always(1), []int{1}, always(1))
	}
	if got := x.Fuse([]int{1, 2, 3}, always(0.5), []int{3}, always(1)); got[0] != 3 {
		t.Errorf("after 2000 questions that it answered right: %v", got)
	}
}

// TestFusedHoldsAll: nothing is lost or doubled, and the keywords' order stays among those that
// vectors do not name.
func TestFusedHoldsAll(t *testing.T) {
	t.Parallel()
	var x rag.Trust
	rapid.Check(t, func(t *rapid.T) {
		lexical := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 0, 40, rapid.ID[int]).Draw(t, "lexical")
		vectors := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 0, 40, rapid.ID[int]).Draw(t, "vectors")
		confidence, gate := rapid.Float64Range(0, 1).Draw(t, "confidence"), rapid.Float64Range(0, 1).Draw(t, "gate")
		got := x.Fuse(lexical, always(confidence), vectors, always(gate))
		want := slices.Compact(slices.Sorted(slices.Values(slices.Concat(lexical, vectors))))
		if !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Fatalf("%v of %v and %v", got, lexical, vectors)
		}
		named := func(k int) bool { return slices.Contains(vectors, k) }
		if rest := slices.DeleteFunc(slices.Clone(got), named); !slices.Equal(rest, slices.DeleteFunc(slices.Clone(lexical), named)) {
			t.Fatalf("%v of %v and %v", got, lexical, vectors)
		}
		if len(lexical) > 0 && confidence >= 0.9 && got[0] != lexical[0] {
			t.Fatalf("%v does not begin with the sure %d", got, lexical[0])
		}
	})
}

func TestTrustIsShared(t *testing.T) {
	t.Parallel()
	var x rag.Trust
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for i := range 200 {
				x.Fuse([]int{1, 2, 3}, always(float64(i%10)/10), []int{i % 5}, always(1))
			}
		})
	}
	done.Wait()
}
