package fit_test

import (
	"testing"

	"maru/phrase/fit"
)

func TestVisibleSelectors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"an_emoji_keeps_its_form":    {"❤️ ☎︎ 1️⃣ ✔️ ℹ️ 👩‍❤️‍👨", "❤️ ☎︎ 1️⃣ ✔️ ℹ️ 👩‍❤️‍👨"},
		"an_ideograph_keeps_its":     {"葛\U000e0100城", "葛\U000e0100城"},
		"bytes_behind_an_emoji":      {"❤️\ufe01\U000e0101", "❤️⟦U+FE01⟧⟦U+E0101⟧"},
		"bytes_behind_a_letter":      {"a\ufe0f가\ufe00", "a⟦U+FE0F⟧가⟦U+FE00⟧"},
		"a_grapheme_joiner":          {"a\u034fb", "a⟦U+034F⟧b"},
		"tags_and_marks_of_order":    {"a\U000e0041\u202e", "a⟦U+E0041⟧⟦U+202E⟧"},
		"a_selector_without_a_base":  {"\ufe0f", "⟦U+FE0F⟧"},
		"a_Mongolian_vowel_selector": {"ᠠ\u180b", "ᠠ\u180b"},
	} {
		if got := fit.Visible(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestLiteral(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"ordinary_words_stay":   {"Send Kim 3 * 4 snake_case, R&D 11:30~13:00 (today)!", "Send Kim 3 \\* 4 snake_case, R&D 11:30~13:00 (today)!"},
		"a_link":                {`[a](http://b "c")`, `\[a\](http://b "c")`},
		"an_address_with_marks": {"https://a.example/_x_?b=*", "<https://a.example/_x_?b=*>"},
		"blocks":                {"# a\n> b\n- c\n1. d\n===", "\\# a\n\\> b\n\\- c\n1\\. d\n\\==="},
		"an_indent":             {"    a", "\u00a0\u00a0\u00a0\u00a0a"},
		"entities":              {"&lt; &", "\\&lt; &"},
		"struck":                {"~~a~~", `\~\~a\~\~`},
	} {
		if got := fit.Literal(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	for name, tt := range map[string]struct{ text, in, want string }{
		"in_a_fence":     {"a\n```\n", "*b*\n```\nc", "*b*\n⟦U+0060⟧``\nc"},
		"behind_a_fence": {"```\na\n```\n", "*b*", `\*b\*`},
		"other_fence":    {"```\n~~~\n```\n", "*b*", `\*b\*`},
		"shorter_fence":  {"````\n```\n", "*b*", "*b*"},
		"no_span":        {"Don\\`t ", "*b*", `\*b\*`},
		"in_a_span":      {"run `", "rm * `x`", "rm * ⟦U+0060⟧x⟦U+0060⟧"},
		"in_words":       {"run ", "`x`", "\\`x\\`"},
	} {
		if got := fit.LiteralAfter(tt.text, tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
