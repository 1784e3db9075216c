//go:build !race

package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"maru/adapters/web/site"
	"maru/bot"
)

// someFound returns a passage that words and vectors found, and one that only vectors did.
func someFound() []site.Probed {
	return []site.Probed{
		{Chunk: "d1#3", Title: "Rules", Heading: "Leave", Text: "Everybody has 15 days of leave.", Scope: bot.ScopePublic, Page: 4, Rank: 1, Sure: .91, KeywordScore: 6.6, KeywordRank: 2},
		{Chunk: "d2#0", Title: "Holidays", Text: "The office is closed on public holidays.", Scope: "channel:slack/T1/C1", Rank: 2, Sure: .31, Below: true},
	}
}

func TestBrowserManyDocuments(t *testing.T) {
	t.Parallel()
	s := &staffed{library: manyDocuments(10_000), found: someFound()}
	c := startStaffed(t, s)
	b := browser(t)
	problems := complaints(t, b)
	b.open(c.URL + "/documents")
	b.see("#library .documents li")
	if n := js[int](b, `document.querySelectorAll("#library .documents li").length`); n != 100 {
		t.Errorf("a page has %d documents", n)
	}
	t.Logf("10,000 documents: the page was there after %.0f ms", js[float64](b, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`))
	b.click(".pager a[rel=next]")
	b.until(`document.querySelector(".documents b").textContent === "Rule 100"`)

	t.Run("search_and_filter", func(t *testing.T) {
		b.write("[name=q]", "rule 77")
		b.do(chromedp.SetValue(chromedp.CSS("#library select[name=scope]"), "channel:slack/T1/C1"))
		b.write("[name=tag]", "#travel")
		b.click("#library [role=search] [type=submit]")
		b.until(`location.search.includes("tag=") && [...document.querySelectorAll(".documents li")].every((d) => d.textContent.includes("#travel") && d.querySelector("[value$='@channel:slack/T1/C1']"))`)
	})
	t.Run("several_get_other_readers", func(t *testing.T) {
		b.open(c.URL + "/documents")
		b.click(`[value="doc0@public"]`)
		b.click(`[value="doc1@channel:slack/T1/C1"]`)
		b.do(chromedp.SetValue(chromedp.CSS("select[name=to]"), "channel:web/local/home"))
		b.click("[value=move]")
		b.until(`location.search === "?moved=2"`)
		b.until(`document.querySelector("[data-document=doc0] .tag").textContent === "Only here"`)
	})
	t.Run("none_is_chosen", func(t *testing.T) {
		b.click(".several .sure summary")
		b.click("[value=remove]")
		b.until(`location.search === "?none=1" && document.querySelector(".problem").textContent.includes("at least one")`)
		b.open(c.URL + "/documents")
	})
	t.Run("public_ones_can_be_removed", func(t *testing.T) {
		b.click(`[value="doc3@public"]`)
		b.click(".sure summary")
		b.click("[value=remove]")
		b.until(`location.search === "?removed=1" && !document.querySelector("[data-document=doc3]")`)
	})
	t.Run("search_test", func(t *testing.T) {
		b.click(`#library a[href="/search"]`)
		b.write("[name=q]", "leave")
		b.click(".filters [type=submit]")
		b.see(".probed")
		if got := get(b, chromedp.Text(chromedp.CSS(".probed li:first-child .scores"))); !strings.Contains(got, "#1 · 91%") || !strings.Contains(got, "#2 · 6.60") {
			t.Errorf("scores are %q", got)
		}
		b.click(".probed li:first-child summary")
		b.see(".probed .pre")
	})
	if p := problems(); len(p) > 0 {
		t.Errorf("the browser complained: %q", p)
	}
}
