package rag_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"maru/rag"
)

func TestCitations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer, want string
		cited        []int
		dropped      int
	}{
		{"연차는 15일입니다 [1].", "연차는 15일입니다 [1].", []int{1}, 0},
		{"하나 [2][1] 둘 [2]", "하나 [2][1] 둘 [2]", []int{2, 1}, 0},
		{"꾸며낸 말 [7].", "꾸며낸 말.", nil, 1},
		{"섞인 말 [1, 9, 3-4].", "섞인 말 [1][3].", []int{1, 3}, 2},
		{"넓은 【2】 괄호", "넓은 【2】 괄호", []int{2}, 0},
		{"see [9](http://x) and `a[9]` and [2019-2024] and [x]", "see [9](http://x) and `a[9]` and [2019-2024] and [x]", nil, 0},
		{"[0] and [00002]", " and [00002]", nil, 1},
		{"", "", nil, 0},
	} {
		got, dropped := rag.DropInvented(c.answer, 3)
		if got != c.want || dropped != c.dropped {
			t.Errorf("%q became %q with %d dropped, want %q with %d", c.answer, got, dropped, c.want, c.dropped)
		}
		if cited, invented := rag.Cited(c.answer, 3); !slices.Equal(cited, c.cited) || invented != c.dropped {
			t.Errorf("%q cites %v and invents %d, want %v and %d", c.answer, cited, invented, c.cited, c.dropped)
		}
	}
}

// TestNothingToCite has answers that no passage is behind: a citation there is made up,
// a list, an index, code and a number that the answer explains itself are not.
func TestNothingToCite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ answer, want string }{
		{"연차는 15일이에요. [1]", "연차는 15일이에요."},
		{"연차는 15일이에요 [1].", "연차는 15일이에요."},
		{"연차는 15일이에요[1][2].", "연차는 15일이에요."},
		{"You get 15 days [1]. Ask HR [2]", "You get 15 days. Ask HR"},
		{"You get 15 days. [1, 2]", "You get 15 days."},
		{"```go\nx := a[1]\n```\n끝 [1]", "```go\nx := a[1]\n```\n끝"},
		{"정렬하면 [1, 2, 3]이 돼요.", "정렬하면 [1, 2, 3]이 돼요."},
		{"The sorted list is [1, 2, 3].", "The sorted list is [1, 2, 3]."},
		{"nums[1] is the second, nums[0] the first.", "nums[1] is the second, nums[0] the first."},
		{"The result is [3].", "The result is [3]."},
		{"x = [1]", "x = [1]"},
		{"결과는 [3]", "결과는 [3]"},
		{"`a` 다음 `b[1]` 그리고 a[1]", "`a` 다음 `b[1]` 그리고 a[1]"},
		{"HTTP [404]", "HTTP [404]"},
		{"Go began in 2009 [1].\n\n[1] https://go.dev", "Go began in 2009 [1].\n\n[1] https://go.dev"},
		{"see [1](https://go.dev).", "see [1](https://go.dev)."},
	} {
		if got, _ := rag.DropInvented(c.answer, 0); got != c.want {
			t.Errorf("%q became %q, want %q", c.answer, got, c.want)
		}
	}
}

// TestCodeCitesNothing has brackets in code of every notation.
func TestCodeCitesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer string
		cited  []int
	}{
		{"``a[1] ` b[2]`` [3]", []int{3}},
		{"~~~\na[1]\n~~~\n끝 [2]", []int{2}},
		{"````\n```\na[1]\n```\n````\n끝 [2]", []int{2}},
		{"- ```\n  a[1]\n  ```\n- 끝 [2]", []int{2}},
		{"it's a ` sign [1]\n다음 줄 [2]", []int{2}},
		{"```\na[1]", nil},
		{"```a[1]``` is a value [2]", []int{2}},
		{"a ` sign\n\nand [1] ` one more", []int{1}},
		{"a[1]과 my_list[2]는 값이다 [3]", []int{3}},
	} {
		if got, _ := rag.Cited(c.answer, 3); !slices.Equal(got, c.cited) {
			t.Errorf("%q cites %v, want %v", c.answer, got, c.cited)
		}
	}
}

// TestRenumbered counts sources as their reader meets them.
func TestRenumbered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer, want string
		old          []int
	}{
		{"연차는 15일 [3].", "연차는 15일 [1].", []int{3}},
		{"하나 [2]. 둘 [1]. 다시 [2].", "하나 [1]. 둘 [2]. 다시 [1].", []int{2, 1}},
		{"하나 [1], 둘 [2, 3].", "하나 [1], 둘 [2, 3].", []int{1, 2, 3}},
		{"하나 [2-4]", "하나 [1][2][3]", []int{2, 3, 4}},
		{"하나 【4】 `a[2]`", "하나 [1] `a[2]`", []int{4}},
		{"인용이 없다", "인용이 없다", nil},
	} {
		got, old := rag.Renumber(c.answer, 4)
		if got != c.want || !slices.Equal(old, c.old) {
			t.Errorf("%q became %q of %v, want %q of %v", c.answer, got, old, c.want, c.old)
		}
	}
}

// TestRenumberedInOrder holds that numbers count up without a gap, whatever an answer cites, and
// that counting again changes nothing.
func TestRenumberedInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"연차 ", "[1]", " [2]", "[3, 1]", " [2-3]", "`a[2]`", "```\n", "\n\n", "[9]", "`", ". "}), 0, 30).Draw(t, "parts")
		answer, _ := rag.DropInvented(strings.Join(parts, ""), 3)
		text, old := rag.Renumber(answer, 3)
		cited, invented := rag.Cited(text, 3)
		before, _ := rag.Cited(answer, 3)
		if invented != 0 || !slices.Equal(old, before) {
			t.Fatalf("%q became %q: %v of %v, %d invented", answer, text, old, before, invented)
		}
		for i, n := range cited {
			if n != i+1 {
				t.Fatalf("%q became %q, cites %v", answer, text, cited)
			}
		}
		if again, _ := rag.Renumber(text, 3); again != text {
			t.Fatalf("%q, counted again %q", text, again)
		}
	})
}

func TestNumberedPassages(t *testing.T) {
	t.Parallel()
	hits := []rag.Hit{
		{Document: rag.Document{Title: "휴가 규정", Source: "leave.md"}, Chunk: rag.Chunk{Text: "15일", Page: 3, Heading: []string{"휴가 규정", "연차"}}},
		{Document: rag.Document{Source: "notes.txt"}, Chunk: rag.Chunk{Text: "메모"}},
	}
	want := "[1] 휴가 규정, p. 3 › 연차\n15일\n\n[2] notes.txt\n메모"
	if got := rag.Number(hits); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
