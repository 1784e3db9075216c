package rag_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"maru/rag"
)

// e5 is a distribution of cosines such as multilingual-e5 gives: all of them are high.
var e5 = rag.Cosines{Mean: 0.785, Deviation: 0.034, N: 116}

// taught returns a blend that has seen sure questions: in some the nearest passage was theirs, in
// others another one.
func taught(agreed, other int) *rag.Blend {
	b := &rag.Blend{}
	for i := range agreed + other {
		right := rag.Judged{Score: 9, Confidence: 1, Cosine: 0.88, Near: i < agreed}
		b.Fuse([]rag.Judged{right, {Score: 1, Confidence: 0.1, Cosine: 0.86, Near: i >= agreed}}, e5, true)
	}
	return b
}

func words(scores ...float64) (list []rag.Judged) {
	for _, s := range scores {
		list = append(list, rag.Judged{Score: s, Confidence: s / 10})
	}
	return list
}

func near(list []rag.Judged, at int, cosine float64) []rag.Judged {
	for len(list) <= at {
		list = append(list, rag.Judged{})
	}
	list[at].Near, list[at].Cosine = true, cosine
	return list
}

func TestBlend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		blend *rag.Blend
		list  []rag.Judged
		in    rag.Cosines
		want  []int
	}{
		"no_vectors_change_nothing":        {taught(50, 5), words(5, 4, 3), e5, []int{0, 1, 2}},
		"too_few_passages_to_compare":      {taught(50, 5), near(words(5, 4), 1, 0.9), rag.Cosines{Mean: 0.8, N: 2}, []int{0, 1}},
		"nothing_is_nearer_than_the_mean":  {taught(50, 5), near(words(5, 4), 1, 0.7), e5, []int{0, 1}},
		"vectors_alone":                    {taught(50, 5), near(near(nil, 0, 0.84), 1, 0.86), e5, []int{1, 0}},
		"good_ones_choose_among_the_found": {taught(50, 5), near(words(5, 4.5, 4), 2, 0.87), e5, []int{2, 0, 1}},
		"good_ones_bring_what_is_missing":  {taught(50, 5), near(words(3, 2), 2, 0.87), e5, []int{2, 0, 1}},
		"sure_keywords_stay":               {taught(50, 5), near(words(9.5, 2), 2, 0.87), e5, []int{0, 2, 1}},
		"wrong_ones_are_hardly_heard":      {taught(0, 50), near(words(5, 4), 2, 0.87), e5, []int{0, 1, 2}},
	} {
		if got, _ := c.blend.Fuse(c.list, c.in, false); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestBlendIsSureByTheModelsOwnScale: a cosine like those of right passages answers without a shared
// word, one like any passage's does not; a model that never agrees makes nothing sure.
func TestBlendIsSureByTheModelsOwnScale(t *testing.T) {
	t.Parallel()
	confidence := func(b *rag.Blend, cosine float64) float64 {
		_, got := b.Fuse(near(near(nil, 0, cosine), 1, cosine-0.01), e5, false)
		return got[0]
	}
	good, bad := taught(50, 5), taught(0, 100)
	for _, c := range []struct {
		blend      *rag.Blend
		cosine     float64
		from, upTo float64
	}{
		{good, 0.88, 0.9, 1}, {good, 0.84, 0.4, 0.8}, {good, 0.80, 0, 0.3}, {&rag.Blend{}, 0.885, 0.35, 0.5}, {bad, 0.88, 0, 0.15},
	} {
		if got := confidence(c.blend, c.cosine); got < c.from || got > c.upTo {
			t.Errorf("cosine %v: confidence %.2f, want %v to %v", c.cosine, got, c.from, c.upTo)
		}
	}
}

// TestBlendForgets: a model that was replaced behind the same name is judged by what it does now.
func TestBlendForgets(t *testing.T) {
	t.Parallel()
	b := taught(3000, 0)
	for range 3000 {
		b.Fuse(near(words(10, 1), 1, 0.86), e5, true)
	}
	list := near(near(nil, 0, 0.85), 1, 0.84)
	if _, got := b.Fuse(list, e5, false); got[0] > 0.1 || b.Lessons() > 501 {
		t.Errorf("confidence %v after %v lessons", got, b.Lessons())
	}
}

// TestBlendIsStored: what was learned survives as JSON, and what cannot be is refused.
func TestBlendIsStored(t *testing.T) {
	t.Parallel()
	before := taught(20, 5)
	raw, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	var after rag.Blend
	if err := json.Unmarshal(raw, &after); err != nil {
		t.Fatal(err)
	}
	list := near(near(words(5, 4), 2, 0.85), 3, 0.83)
	one, sure := before.Fuse(list, e5, false)
	two, again := after.Fuse(list, e5, false)
	if !slices.Equal(one, two) || !slices.Equal(sure, again) || after.Lessons() != 25 {
		t.Errorf("%v %v after %s, before %v %v", two, again, raw, one, sure)
	}
	for _, wrong := range []string{`{"sure":1,"agreed":5}`, `{"sure":-1}`, `{"sure":1e9}`, `{"sure":2,"agreed":1,"right":7}`, `[]`} {
		if json.Unmarshal([]byte(wrong), &after) == nil || after.Lessons() != 25 {
			t.Errorf("took %s", wrong)
		}
	}
}

// TestBlendProperties: every passage comes out once, its confidence is one and not below what keywords
// gave it, and a question that may not teach changes nothing.
func TestBlendProperties(t *testing.T) {
	t.Parallel()
	unit := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rag.Judged {
			return rag.Judged{Score: rapid.SampledFrom([]float64{0, 1, 5}).Draw(t, "score"), Confidence: unit.Draw(t, "confidence"), Cosine: rapid.Float64Range(-1, 1).Draw(t, "cosine"), Near: rapid.Bool().Draw(t, "near")}
		}), 0, 12).Draw(t, "list")
		c := rag.Cosines{Mean: rapid.Float64Range(-1, 1).Draw(t, "mean"), Deviation: unit.Draw(t, "deviation"), N: rapid.IntRange(0, 200).Draw(t, "n")}
		b := taught(rapid.IntRange(0, 9).Draw(t, "agreed"), rapid.IntRange(0, 9).Draw(t, "other"))
		before := b.Lessons()
		order, confidence := b.Fuse(list, c, false)
		if sorted := slices.Sorted(slices.Values(order)); len(sorted) != len(list) || len(slices.Compact(sorted)) != len(list) {
			t.Fatalf("order %v of %d", order, len(list))
		}
		for i, j := range list {
			if confidence[i] < j.Confidence-1e-9 || confidence[i] > 1 {
				t.Fatalf("confidence %v, by keywords %v", confidence[i], j.Confidence)
			}
		}
		if b.Lessons() != before {
			t.Fatal("it learned")
		}
	})
}

func TestBlendIsShared(t *testing.T) {
	t.Parallel()
	var b rag.Blend
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				b.Fuse(near(words(10), 0, 0.88), e5, true)
			}
		})
	}
	all.Wait()
	if n := b.Lessons(); n < 490 {
		t.Errorf("%v lessons", n)
	}
}
