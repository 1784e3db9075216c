//go:build !race

package web_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"maru/adapters/web"
	"maru/bot"
)

// swallower passes connections on until it is told to swallow: from then on it takes
// what comes on those that are open and lets nothing out, as a router does that has
// forgotten them.
type swallower struct {
	net.Listener
	mu   sync.Mutex
	in   []net.Conn // from the browser
	out  []net.Conn // to the server, since the last time that all were swallowed
	over bool
}

func swallowing(t *testing.T, server string) *swallower {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &swallower{Listener: ln}
	var open sync.WaitGroup
	t.Cleanup(func() { s.end(); open.Wait() })
	open.Go(func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				in.Close()
				continue
			}
			s.joined(in, out)
			open.Go(func() { _, _ = io.Copy(out, in) })
			open.Go(func() { _, _ = io.Copy(in, out) }) // in stays open: nobody is told
		}
	})
	return s
}

// joined records a connection, and closes one that arrives after the test has ended.
func (s *swallower) joined(in, out net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		in.Close()
		out.Close()
		return
	}
	s.in, s.out = append(s.in, in), append(s.out, out)
}

// swallow makes every open connection dead.
func (s *swallower) swallow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.out {
		c.Close()
	}
	s.out = nil
}

// end closes everything, and what still comes.
func (s *swallower) end() {
	s.Close()
	s.mu.Lock()
	s.over = true
	for _, c := range s.in {
		c.Close()
	}
	s.mu.Unlock()
	s.swallow()
}

// TestBrowserNoticesSilence: a page whose connection broke without a word, which is no
// error to a browser, shows what was said meanwhile.
func TestBrowserNoticesSilence(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *web.Config) { c.Heartbeat = 100 * time.Millisecond })
	way := swallowing(t, strings.TrimPrefix(c.URL, "http://"))
	b := browser(t)
	b.open("http://" + way.Addr().String() + "/t/t1")
	b.write("#text", "hello"+kb.Enter)
	b.wait(".line.bot[data-final]")
	way.swallow()
	post(t, c, "t1", "later", bot.Card{Kind: bot.CardText, Text: "said meanwhile", Final: true})
	b.until(`document.querySelector("#log").innerText.includes("said meanwhile")`)
	b.unseen("#lost")
}

// TestBrowserSignedOutElsewhere: a page whose session was ended, by no other tab of its
// browser, asks to sign in when its stream ends, and is told nothing more.
func TestBrowserSignedOutElsewhere(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *web.Config) { c.Login, c.Heartbeat = "a long password", 100*time.Millisecond })
	b := browser(t)
	b.open(c.URL + "/login?next=/t/t1")
	b.write("[name=password]", "a long password"+kb.Enter)
	b.write("#text", "hello"+kb.Enter)
	b.wait(".line.bot[data-final]")
	js[bool](b, `fetch("/logout", {method: "POST", headers: {"X-CSRF-Token": document.querySelector('meta[name="csrf"]').content}}) && true`)
	b.see("#signin")
	post(t, c, "t1", "later", bot.Card{Kind: bot.CardText, Text: "for nobody", Final: true})
	b.key(kb.Escape)
	b.unseen("#signin")
	if js[bool](b, `document.body.innerText.includes("for nobody")`) {
		t.Error("a page that was signed out is told more")
	}
}
