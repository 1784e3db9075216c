package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"maru/bot"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// Exit codes of maru ask.
const (
	ExitAnswered = 0
	ExitFailed   = 1
	ExitUsage    = 2
)

// maxQuestion bounds a question read from In, in bytes.
const maxQuestion = maxText

var (
	_ bot.Adapter  = (*Asker)(nil)
	_ bot.Editor   = (*Asker)(nil)
	_ bot.Uploader = (*Asker)(nil)
)

// Asker asks one question, or runs one command, and prints the answer.
type Asker struct {
	*screen
	cfg  Config
	json bool
	name string // of the conversation
}

// NewAsker returns an Asker; with asJSON it prints one JSON object, an [Answer], instead of
// text. Without a name in cfg.Thread every question is its own conversation.
func NewAsker(cfg Config, asJSON bool) *Asker {
	cfg.setDefaults()
	a := &Asker{cfg: cfg, json: asJSON, screen: newScreen(cfg.Out, cfg.Language)}
	a.files = cfg.Files
	a.alone = true // replies to another process's questions are not printed
	a.typed = "`maru ask \"/$1\"`"
	if asJSON {
		a.screen.out = io.Discard
	} else if f, ok := cfg.Out.(interface{ Fd() uintptr }); ok && term.IsTerminal(int(f.Fd())) {
		a.screen.live = true
	}
	return a
}

// Answer is the output of maru ask --json.
type Answer struct {
	Answer  string        `json:"answer"`
	Sources []bot.Source  `json:"sources"`
	Run     string        `json:"run,omitempty"`
	Files   []string      `json:"files,omitempty"` // paths of the created files
	Usage   *bot.RunUsage `json:"usage,omitempty"`
	Error   string        `json:"error,omitempty"` // reason for a missing answer
}

// Run implements bot.Adapter; Ask does the work.
func (*Asker) Run(ctx context.Context, _ bot.Intake) error {
	<-ctx.Done()
	return nil
}

// Away always returns true: nobody reads a conversation after its answer, so reminders in it wait for `maru chat`.
func (*Asker) Away(bot.Thread) bool { return true }

// Ask sends a question to the bot, prints the answer and returns the exit code. It reads the
// question "-" from In, if there is one.
func (a *Asker) Ask(ctx context.Context, in bot.Intake, question string) int {
	question, err := a.question(question)
	if err != nil {
		return a.end(ExitUsage, bot.Card{}, err.Error())
	}
	if question == "" {
		return a.end(ExitUsage, bot.Card{}, word(a.lang, "ask.empty"))
	}
	name := a.cfg.Thread
	if name == "" {
		name = "ask-" + a.cfg.NewID()
	}
	a.name = name
	at := thread(name)
	a.open(at)
	if name, args, ok := intent.Slash(question, bot.Commands(in.Commands()).Has); ok && !isAsk(in, name) {
		return a.runCommand(ctx, in, a.cfg.invocation(at, name, args))
	} else if ok {
		question = args
	}
	m := a.cfg.message(at, question)
	m.ReplyTo = m.ID
	if !intent.Stops(question) { // nothing but the stopped run answers
		a.expect(m)
	}
	if err := in.Message(ctx, m); err != nil {
		return a.refused(err)
	}
	return a.await(ctx, in)
}

// isAsk reports whether a command asks a question, in any language.
func isAsk(in bot.Intake, name string) bool {
	return slices.ContainsFunc(in.Commands(), func(c bot.Command) bool { return c.Name == "ask" && c.Is(name) })
}

