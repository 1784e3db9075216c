//go:build !race

package web_test

import (
	"fmt"
	"testing"

	"maru/bot"
)

// TestBrowserMarksWhatWasSaid opens the same passage from several places of an answer:
// of its sentences that one is marked which the answer took there.
func TestBrowserMarksWhatWasSaid(t *testing.T) {
	t.Parallel()
	c := start(t)
	b := browser(t)
	const (
		first = "1년 동안 80% 이상 출근한 직원은 연차 15일을 받습니다."
		then  = "입사 첫해에는 한 달을 개근할 때마다 하루씩 생기고,"
		last  = "더해져 25일까지 늘어납니다."
		whole = first + " 입사 첫해에는 한 달을 개근할 때마다 하루씩 생기고, 3년째부터 2년마다 하루가 더해져 25일까지 늘어납니다."
	)
	text := "> " + first + " [1]\n\n" +
		"1년 동안 **80%** 이상 출근한 직원은 `연차 15일`을 받습니다. 더 자세한 것은 인사팀에 물어보세요. [1]\n\n" +
		"- 입사 첫해에는 한 달을 개근할 때마다 하루씩 생기고 … 더해져 25일까지 늘어납니다 [1] [2]\n\n" +
		"연차는 보름이에요. [1]\n\n" +
		"1년 동안 80% 이상 출근한 직원은 연차 15일을 받습니다. [1] 연차는 보름이에요. [1]"
	source := bot.Source{N: 1, Title: "마루 안내서", Chunk: "h#12"}
	other := source
	other.N = 2
	ref := post(t, c, "t1", "said", bot.Card{Kind: bot.CardText, Text: text, Final: true, Sources: []bot.Source{source, other}})
	b.open(c.URL + "/t/t1")
	b.until(`document.querySelectorAll(".md .cite").length === 7`)
	for n, want := range [][]string{
		{first},      // word for word
		{first},      // beside a sentence of the answer's own
		{then, last}, // shortened
		{then, last}, // and so is the number beside it
		nil,          // in other words: the whole passage
		{first},      // of two in a line each is of what precedes it
		nil,
	} {
		js[bool](b, fmt.Sprintf(`(document.querySelectorAll("#l-%s .md .cite")[%d].click(), true)`, ref.Messages[0], n))
		b.until(`!document.querySelector("#panel").hidden && Boolean(document.querySelector("#panel #hit"))`)
		got := js[[]string](b, `[...document.querySelectorAll("#panel mark.said")].map((m) => m.textContent)`)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("number %d marks %q, want %q", n, got, want)
		}
		if got := js[string](b, `document.querySelector("#hit").textContent`); got != whole {
			t.Errorf("number %d shows %q", n, got)
		}
		js[bool](b, `(document.querySelector("[data-panel]").click(), true)`)
	}
}
