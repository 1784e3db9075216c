//go:build !race

package web_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"maru/adapters/web"
	"maru/bot"
)

// another opens one more page of the same person.
func (b tab) another() tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	return tab{b.t, ctx}
}

// conditions is the command that newer libraries have under two other names, which not
// every Chromium knows.
var conditions = cdp.Command[network.OverrideNetworkStateParams, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// offline takes the network away from a page, or gives it back.
func (b tab) offline(gone bool) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, conditions, network.OverrideNetworkStateParams{Offline: gone, DownloadThroughput: -1, UploadThroughput: -1})
		return err
	}))
}

// TestBrowserTabsAgree: what is said, decided or ended in one page is seen in another of
// the same conversation, and in one that was without a network meanwhile.
func TestBrowserTabsAgree(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *web.Config) { c.Login = "a long password" })
	plan := bot.Card{Kind: bot.CardPlan, Title: "Trip", Text: "Shall I go?", Run: "r1", Buttons: []bot.Button{{ID: "a1", Verb: "accept", Label: "Approve"}}}
	c.bot.onAction = func(a bot.Action) (bot.Answer, error) {
		done := plan
		done.Buttons, done.Final = nil, true
		_, err := c.adapter.Edit(context.Background(), bot.Ref{Thread: a.Thread, Messages: []string{a.Message}}, done)
		return bot.Answer{Card: &bot.Card{Text: "approved"}}, err
	}
	one := browser(t)
	one.open(c.URL + "/login?next=/t/t1")
	one.write("[name=password]", "a long password"+kb.Enter)
	one.wait("#text")
	two := one.another()
	two.open(c.URL + "/t/t1")
	one.write("#text", "hello"+kb.Enter)
	for _, b := range []tab{one, two} {
		b.until(`document.querySelectorAll(".line.bot[data-final]").length === 1`)
	}
	post(t, c, "t1", "plan", plan)
	for _, b := range []tab{one, two} {
		b.wait(`[data-verb="accept"]`)
		b.until(`document.querySelector("#live").textContent.includes("Shall I go?") && document.querySelector("#live").textContent.includes("waiting")`)
	}
	two.click(`[data-verb="accept"]`)
	for _, b := range []tab{one, two} {
		b.wait(".line.plan[data-final]")
		b.until(`!document.querySelector("[data-action]") && !document.title.startsWith("●")`)
	}

	two.offline(true)
	c.CloseClientConnections()
	two.see("#lost")
	two.write("#text", "while away"+kb.Enter)
	two.until(`document.querySelector("#text").value === "while away" && document.activeElement.id === "text"`)
	one.write("#text", "meanwhile"+kb.Enter)
	one.until(`document.querySelectorAll(".line.person").length === 2`)
	two.offline(false)
	two.until(`document.querySelectorAll(".line.person").length === 2`)
	two.unseen("#lost")
	two.key(kb.Enter)
	one.until(`document.querySelectorAll(".line.bot[data-final]").length === 4`)

	one.click(`form[action="/logout"] button`)
	one.wait("[name=password]")
	two.see("#signin")
	post(t, c, "t1", "later", bot.Card{Kind: bot.CardText, Text: "not for whoever sits there now", Final: true})
	two.key(kb.Escape) // the words on the page can be read and copied
	two.unseen("#signin")
	if n := js[int](two, `document.querySelectorAll(".line.bot").length`); n != 4 {
		t.Errorf("a page whose person has signed out is told more: %d answers", n)
	}
}
