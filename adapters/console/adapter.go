package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/bot"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

var (
	_ bot.Adapter  = (*Adapter)(nil)
	_ bot.Editor   = (*Adapter)(nil)
	_ bot.Uploader = (*Adapter)(nil)
)

// Adapter is a conversation in a terminal.
type Adapter struct {
	*screen
	cfg   Config
	input input
	at    bot.Thread // the open conversation; used only by Run
	hand  []bot.File // attached to the next message; used only by Run
}

// New returns a console for a conversation.
func New(cfg Config) *Adapter {
	cfg.setDefaults()
	a := &Adapter{cfg: cfg, screen: newScreen(cfg.Out, cfg.Language)}
	a.files = cfg.Files
	return a
}

// lastThread is the note with the name of the last open conversation.
const lastThread = "console/thread"

// bracketed enables bracketed paste, so that pasted line breaks do not send the line.
const bracketed, unbracketed = "\x1b[?2004h", "\x1b[?2004l"

// Run implements bot.Adapter: it reads a person's input until they leave or ctx ends.
func (a *Adapter) Run(ctx context.Context, in bot.Intake) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	undo := a.connect(ctx)
	defer undo()
	if err := a.enter(ctx, in); err != nil {
		return err
	}
	var err error
	if a.cfg.First != "" {
		err = a.command(ctx, in, a.cfg.First, "")
	}
	if err == nil {
		err = a.converse(ctx, in)
	}
	if ctx.Err() == nil {
		a.say(word(a.lang, "bye"))
		a.cfg.Quit()
	}
	if err != nil && !errors.Is(err, errLeave) && ctx.Err() == nil {
		return fmt.Errorf("read input: %w", err)
	}
	return nil
}

// connect sets up In and Out as a terminal or pipe, and starts reading.
func (a *Adapter) connect(ctx context.Context) (undo func()) {
	restore, columns, isTerminal := raw(a.cfg.In, a.cfg.Out)
	if a.cfg.Width != nil {
		columns = a.cfg.Width
	}
	if columns == nil {
		a.input = newPipe(ctx, a.cfg.In)
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live, a.width = true, columns
	a.print(bracketed)
	a.input = newTerminal(ctx, a.cfg.In, a.screen)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.print(unbracketed)
		if isTerminal {
			restore()
		}
	}
}

// enter opens the configured conversation, or the last one.
func (a *Adapter) enter(ctx context.Context, in bot.Intake) error {
	name := a.cfg.Thread
	if name == "" {
		var err error
		if name, err = in.Notes().Note(ctx, lastThread); err != nil {
			return fmt.Errorf("read the last conversation: %w", err)
		}
	}
	name = cmp.Or(name, "main")
	if a.live {
		a.say(word(a.lang, "welcome"))
	}
	return a.move(ctx, in, name)
}

// NameFits reports whether name is a valid conversation name: 1 to 64 letters, digits, _ and
// -.
func NameFits(name string) bool {
	n := utf8.RuneCountInString(name)
	return n > 0 && n <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '-'
	})
}

// move opens the named conversation.
func (a *Adapter) move(ctx context.Context, in bot.Intake, name string) error {
	if !NameFits(name) {
		a.say(word(a.lang, "new.name"))
		return nil
	}
	if err := in.Notes().SetNote(ctx, lastThread, name); err != nil {
		return fmt.Errorf("keep the open conversation: %w", err)
	}
	a.at, a.hand = thread(name), nil
	a.open(a.at)
	if a.live {
		a.say(a.quiet(fmt.Sprintf(word(a.lang, "thread"), name)) + "\n")
	}
	return nil
}

// converse reads messages and commands one after another.
func (a *Adapter) converse(ctx context.Context, in bot.Intake) error {
	interrupted := false
	for {
		text, err := readMessage(ctx, a.input, "> ")
		switch {
		case errors.Is(err, errInterrupt) && interrupted:
			return errLeave
		case errors.Is(err, errInterrupt):
			interrupted = true
			a.say(word(a.lang, "again"))
			continue
		case err != nil:
			return err
		case text == "":
			continue
		case utf8.RuneCountInString(text) > maxText/4:
			a.say(fmt.Sprintf(word(a.lang, "too.long"), maxText/4))
			continue
		}
		interrupted = false
		if err := a.handle(ctx, in, text); err != nil {
			return err
		}
	}
}

// handle runs one input and returns when the next may follow.
func (a *Adapter) handle(ctx context.Context, in bot.Intake, text string) error {
	if n, ok := choice(text); ok {
		return a.choose(ctx, in, n)
	}
	if name, args, ok := intent.Slash(text, bot.Commands(in.Commands()).Has); ok {
		return a.command(ctx, in, name, args)
	}
	a.forget()
	m := a.cfg.message(a.at, fit.Clean(text))
	m.Files = a.hand
	if err := in.Message(ctx, m); err != nil {
		return a.showError(ctx, err)
	}
	a.hand = nil
	return a.await(ctx, in)
}

// await waits for the answer. Ctrl-C stops it; a second one leaves.
func (a *Adapter) await(ctx context.Context, in bot.Intake) error {
	stopping := false
	for {
		select {
		case <-a.settled:
			return nil
		case k, ok := <-a.input.keys():
			switch {
			case !ok, k.name == ctrlC && stopping:
				return errLeave
			case a.input.later(k):
				stopping = true
				a.say("\n" + a.quiet(word(a.lang, "stopping")))
				if _, err := in.Command(ctx, a.cfg.invocation(a.at, "stop", "")); err != nil {
					return a.showError(ctx, err)
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// showError shows an error to the person, with its own text if it has one. It returns an error
// only at the end of ctx.
func (a *Adapter) showError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var told *bot.Error
	if errors.As(err, &told) {
		a.say(told.Text(a.lang))
		return nil
	}
	a.say(word(a.lang, "failed"))
	return nil
}
