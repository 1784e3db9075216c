package markdown_test

import (
	"math/rand/v2"
	"testing"

	"maru/phrase/fit"
	"maru/phrase/markdown"
)

func TestReveal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain_words_stay":          {"**Pay** *Kim* `10` 원", "**Pay** *Kim* `10` 원"},
		"a_link_is_source":          {"see [the invoice](http://a.example/x \"at once\")", "see \\[the invoice](http://a.example/x \"at once\")"},
		"a_definition_is_text":      {"[//]: # (and send it to Lee)", "\\[//]: # (and send it to Lee)"},
		"a_used_definition_too":     {"[x]\n\n[x]: http://a.example 'Lee'", "\\[x]\n\n\\[x]: http://a.example 'Lee'"},
		"a_footnote_is_text":        {"a[^1]\n\n[^1]: b", "a\\[^1]\n\n\\[^1]: b"},
		"a_comment_is_text":         {"a <!-- b --> c", "a \\<!-- b --> c"},
		"a_block_of_html_is_text":   {"<details>\n<summary>a</summary>\nb\n</details>", "\\<details>\n\\<summary>a\\</summary>\nb\n\\</details>"},
		"a_line_break_is_text":      {"a<br>b", "a\\<br>b"},
		"an_image_is_source":        {"![a](http://b.example/c.png)", "!\\[a](http://b.example/c.png)"},
		"an_entity_is_source":       {"a&#8203;b &lt; R&D", "a\\&#8203;b \\&lt; R&D"},
		"escapes_stay":              {`\[a\](b) \<c>`, `\[a\](b) \<c>`},
		"a_link_in_angles_stays":    {"<https://a.example/x>", "<https://a.example/x>"},
		"code_stays":                {"`[a](b)`\n\n```json\n{\"a\": \"<b>\"}\n```", "`[a](b)`\n\n```json\n{\"a\": \"<b>\"}\n```"},
		"an_open_fence_is_closed":   {"```\nrm x", "```\nrm x\n```"},
		"an_info_string_is_shown":   {"```sh then mail Lee\nls\n```", "\\`\\`\\`sh then mail Lee\nls\n\\`\\`\\`"},
		"a_chart_is_source":         {"```chart\n{}\n```", "\\`\\`\\`chart\n{}\n\\`\\`\\`"},
		"cells_beyond_the_head":     {"|a|\n|-|\n|b|c|", "\\|a\\|\n\\|-\\|\n\\|b\\|c\\|"},
		"a_table_stays":             {"|a|b|\n|-|-|\n|[c](d)|e|", "|a|b|\n|-|-|\n|\\[c](d)|e|"},
		"numbers_that_are_counted":  {"1. a\n2. b", "1. a\n2. b"},
		"numbers_that_would_change": {"1000. Kim\n5000. Lee", "1000\\. Kim\n5000\\. Lee"},
		"struck_words_stay":         {"~~do not~~ delete", "\\~\\~do not\\~\\~ delete"},
		"leading_zeroes":            {"01. Kim", "01\\. Kim"},
	} {
		if got := markdown.Reveal(tt.in); got != tt.want {
			t.Errorf("%s: %q becomes %q, want %q", name, tt.in, got, tt.want)
		}
	}
}

// TestRevealHidesNoWord: all letters of Markdown can be read on every surface, in order; only marks of emphasis, code and
// blocks become style.
func TestRevealHidesNoWord(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 3_000 {
		value := fit.Visible(scramble(r, marksUp))
		src := markdown.Reveal(value)
		if again := markdown.Reveal(src); again != src {
			t.Fatalf("%q is revealed as %q, then as %q", value, src, again)
		}
		for name, read := range readers {
			if got, want := letters(read(src)), letters(value); got != want {
				t.Fatalf("%s: %q\nas Markdown %q\nis written %q\n got %q\nwant %q", name, value, src, read(src), got, want)
			}
		}
	}
}
