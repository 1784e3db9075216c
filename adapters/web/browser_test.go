//go:build !race

package web_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// tab is a page in a real Chromium. Its steps fail the test.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// chromium is the one browser of all tests; each has a profile of its own in it.
var chromium struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
	none string // why there is no browser
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	os.Exit(code)
}

// startChromium starts the browser, if there is one.
func startChromium() {
	path := os.Getenv("MARU_TEST_CHROMIUM")
	for _, name := range []string{"/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		chromium.none = "no Chromium: install it or set MARU_TEST_CHROMIUM to its path"
		return
	}
	// The browser itself crashes at a start now and then: what is tested here has not begun yet.
	for range 3 {
		if chromium.err = launchChromium(path); chromium.err == nil {
			return
		}
	}
}

// launchChromium starts a browser; chromium.stop ends it.
func launchChromium(path string) error {
	dir, err := os.MkdirTemp("", "maru-chromium")
	if err != nil {
		return err
	}
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless,
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-extensions", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.WindowSize(1280, 860),
	)
	ctx, cancel := chromedp.NewContext(alloc)
	stop := func() {
		_ = chromedp.Cancel(ctx) // waits for the process
		cancel()
		cancelAlloc()
		_ = os.RemoveAll(dir)
	}
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return err
	}
	chromium.ctx, chromium.stop = ctx, stop
	return nil
}

// browser opens a page in a profile of its own, or skips the test where there is
// no Chromium.
func browser(t *testing.T) tab {
	t.Helper()
	if testing.Short() {
		t.Skip("with a browser: what it asks of the server, others ask under the race detector too")
	}
	chromium.once.Do(startChromium)
	switch {
	case chromium.none != "" && os.Getenv("MARU_TEST_REQUIRE") == "1":
		t.Fatal(chromium.none)
	case chromium.none != "":
		t.Skip(chromium.none)
	case chromium.err != nil:
		t.Fatal(chromium.err)
	}
	ctx, cancel := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext())
	limit := 20 * time.Minute // bounds a test that hangs: the longest takes 30 s alone, and twelve times as long on a busy machine
	if os.Getenv("MARU_TEST_LONG") == "1" {
		limit = time.Hour // axe-core on every page, in every language and window
	}
	ctx, cancelTime := context.WithTimeout(ctx, limit)
	t.Cleanup(func() {
		cancelTime()
		cancel()
	})
	return tab{t, ctx}
}

// korean makes the page Korean, as a person does.
func (b tab) korean() {
	b.t.Helper()
	b.click("[name=lang][value=ko]")
	b.wait("html[lang=ko]")
}

// replaced reports whether an action was for a page that another has just taken the
// place of: the library finds an element, or a page, and uses it in two calls. It is
// to be taken again: what it did is gone with the page.
func replaced(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "Could not find node with given id") ||
		strings.Contains(err.Error(), "Cannot find context with specified id") ||
		strings.Contains(err.Error(), "Execution context was destroyed") ||
		strings.Contains(err.Error(), "No node with given id found") ||
		strings.Contains(err.Error(), "Inspected target navigated"))
}

func (b tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		err := chromedp.Do(b.ctx, step)
		for replaced(err) {
			err = chromedp.Do(b.ctx, step)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b tab) open(url string) { b.t.Helper(); b.do(chromedp.Navigate(url)) }

// click waits for the page's scripts, which a page that has just been loaded again by
// them may not have run yet.
func (b tab) click(sel string) {
	b.t.Helper()
	b.until(`document.readyState === "complete"`)
	b.do(chromedp.Click(chromedp.CSS(sel), chromedp.NodeVisible))
}
func (b tab) wait(sel string)     { b.t.Helper(); b.do(chromedp.WaitReady(chromedp.CSS(sel))) }
func (b tab) see(sel string)      { b.t.Helper(); b.do(chromedp.WaitVisible(chromedp.CSS(sel))) }
func (b tab) unseen(sel string)   { b.t.Helper(); b.do(chromedp.WaitNotVisible(chromedp.CSS(sel))) }
func (b tab) key(k string)        { b.t.Helper(); b.do(chromedp.KeyEvent(k)) }
func (b tab) write(sel, s string) { b.t.Helper(); b.do(chromedp.SendKeys(chromedp.CSS(sel), s)) }

// get runs an action that returns something.
func get[T any](b tab, a chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, a)
	for replaced(err) {
		v, err = chromedp.Run(b.ctx, a)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// js evaluates an expression.
func js[T any](b tab, expr string) T { b.t.Helper(); return get(b, chromedp.Evaluate[T](expr)) }

// hung bounds the wait for one thing: a page that a busy machine delays is there long before.
const hung = 5 * time.Minute

// until waits for an expression to become true. It may fail meanwhile: a page that is being loaded
// has not what it asks for.
func (b tab) until(expr string) {
	b.t.Helper()
	wait := chromedp.Poll[bool]("(() => { try { return "+expr+"; } catch { return false; } })()", chromedp.WithPollingTimeout(hung))
	_, err := chromedp.Run(b.ctx, wait)
	for replaced(err) {
		_, err = chromedp.Run(b.ctx, wait)
	}
	if err != nil {
		at := js[string](b, `document.activeElement.outerHTML.slice(0, 300) + "; open: " + [...document.querySelectorAll("dialog[open]")].map((d) => d.id) + "; " + document.visibilityState + ", focus: " + document.hasFocus() + "; shown: " + document.body.innerText.replaceAll("\n", " | ").slice(0, 2000)`)
		b.t.Fatalf("%s: %v; the keyboard stands on %s", expr, err, at)
	}
}

// scheme makes the system light or dark.
func (b tab) scheme(v string) { b.t.Helper(); b.media("", v, "none") }

// media makes the page one that is shown or printed, by a system that is light or dark
// or has colours of its own.
func (b tab) media(kind, scheme, forced string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "forced-colors", Value: forced}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	}))
}

// decide answers every dialog of the browser's own, and tells of each.
func (b tab) decide(accept bool) (asked <-chan struct{}) {
	b.t.Helper()
	told := make(chan struct{}, 8)
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return chromedp.Listen(b.ctx, func(ev any) {
			if _, ok := ev.(*page.EventJavascriptDialogOpening); ok {
				go func() {
					_, _ = cdp.Call(ctx, t, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept})
					told <- struct{}{}
				}()
			}
		})
	}))
	return told
}

// picture saves what the browser shows when MARU_TEST_PICTURES names a folder.
func (b tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("MARU_TEST_PICTURES")
	if dir == "" {
		return
	}
	png := get(b, chromedp.CaptureScreenshot())
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
