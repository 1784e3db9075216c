package console

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"

	"maru/phrase/fit"
)

// terminal reads keys and edits a line. The kernel's line editing counts a Hangul syllable as
// one column, so erasing one would leave half of it.
type terminal struct {
	pressed chan key // closed at the end of input
	ahead   []key    // typed during an answer
	editor  *editor
	past    []string // history, oldest first
	screen  *screen
}

// key is one key press, or a pasted text.
type key struct {
	name rune   // a control character or one of the names below; 0 for text
	text string // text to insert
}

// Names of special keys.
const (
	keyUp rune = unicode.MaxRune + 1 + iota
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyDelete
	keyWordLeft
	keyWordRight
)

// raw switches the terminal to raw mode and returns the undo function. ok is false when in
// and out are not a terminal.
func raw(in io.Reader, out io.Writer) (undo func(), width func() int, ok bool) {
	i, o, ok := terminalOf(in, out)
	if !ok {
		return nil, nil, false
	}
	state, err := term.MakeRaw(int(i.Fd()))
	if err != nil {
		return nil, nil, false
	}
	return func() { _ = term.Restore(int(i.Fd()), state) }, columns(o), true // best effort
}

// terminalOf returns in and out if they are a terminal.
func terminalOf(in io.Reader, out io.Writer) (i, o *os.File, ok bool) {
	i, isFile := in.(*os.File)
	o, isFile2 := out.(*os.File)
	return i, o, isFile && isFile2 && term.IsTerminal(int(i.Fd())) && term.IsTerminal(int(o.Fd()))
}

// columns returns the present width of a terminal.
func columns(out *os.File) func() int {
	return func() int {
		w, _, err := term.GetSize(int(out.Fd()))
		if err != nil || w < 20 {
			return 80
		}
		return w
	}
}

// maxAhead bounds the keys buffered during an answer.
const maxAhead = 4096

// ctrlC stops an answer.
const ctrlC = 'c' & 0x1f

// newTerminal starts reading keys; see newPipe about its goroutine.
func newTerminal(ctx context.Context, in io.Reader, s *screen) *terminal {
	t := &terminal{pressed: make(chan key), screen: s}
	go func() {
		defer close(t.pressed)
		r := &keyReader{r: bufio.NewReader(in)}
		for {
			k, err := r.next()
			if err != nil {
				return
			}
			select {
			case t.pressed <- k:
			case <-ctx.Done():
				return
			}
		}
	}()
	return t
}

func (t *terminal) keys() <-chan key { return t.pressed }

func (t *terminal) later(k key) (interrupt bool) {
	if k.name == ctrlC {
		t.ahead = nil // input typed before the interrupt is discarded
		return true
	}
	if len(t.ahead) < maxAhead {
		t.ahead = append(t.ahead, k)
	}
	return false
}

// line reads an edited line.
func (t *terminal) line(ctx context.Context, prompt string) (string, error) {
	e := &editor{prompt: prompt, width: t.screen.width, past: t.past}
	t.show(e)
	defer t.show(nil)
	for {
		k, err := t.next(ctx)
		if err != nil {
			return "", err
		}
		if done, err := t.press(e, k); done || err != nil {
			return e.text(), err
		}
	}
}

// next returns the next key, buffered ones first.
func (t *terminal) next(ctx context.Context) (key, error) {
	if len(t.ahead) > 0 {
		k := t.ahead[0]
		t.ahead = t.ahead[1:]
		return k, nil
	}
	select {
	case k, ok := <-t.pressed:
		if !ok {
			return key{}, errLeave
		}
		return k, nil
	case <-ctx.Done():
		return key{}, ctx.Err()
	}
}

// press handles a key; done means that the line is complete.
func (t *terminal) press(e *editor, k key) (done bool, err error) {
	switch {
	case k.name == '\r':
		if s := strings.TrimSpace(e.text()); s != "" && (len(t.past) == 0 || t.past[len(t.past)-1] != s) {
			t.past = append(t.past, e.text())
		}
		return true, nil
	case k.name == 'd'&0x1f && e.text() == "":
		return true, errLeave
	case k.name == ctrlC && e.text() == "":
		return true, errInterrupt
	case k.name == ctrlC:
		t.edit(func() { e.set("") })
		return false, nil
	}
	t.edit(func() { e.press(k) })
	return false, nil
}

// show makes e the edited line; nil leaves the line as it is.
func (t *terminal) show(e *editor) {
	s := t.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	if e == nil {
		s.print(t.editor.leave() + "\n")
		t.editor, s.prompt = nil, nil
		return
	}
	s.wipe()
	t.editor = e
	s.prompt = func(visible bool) {
		if visible {
			s.print(e.draw())
		} else {
			s.print(e.erase())
		}
	}
	s.prompt(true)
}

// edit changes the line and redraws it.
func (t *terminal) edit(change func()) {
	s := t.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	s.print(t.editor.erase())
	change()
	s.print(t.editor.draw())
}

// keyReader decodes a terminal's input into keys.
type keyReader struct{ r *bufio.Reader }

func (k *keyReader) next() (key, error) {
	c, _, err := k.r.ReadRune()
	switch {
	case err != nil:
		return key{}, err
	case c == 0x1b:
		return k.escape()
	case c == '\n': // Enter, typed before raw mode
		return key{name: '\r'}, nil
	case c == 0x7f || c == 0x08:
		return key{name: 0x7f}, nil
	case c < 0x20 || c == unicode.ReplacementChar:
		return key{name: c}, nil
	}
	return key{text: string(c)}, nil
}

// escape decodes the input after an Escape: a sequence, or a key with Alt. Alone it has no
// meaning here.
func (k *keyReader) escape() (key, error) {
	if k.r.Buffered() == 0 {
		return key{name: 0x1b}, nil
	}
	c, _, err := k.r.ReadRune()
	switch {
	case err != nil:
		return key{}, err
	case c == '\r' || c == '\n':
		return key{text: "\n"}, nil // Alt-Enter
	case c == 'b':
		return key{name: keyWordLeft}, nil
	case c == 'f':
		return key{name: keyWordRight}, nil
	case c != '[' && c != 'O':
		return key{name: 0x1b}, nil
	}
	var seq strings.Builder
	for seq.Len() < 16 {
		c, err := k.r.ReadByte()
		if err != nil {
			return key{}, err
		}
		seq.WriteByte(c)
		if c >= 0x40 && c <= 0x7e {
			break
		}
	}
	if seq.String() == "200~" {
		return k.paste()
	}
	return key{name: sequences[seq.String()]}, nil
}

// sequences maps terminals' key sequences to keys; others are 0.
var sequences = map[string]rune{
	"A": keyUp, "B": keyDown, "C": keyRight, "D": keyLeft, "H": keyHome, "F": keyEnd, "1~": keyHome, "7~": keyHome,
	"4~": keyEnd, "8~": keyEnd, "3~": keyDelete, "1;5D": keyWordLeft, "1;5C": keyWordRight, "1;3D": keyWordLeft, "1;3C": keyWordRight,
}

// paste reads a bracketed paste, including line breaks.
func (k *keyReader) paste() (key, error) {
	const end = "\x1b[201~"
	var b strings.Builder
	for {
		c, err := k.r.ReadByte()
		if err != nil {
			return key{}, err
		}
		if b.Len() < maxText || c == end[len(end)-1] {
			b.WriteByte(c)
		}
		if strings.HasSuffix(b.String(), end) || (b.Len() >= maxText && c == '~') {
			text := strings.TrimSuffix(b.String(), end)
			text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
			return key{text: fit.Clean(text)}, nil
		}
	}
}
