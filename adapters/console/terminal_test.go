package console_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"maru/adapters/console"
	"maru/bot"
)

// terminal runs a conversation in a terminal of that many columns.
func terminal(t *testing.T, e *echo, columns int) (keys io.Writer, out *paper, ended chan error) {
	t.Helper()
	r, w := io.Pipe()
	out, ended = newPaper(), make(chan error, 1)
	a := console.New(console.Config{In: r, Out: out, Width: func() int { return columns }})
	e.adapter = a
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- a.Run(ctx, e) }()
	t.Cleanup(func() { cancel(); _ = w.Close(); e.release(); e.work.Wait() })
	out.awaitText(t, "> ")
	return w, out, ended
}

func send(t *testing.T, w io.Writer, s string) {
	t.Helper()
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
}

func TestTerminalEditsKorean(t *testing.T) {
	t.Parallel()
	e := newEcho()
	keys, out, ended := terminal(t, e, 40)
	send(t, keys, "연차는 며치\x7f칠\x1b[D\x1b[D\x01\x1b[3~\x05야?\r")
	out.awaitText(t, "You wrote 차는 며칠야?")
	send(t, keys, "\x1b[200~one\rtwo\x1b[201~\r") // pasted
	out.awaitText(t, "You wrote one\r\ntwo")
	send(t, keys, "\x1b[A\x1b[A\x1b[B\x17\x17three\r") // from the past, words erased
	out.awaitText(t, "You wrote three")
	send(t, keys, "\x04")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	got := out.String()
	if !strings.Contains(got, "… thinking") || !strings.Contains(got, "\r\x1b[K") {
		t.Errorf("no status was shown and taken away: %q", got)
	}
	if n := strings.Count(got, "You wrote 차"); n != 1 {
		t.Errorf("the answer stands %d times", n)
	}
}

func TestCtrlCStopsThenLeaves(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.hold = make(chan struct{})
	keys, out, ended := terminal(t, e, 80)
	send(t, keys, "hello\r")
	out.awaitText(t, "You wrote")
	send(t, keys, "\x03")
	out.await(t, "a prompt after the answer", func(s string) bool { return strings.Count(s, "> \r\x1b[2C") == 2 })
	if e.commands[0].Name != "stop" {
		t.Errorf("commands %+v", e.commands)
	}
	send(t, keys, "draft\x03") // takes the line away first
	send(t, keys, "\x03")
	out.awaitText(t, "Ctrl-C again to quit")
	send(t, keys, "\x03")
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAnswerAgainWhenItsBeginningChanged(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.answer = func(bot.Message) []bot.Card {
		return []bot.Card{{Kind: bot.CardProgress, Text: "Wrong"}, {Kind: bot.CardText, Text: "Right", Final: true}}
	}
	keys, out, _ := terminal(t, e, 80)
	send(t, keys, "hi\r")
	out.awaitText(t, "Wrong\r\n\r\n\x1b[2mLet me rewrite that:\x1b[0m\r\nRight")
}

// A terminal shows Markdown with its styles, a pipe as it is; a text that grows is
// printed once. Single tildes strike nothing.
func TestMarkdownOnATerminal(t *testing.T) {
	t.Parallel()
	const text = "연차는 **15일**이에요.\n\n- 11:30~13:00이고 저녁은 17:30~19:00\n- ~~12월~~ 1~2일 또는 8~9일\n\n```sh\nls\n```\n\n끝"
	e := newEcho()
	e.answer = func(bot.Message) []bot.Card {
		var out []bot.Card
		for i := range text {
			out = append(out, bot.Card{Kind: bot.CardProgress, Text: text[:i]})
		}
		return append(out, bot.Card{Kind: bot.CardText, Text: text, Final: true})
	}
	keys, out, _ := terminal(t, e, 80)
	send(t, keys, "hi\r")
	out.awaitText(t, "연차는 \x1b[1m15일\x1b[22m이에요.\r\n\r\n- 11:30~13:00이고 저녁은 17:30~19:00\r\n- \x1b[9m12월\x1b[29m 1~2일 또는 8~9일\r\n\r\n```sh\r\nls\r\n```\r\n\r\n끝\r\n")
	if got := chat(t, e, "hi\n"); !strings.Contains(got, text+"\n") {
		t.Errorf("a pipe gets %q", got)
	}
}

// A chart is bars, on a terminal and in a pipe; half a block is nobody's.
func TestChartsAreBars(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.answer = func(bot.Message) []bot.Card {
		return []bot.Card{{Kind: bot.CardText, Text: "여기요.\n\n```chart\n{\"title\":\"매출\",\"labels\":[\"1월\",\"2월\"],\"values\":[2,1]}\n```\n\n끝", Final: true}}
	}
	const bars = "매출\n1월 ██████████████████ 2\n2월 █████████ 1"
	keys, out, _ := terminal(t, e, 80)
	send(t, keys, "hi\r")
	out.awaitText(t, strings.ReplaceAll(bars, "\n", "\r\n"))
	if got := chat(t, e, "hi\n"); !strings.Contains(got, "여기요.\n\n```\n"+bars+"\n```\n\n끝\n") {
		t.Errorf("a pipe gets %q", got)
	}
}
