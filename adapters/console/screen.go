package console

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/bot"
	"maru/phrase/chart"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// maxReplies bounds the remembered final replies, so that a late edit does not print one
// again.
const maxReplies = 256

// screen prints cards: the Post and Edit of [Adapter] and [Asker].
type screen struct {
	out   io.Writer
	lang  string
	live  bool       // a terminal: prints text incrementally, otherwise only when final
	width func() int // columns
	alone bool       // print and await only the open conversation, and of it only the answer to a question
	typed string     // how to type a command here, with $1 for its text

	mu       sync.Mutex
	thread   string                   // key of the open conversation
	replies  map[string]*reply        // by ID
	order    []string                 // of final replies, oldest first
	prompt   func(visible bool)       // hides the line being typed and shows it again; nil without one
	status   bool                     // the current line shows a status
	choices  choices                  // of the last card with buttons
	settled  chan bot.Card            // holds the newest card that ends a wait
	question string                   // alone: ID of the message whose answer is printed, "" for all replies
	run      string                   // of that message, or the one that it continued by a decision
	files    string                   // folder for files created by runs
	handed   map[string]chan []string // by key of a parcel: its files once written
}

// reply records the printed part of a reply.
type reply struct {
	text  string
	steps []bot.StepState
	plan  string // its steps when it last asked about them
	done  bool
}

// choices are the pending buttons.
type choices struct {
	message string
	thread  bot.Thread
	buttons []bot.Button
}

func newScreen(out io.Writer, lang string) *screen {
	return &screen{
		out: out, lang: lang, typed: "`/$1`", width: func() int { return 80 },
		replies: make(map[string]*reply), settled: make(chan bot.Card, 1), handed: make(map[string]chan []string),
	}
}

// Platform implements bot.Adapter.
func (*screen) Platform() string { return platform }

// Facts implements bot.Adapter: everybody who can run the program is its owner.
func (*screen) Facts() bot.Facts { return bot.Facts{OneUser: true} }

// Post implements bot.Adapter. The ID is derived from key, so a second post prints nothing. The reference names the message that is
// answered.
func (s *screen) Post(_ context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	sum := sha256.Sum256([]byte(key))
	ref := bot.Ref{Thread: to.Thread, Messages: []string{hex.EncodeToString(sum[:8])}, Stream: to.ReplyTo}
	return s.Edit(context.Background(), ref, c) //nolint:contextcheck // nothing here blocks
}

// Edit implements bot.Editor: it prints the new part.
func (s *screen) Edit(_ context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	if ref.Thread.Platform != platform || ref.IsZero() {
		return ref, &bot.DeliveryError{Op: "edit", Code: "foreign_thread", Err: bot.ErrGone}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alone && (ref.Thread.Key() != s.thread || s.answersOther(ref, c)) {
		return ref, nil // already in the transcript
	}
	if c.Run != "" {
		s.run = c.Run
	}
	if s.show(ref, c) {
		select { // keep only the newest
		case <-s.settled:
		default:
		}
		s.settled <- c
	}
	return ref, nil
}

// answersOther reports whether a card belongs to another message than the question: an earlier one whose caller left, or a schedule's.
// A run with decisions goes on because of the question, which decided. The caller holds mu.
func (s *screen) answersOther(ref bot.Ref, c bot.Card) bool {
	switch {
	case s.question == "":
		return false
	case c.Run != "":
		return c.Run != s.run && len(c.Fields) == 0
	}
	return ref.Stream != "" && ref.Stream != s.question
}

// expect sets the question whose answer is printed.
func (s *screen) expect(m bot.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.question, s.run = m.ID, m.Run()
}

// close discards all further output: the caller's stream is no longer valid.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = io.Discard
}

// EditEvery implements bot.Editor: a terminal is fast.
func (*screen) EditEvery() time.Duration { return 20 * time.Millisecond }

