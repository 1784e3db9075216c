package console

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"maru/bot"
	"maru/phrase/fit"
)

// choice parses "/2" as the second button.
func choice(text string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(text, "/")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}

// command runs a command: the console's own here, others through the bot.
func (a *Adapter) command(ctx context.Context, in bot.Intake, name, args string) error {
	switch name {
	case "quit", "exit", "q":
		return errLeave
	case "new":
		if args == "" {
			args = a.cfg.Now().Format("0102-150405")
		}
		return a.move(ctx, in, args)
	case "ingest":
		return a.ingest(ctx, in, args)
	case "file":
		return a.attach(ctx, in, args)
	case "help":
		a.say(a.help(in))
		return nil
	}
	a.forget()
	card, err := in.Command(ctx, a.cfg.invocation(a.at, name, args))
	switch {
	case err != nil:
		return a.showError(ctx, err)
	case card == nil: // the answer arrives as a message
		return a.await(ctx, in)
	}
	if err := a.noticeWithFiles(*card); err != nil {
		return a.showError(ctx, err)
	}
	if (name == "ask" || name == "demo") && a.answers(in, name) {
		return a.await(ctx, in)
	}
	return nil
}

// answers reports whether a command's answer arrives as a message.
func (a *Adapter) answers(in bot.Intake, name string) bool {
	return bot.Commands(in.Commands()).Has(name)
}

// notice prints a card outside the conversation.
func (a *Adapter) notice(c bot.Card) {
	c.Final = true
	ref := bot.Ref{Thread: a.at, Messages: []string{a.cfg.NewID()}}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show(ref, c)
}

// noticeWithFiles prints such a card and writes its files into their own folder: the person at
// this terminal may read them.
func (a *Adapter) noticeWithFiles(c bot.Card) error {
	files := c.Files
	c.Files = nil
	if len(files) > 0 {
		paths, err := writeFiles(filepath.Join(a.files, "exports"), files)
		if err != nil {
			return err
		}
		for _, at := range paths {
			c.Text += "\n\n`" + fit.Clean(at) + "`"
		}
	}
	a.notice(c)
	return nil
}

// help lists the bot's commands and the console's own.
func (a *Adapter) help(in bot.Intake) string {
	var b strings.Builder
	for _, c := range in.Commands() {
		if c.Name != "help" {
			helpLine(&b, strings.TrimSpace("/"+c.Name+" "+c.Usage()), c.Summary[a.lang])
		}
	}
	helpLine(&b, word(a.lang, "help.new"), word(a.lang, "help.new.does"))
	helpLine(&b, word(a.lang, "help.file"), word(a.lang, "help.file.does"))
	helpLine(&b, word(a.lang, "help.ingest"), word(a.lang, "help.ingest.does"))
	helpLine(&b, "/1, /2, …", word(a.lang, "help.press.does"))
	helpLine(&b, "/quit", word(a.lang, "help.quit.does"))
	return b.String() + "\n  " + word(a.lang, "help.lines") + "\n"
}

// helpColumn is the column of the help's descriptions; after a longer command the description
// starts on the next line.
const helpColumn = 24

func helpLine(b *strings.Builder, left, does string) {
	gap := strings.Repeat(" ", max(helpColumn-2-width(left), 0))
	if width(left) > helpColumn-4 {
		gap = "\n" + strings.Repeat(" ", helpColumn)
	}
	b.WriteString("  " + left + gap + does + "\n")
}

// progress shows how much of a document has been read.
func (a *Adapter) progress(done, total int) {
	if !a.live || total <= 0 {
		return
	}
	const bar = 24
	full := min(bar*done/total, bar)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.print(fmt.Sprintf("\r\x1b[K%s%s %3d%%", strings.Repeat("█", full), strings.Repeat("░", bar-full), min(100*done/total, 100)))
	a.status = true
}
