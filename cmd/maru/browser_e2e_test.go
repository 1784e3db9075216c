package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// chromium returns a page in a real browser, or skips the test.
func chromium(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("with a browser: as in adapters/web")
	}
	path := os.Getenv("MARU_TEST_CHROMIUM")
	if path == "" {
		path, _ = exec.LookPath("chromium") // "" if there is none
	}
	if path == "" {
		if os.Getenv("MARU_TEST_REQUIRE") == "1" {
			t.Fatal("no Chromium: install it or set MARU_TEST_CHROMIUM")
		}
		t.Skip("no Chromium: install it or set MARU_TEST_CHROMIUM")
	}
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless,
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
	)
	ctx, cancel := chromedp.NewContext(alloc)
	ctx, cancelTime := context.WithTimeout(ctx, atMost)
	t.Cleanup(func() {
		cancelTime()
		_ = chromedp.Cancel(ctx) // waits for the process
		cancel()
		cancelAlloc()
	})
	return ctx
}

// TestNewcomerInABrowser asks, reads the answer as it comes, opens its source,
// uploads a file and asks about it, as a person at the console does.
func TestNewcomerInABrowser(t *testing.T) {
	t.Parallel()
	p := newProgram(t, defaults...)
	p.start()
	ctx := chromium(t)
	do := func(steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, steps...); err != nil {
			t.Fatal(err)
		}
	}
	read := func(selector string) string {
		t.Helper()
		text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS(selector)))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	ask := func(question string) {
		t.Helper()
		do(chromedp.SendKeys(chromedp.CSS("#text"), question), chromedp.Click(chromedp.CSS("#send"), chromedp.NodeVisible))
	}
	do(chromedp.Navigate("http://" + p.addr + "/"))
	ask("How many days of annual leave do I have?")
	do(chromedp.WaitReady(chromedp.CSS(".line.bot[data-final]")))
	if answer := read(".line.bot[data-final]"); !strings.Contains(answer, "15 days") {
		t.Errorf("the answer reads %q", answer)
	}
	picture(t, ctx, "answer")
	do(chromedp.Click(chromedp.CSS(".line.bot a[href*='passages']"), chromedp.NodeVisible), chromedp.WaitVisible(chromedp.CSS("mark, .passage, #passage")))
	picture(t, ctx, "passage")

	file := filepath.Join(t.TempDir(), "picnic.md")
	if err := os.WriteFile(file, []byte("# Picnic\n\nThe summer picnic takes place on 14 July at Lake Hwarang.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	do(chromedp.Navigate("http://"+p.addr+"/"), chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}),
		chromedp.WaitReady(chromedp.CSS(".line.note")))
	ask("When does the summer picnic take place?")
	do(chromedp.WaitReady(chromedp.CSS(".line.bot[data-final]")))
	if answer := read(".line.bot[data-final]"); !strings.Contains(answer, "14 July") {
		t.Errorf("the answer reads %q", answer)
	}
	picture(t, ctx, "upload")
}

// picture saves what the browser shows when MARU_TEST_PICTURES names a folder.
func picture(t *testing.T, ctx context.Context, name string) { //nolint:revive // ctx is chromedp's page
	t.Helper()
	dir := os.Getenv("MARU_TEST_PICTURES")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "e2e-"+name+".png"), png, 0o600); err != nil {
		t.Fatal(err)
	}
}