// show prints a card's new part and reports whether the wait ends: the card is final or has a
// question. The caller holds mu.
func (s *screen) show(ref bot.Ref, c bot.Card) (settled bool) {
	id := ref.Messages[0]
	r := s.replies[id] // finished: a late edit, printed again but not awaited
	if r == nil {
		r = &reply{}
		s.replies[id] = r
	}
	asks := len(c.Buttons) > 0 && c.Kind != bot.CardProgress // a running answer has a stop button
	switch {
	case r.done && r.text == s.written(s.asTyped(c), true):
		return false // unchanged, or only without its buttons
	case !c.Final && !asks && (!s.live || s.prompt != nil):
		return false // a pipe gets complete answers, and a terminal is not updated while the person types
	}
	c = s.asTyped(c)
	if s.prompt != nil {
		s.prompt(false)
		defer s.prompt(true)
	}
	s.wipe()
	if other := ref.Thread.Key() != s.thread; other && r.text == "" {
		s.print(s.quiet("── " + fmt.Sprintf(word(s.lang, "thread"), clip(ref.Thread.ID, 60)) + " ──\n"))
	}
	s.body(r, c, c.Final || asks)
	if !c.Final && !asks {
		if r.text == "" && c.Status != "" {
			s.print(s.quiet("… " + clip(c.Status, s.width()-4)))
			s.status = true
		}
		return false
	}
	s.rest(r, c)
	late := r.done
	if asks {
		s.choices = choices{message: id, thread: ref.Thread, buttons: c.Buttons}
	} else if s.choices.message == id {
		s.choices = choices{}
	}
	if c.Final {
		s.finish(id, r)
	}
	return !late
}

// asTyped rewrites the commands in the bot's own texts to the way they are typed here. An
// answer stays unchanged: its text is not the bot's, and it grows.
func (s *screen) asTyped(c bot.Card) bot.Card {
	here := func(text string) string { return namedCommand.ReplaceAllString(text, s.typed) }
	c = c.Worded()
	c.Footer = here(c.Footer)
	own := c.Own
	switch c.Kind {
	case bot.CardNotice, bot.CardChoices, bot.CardPlan:
		own = true
	case bot.CardText, bot.CardProgress, bot.CardFeedback:
	}
	if own {
		c.Text = here(c.Text)
	}
	return c
}

// namedCommand matches a command in the bot's texts.
var namedCommand = regexp.MustCompile("`/maru ([^`\n]+)`")

// body prints the new part of a card's title, steps and text; the text is final if whole is
// set.
func (s *screen) body(r *reply, c bot.Card, whole bool) {
	if r.text == "" && len(r.steps) == 0 && c.Title != "" && (c.Text != "" || len(c.Steps) > 0) {
		s.print(s.bold(fit.Clean(c.Title)) + "\n")
	}
	if len(c.Buttons) > 0 && c.Kind != bot.CardProgress { // a person decides about them
		if plan := wholeSteps(c.Steps); plan != r.plan {
			s.print(plan)
			r.plan, r.steps = plan, nil
			for _, st := range c.Steps {
				r.steps = append(r.steps, st.State)
			}
		}
	}
	for i, st := range c.Steps {
		if i >= len(r.steps) {
			r.steps = append(r.steps, "")
		}
		if r.steps[i] != st.State && (st.State != bot.StepWaiting || r.steps[i] == "") {
			s.print(fmt.Sprintf("%s %d. %s\n", marks[st.State], i+1, clip(st.Text, max(s.width()-8, 20))))
		}
		r.steps[i] = st.State
	}
	text := s.written(c, whole)
	switch rest, ok := strings.CutPrefix(text, r.text); {
	case ok && !r.done:
		s.print(rest)
	case text != "":
		s.print("\n\n" + s.quiet(word(s.lang, "redo")) + "\n" + text)
	}
	r.text = text
}

// wholeSteps writes steps with all that they do.
func wholeSteps(steps []bot.Step) string {
	var b strings.Builder
	for i, st := range steps {
		fmt.Fprintf(&b, "%s %d. %s\n", marks[st.State], i+1, fit.OneLine(fit.Clean(st.Text)))
		if detail := fit.OneLine(fit.Clean(st.Detail)); detail != "" {
			b.WriteString("     " + detail + "\n")
		}
	}
	return b.String()
}

// written returns a card's text for printing: styled on a terminal, where a growing text is
// only ever appended to; otherwise the Markdown source, with charts as bars.
func (s *screen) written(c bot.Card, whole bool) string {
	d := markdown.Terminal()
	switch {
	case !s.live:
		return strings.TrimRight(fit.Clean(withBars(c.Text)), " \n")
	case whole:
		return d.Join(d.Lines(c.Text, c.Links()))
	}
	return d.Draft(c.Text)
}