// runCommand runs a command and prints its result.
func (a *Asker) runCommand(ctx context.Context, in bot.Intake, c bot.Invocation) int {
	card, err := in.Command(ctx, c)
	switch {
	case err != nil:
		return a.refused(err)
	case card == nil: // the answer arrives as a message
		return a.await(ctx, in)
	}
	asks := slices.ContainsFunc(card.Buttons, func(b bot.Button) bool { return b.URL == "" })
	if slices.ContainsFunc(card.Buttons, func(b bot.Button) bool { return b.URL == "" && b.Style == bot.ButtonPrimary }) {
		card.Footer = strings.TrimSpace(card.Footer + "\n" + word(a.lang, "ask.buttons"))
	}
	files := card.Files
	card.Buttons, card.Files, card.Final = nil, nil, true
	var paths []string
	if len(files) > 0 {
		if paths, err = writeFiles(filepath.Join(a.files, "exports"), files); err != nil {
			return a.end(ExitFailed, *card, err.Error())
		}
		card.Text = strings.TrimSpace(card.Text + "\n\n" + strings.Join(paths, "\n"))
	}
	a.mu.Lock()
	a.show(bot.Ref{Thread: c.Thread, Messages: []string{c.ID}}, *card)
	a.mu.Unlock()
	*card = a.asTyped(*card)
	known := slices.ContainsFunc(in.Commands(), func(x bot.Command) bool { return x.Is(c.Name) })
	switch {
	case !known && a.json:
		return a.end(ExitUsage, bot.Card{}, card.Text)
	case !known:
		return ExitUsage // already printed
	case asks && card.Text == "":
		return a.end(ExitFailed, *card, word(a.lang, "ask.person", a.name))
	case card.Failed && a.json:
		return a.end(ExitFailed, bot.Card{}, card.Text)
	case card.Failed:
		return ExitFailed // already printed
	case a.json:
		return a.write(ExitAnswered, Answer{Answer: inWords(*card), Sources: card.Sources, Run: card.Run, Files: paths})
	}
	return ExitAnswered
}

// refused prints why the bot rejected the input.
func (a *Asker) refused(err error) int {
	var told *bot.Error
	if errors.As(err, &told) {
		return a.end(ExitFailed, bot.Card{}, told.Text(a.lang))
	}
	return a.end(ExitFailed, bot.Card{}, word(a.lang, "failed"))
}

// await waits for the answer.
func (a *Asker) await(ctx context.Context, in bot.Intake) int {
	select {
	case c := <-a.settled:
		return a.answered(ctx, in, c)
	case <-ctx.Done():
		return a.end(ExitFailed, bot.Card{}, word(a.lang, "ask.stopped"))
	}
}

func (a *Asker) question(q string) (string, error) {
	if q == "-" && a.cfg.In != nil {
		b, err := io.ReadAll(io.LimitReader(a.cfg.In, maxQuestion+1))
		if err != nil {
			return "", fmt.Errorf("read question: %w", err)
		}
		q = string(b)
	}
	if len(q) > maxQuestion {
		return "", fmt.Errorf(word(a.lang, "too.long"), maxQuestion/4)
	}
	return strings.TrimSpace(fit.Clean(q)), nil
}

// answered prints the answer; a notice is the reason for a missing one.
func (a *Asker) answered(ctx context.Context, in bot.Intake, c bot.Card) int {
	c = a.asTyped(c)
	switch {
	case len(c.Buttons) > 0 && !c.Final && c.Kind != bot.CardProgress:
		return a.end(ExitFailed, c, word(a.lang, "ask.person", a.name))
	case c.Kind == bot.CardNotice:
		if a.json {
			return a.end(ExitFailed, bot.Card{Run: c.Run}, c.Text)
		}
		return ExitFailed // already printed
	}
	files := a.awaitFiles(ctx, c)
	if a.json {
		out := Answer{Answer: c.Text, Sources: c.Sources, Run: c.Run, Files: files}
		if t, ok := in.(Traces); ok && c.Run != "" {
			if v, err := t.Trace(ctx, a.cfg.user(), c.Run); err == nil {
				out.Usage = &v.Usage
			}
		}
		return a.write(ExitAnswered, out)
	}
	return ExitAnswered
}

// end prints why there is no answer.
func (a *Asker) end(code int, c bot.Card, why string) int {
	if a.json {
		return a.write(code, Answer{Answer: c.Text, Sources: c.Sources, Run: c.Run, Error: why})
	}
	_, _ = fmt.Fprintln(a.cfg.Err, why) // best effort
	return code
}

// inWords returns a command's result as text: its text and fields. /status has only fields.
func inWords(c bot.Card) string {
	if len(c.Fields) == 0 {
		return c.Text
	}
	var lines []string
	if c.Text != "" {
		lines = append(lines, c.Text, "")
	}
	for _, f := range c.Fields {
		lines = append(lines, f.Label+": "+f.Value)
	}
	return strings.Join(lines, "\n")
}

func (a *Asker) write(code int, out Answer) int {
	if out.Sources == nil {
		out.Sources = []bot.Source{}
	}
	enc := json.NewEncoder(a.cfg.Out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return ExitFailed
	}
	return code
}
