//go:build !race

package web_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"maru/adapters/web/site"
	"maru/bot"
)

var _ site.Memory = (*staffed)(nil)

// recall is what a fake desk remembers.
type recall struct {
	mu    sync.Mutex
	facts []site.Remembered
	notes []site.Note
}

func someFacts() []site.Remembered {
	return []site.Remembered{{ID: "m1", Text: "**짧은 답을 좋아해요** — preference"}, {ID: "m2", Task: "Write the weekly report", Text: "Look up tickets → Summarize — 3 of 4"}, {ID: "m3", Task: "Write the weekly report", Text: "Send it to Bora — 2026-11-20"}}
}

func someNotes(n int) []site.Note {
	out := make([]site.Note, n)
	for i := range out {
		out[i] = site.Note{ID: fmt.Sprintf("n%d", i), Scope: "channel:slack/T1/C1", Words: fmt.Sprintf("스탠드업 %d은 10시야", i), By: "영희, 2026-11-20", At: ranAt}
	}
	return out
}

func (m *recall) ListMemory(context.Context, bot.User, bot.Thread) ([]site.Remembered, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.facts), "Memory is on.", nil
}

func (m *recall) ListNotes(_ context.Context, _ bot.User, _ bot.Thread, skip, limit int) ([]site.Note, int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.notes[skip:min(skip+limit, len(m.notes))]), len(m.notes), nil
}

func (m *recall) ForgetMemory(_ context.Context, _ bot.User, _ bot.Thread, id string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.facts = slices.DeleteFunc(m.facts, func(r site.Remembered) bool { return r.ID == id })
	return "Forgot `" + id + "`", nil
}

func (m *recall) ForgetNote(_ context.Context, _ bot.User, _ bot.Thread, scope, id string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes = slices.DeleteFunc(m.notes, func(n site.Note) bool { return n.ID == id && n.Scope == scope })
	return "Forgot `" + id + "`", nil
}

func TestBrowserMemory(t *testing.T) {
	t.Parallel()
	for lang, self := range map[string]string{"en": "What you told me about yourself", "ko": "직접 알려 준 것"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			c := startStaffed(t, &staffed{recall: recall{facts: someFacts(), notes: someNotes(1000)}})
			b := browser(t)
			problems := complaints(t, b)
			b.open(c.URL + "/memory")
			b.click("[name=lang][value=" + lang + "]")
			b.wait("html[lang=" + lang + "]")
			b.until(`[...document.querySelectorAll(".part h3")].map((h) => h.textContent).join() === "` + self + `,Write the weekly report" && document.querySelectorAll("[data-note]").length === 50`)
			b.click("[data-memory=m2] summary")
			b.click("[data-memory=m2] [type=submit]")
			b.until(`document.querySelector(".said").textContent.trim() === "Forgot m2" && !document.querySelector("[data-memory=m2]")`)
			b.click("[data-note=n3] summary")
			b.click("[data-note=n3] [type=submit]")
			b.until(`document.querySelector(".said").textContent.trim() === "Forgot n3" && !document.querySelector("[data-note=n3]")`)
			b.click(".pager a[rel=next]")
			b.until(`Boolean(document.querySelector("[data-note=n52]"))`)
			if p := problems(); len(p) > 0 {
				t.Errorf("the browser complained: %q", p)
			}
		})
	}
}