// withBars writes the charts of a text as bars.
func withBars(text string) string {
	return chart.Replace(text, func(c chart.Chart) string { return "```\n" + strings.Join(c.Bars(), "\n") + "\n```" })
}

// marks are the symbols of step states.
var marks = map[bot.StepState]string{
	bot.StepWaiting: "·", bot.StepRunning: "▸", bot.StepDone: "✓", bot.StepFailed: "✗", bot.StepSkipped: "–",
}

// rest prints the parts below a complete text.
func (s *screen) rest(r *reply, c bot.Card) {
	if r.text != "" {
		s.print("\n")
	}
	for _, f := range c.Fields {
		s.print(fmt.Sprintf("  %s: %s\n", fit.Clean(f.Label), fit.Clean(f.Value)))
	}
	if len(c.Sources) > 0 {
		s.print("\n" + s.quiet(word(cmp.Or(c.Language, s.lang), "sources")) + "\n")
		for _, src := range c.Sources {
			s.print("  " + clip(s.source(src), max(s.width()-3, 20)) + "\n")
		}
	}
	if c.Footer != "" {
		s.print(s.quiet(fit.Clean(strings.ReplaceAll(c.Footer, "`", ""))) + "\n") // unabridged: it contains instructions
	}
	if s.alone && c.Final { // nobody can press the buttons
		c.Buttons = slices.DeleteFunc(slices.Clone(c.Buttons), func(b bot.Button) bool { return b.URL == "" })
	}
	if len(c.Buttons) > 0 {
		var keys []string
		for i, b := range c.Buttons {
			label := fit.Clean(b.Label)
			if b.URL != "" {
				label += " " + fit.Clean(b.URL)
			}
			s.print(fmt.Sprintf("  [%d] %s\n", i+1, label))
			keys = append(keys, fmt.Sprintf("/%d", i+1))
		}
		if !s.alone || !c.Final {
			s.print(s.quiet(word(cmp.Or(c.Language, s.lang), "pick", strings.Join(keys, ", "))) + "\n")
		}
	}
	s.print("\n")
}

// source formats a source as one line: "[1] Handbook › Leave, p. 7".
func (s *screen) source(src bot.Source) string {
	line := fmt.Sprintf("[%d] %s", src.N, src.Title)
	if src.Heading != "" {
		line += " › " + src.Heading
	}
	if src.Page > 0 {
		line += ", " + fmt.Sprintf(word(s.lang, "page"), src.Page)
	}
	if src.URL != "" {
		line += " " + src.URL
	}
	return line
}

// finish marks a reply as final and evicts the oldest final one.
func (s *screen) finish(id string, r *reply) {
	if r.done {
		return
	}
	r.done = true
	s.order = append(s.order, id)
	if len(s.order) > maxReplies {
		delete(s.replies, s.order[0])
		s.order = s.order[1:]
	}
}

// wipe clears the status.
func (s *screen) wipe() {
	if s.status {
		s.print("\r\x1b[K")
		s.status = false
	}
}

// say prints a line of the console itself.
func (s *screen) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	s.print(text + "\n")
}

// print writes text with CRLF line ends on a raw terminal.
func (s *screen) print(text string) {
	if s.live {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	_, _ = io.WriteString(s.out, text) // a closed terminal ends the input too
}

func (s *screen) quiet(text string) string { return s.style("2", text) }
func (s *screen) bold(text string) string  { return s.style("1", text) }

func (s *screen) style(code, text string) string {
	if !s.live || text == "" {
		return text
	}
	body := strings.TrimRight(text, "\n")
	return "\x1b[" + code + "m" + body + "\x1b[0m" + text[len(body):]
}

// open makes t the open conversation.
func (s *screen) open(t bot.Thread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thread = t.Key()
}

// has reports whether t is the open conversation.
func (s *screen) has(t bot.Thread) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thread == t.Key()
}

// forget drops a previously settled card.
func (s *screen) forget() {
	select {
	case <-s.settled:
	default:
	}
}

// waiting returns the pending buttons.
func (s *screen) waiting() choices {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.choices
}
