package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"context"
)

// TestMyPageInABrowser opens a person's own page: it shows what is theirs, a
// decision made there counts, and a setting is changed there.
func TestMyPageInABrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "announce.json"), []byte(announcement), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test", "MARU_WORKFLOWS="+dir, "MARU_AGENT=announce")
	p.start()
	ctx := chromium(t)
	do := func(steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, steps...); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(wants ...string) {
		t.Helper()
		for _, want := range wants {
			// A page whose scripts have not run yet takes no click.
			expr := `document.readyState === "complete" && !!document.querySelector("#mine") && document.querySelector("#mine").innerText.includes(` + quoteJS(want) + `)`
			var seen bool
			for deadline := time.Now().Add(atMost); !seen && time.Now().Before(deadline); {
				seen, _ = chromedp.Run(ctx, chromedp.Evaluate[bool](expr)) // a page that is just loading answers nothing
			}
			if !seen {
				text, _ := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("#mine"))) // for the report alone
				t.Fatalf("my page does not show %q: %s", want, text)
			}
		}
	}
	click := func(sel string) { t.Helper(); do(chromedp.Click(chromedp.CSS(sel), chromedp.NodeVisible)) }
	me := "http://" + p.addr + "/me"

	do(chromedp.Navigate(me))
	shows("What Maru does", "Nothing is waiting", "My settings", "None yet")
	p.tell("t1", "lunch at noon")
	do(chromedp.Navigate("http://"+p.addr+"/t/t1"), chromedp.WaitVisible(chromedp.CSS(`[data-verb="accept"]`)))
	do(chromedp.Navigate(me))
	shows("Announce this?", "lunch at noon", "Answer language: The language each person writes in")
	picture(t, ctx, "mine")
	looks := func(name, scheme string, width int64) {
		do(chromedp.EmulateViewport(width, 860), chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
			_, err := cdp.Call(ctx, tg, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			})
			return err
		}))
		picture(t, ctx, name)
		if wide, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.querySelector("#mine").scrollWidth > innerWidth`)); err != nil || wide {
			t.Errorf("%s: the page is wider than the window (%v)", name, err)
		}
	}
	looks("mine-dark", "dark", 1280)
	looks("mine-phone", "light", 390)
	looks("mine-wide", "light", 1280)

	click(`.part.waits [data-verb="accept"]`)
	shows("Nothing is waiting")
	p.hears("t1", 2, "Announced: lunch at noon")
	click(`[data-action="settings"]`)
	do(chromedp.WaitVisible(chromedp.CSS(`#ask select[name="language"]`)))
	picture(t, ctx, "mine-form")
	do(chromedp.SetValue(chromedp.CSS(`#ask select[name="language"]`), "ko"))
	do(chromedp.SetValue(chromedp.CSS(`#ask input[name="quiet_hours"]`), "late"))
	click("#ask button[type=submit]")
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](`document.querySelector("#ask .problem[data-for=quiet_hours]").textContent.includes("22:00-08:00")`)); err != nil {
		t.Fatal("nothing is said about the bad hours:", err)
	}
	do(chromedp.SetValue(chromedp.CSS(`#ask input[name="quiet_hours"]`), "22:00-08:00"))
	click("#ask button[type=submit]")
	shows("내 설정", "답변 언어: 한국어 (나)", "22:00-08:00 (나)", "최근 실행", "lunch at noon")
	picture(t, ctx, "mine-korean")
}

// quoteJS makes a string of a script.
func quoteJS(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }
