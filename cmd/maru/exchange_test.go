package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/audience"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
	"maru/memory/sqlitestore"
)

// TestLinksAtOnce: of processes that redeem a link at the same moment one is served, and of links of several people for one
// address none assigns it twice.
func TestLinksAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
		must(t, "open", err)
		t.Cleanup(func() { _ = s.Close() })
		redeemAtOnce(t, s)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		s, err := pgstore.Open(t.Context(), pgstore.Config{URL: servers.Postgres(t), Schema: servers.Name()})
		must(t, "open", err)
		t.Cleanup(func() { _ = s.Close() })
		redeemAtOnce(t, s)
	})
}

func redeemAtOnce(t *testing.T, record bot.Notes) {
	t.Helper()
	process := func() *audience.People {
		return audience.New(audience.Config{Record: record, Now: time.Now}).People()
	}
	const processes = 8
	at := bot.Thread{Platform: "discord", Team: "G1"}
	offer := func(id string) string {
		link, err := process().Offer(t.Context(), at, bot.User{ID: id})
		must(t, "offer", err)
		return link
	}
	race := func(link func(i int) string, mail func(i int) string, allowed error) (served int) {
		var all sync.WaitGroup
		done := make([]error, processes)
		links := make([]string, processes)
		for i := range links {
			links[i] = link(i)
		}
		for i := range done {
			all.Go(func() { _, done[i] = process().Redeem(t.Context(), links[i], mail(i)) })
		}
		all.Wait()
		for _, err := range done {
			if err == nil {
				served++
			} else if !errors.Is(err, allowed) {
				t.Error(err)
			}
		}
		return served
	}
	for n := range 5 {
		one := offer(fmt.Sprint("one", n))
		if served := race(func(int) string { return one }, func(i int) string { return fmt.Sprintf("p%d.%d@x.com", n, i) }, audience.ErrLink); served != 1 {
			t.Errorf("%d processes used one link", served)
		}
		mail := fmt.Sprintf("same%d@x.com", n)
		served := race(func(i int) string { return offer(fmt.Sprint("many", n, ".", i)) }, func(int) string { return mail }, audience.ErrTaken)
		rows, err := process().List(t.Context(), at)
		must(t, "list", err)
		var have int
		for _, r := range rows {
			if r.Mail == mail {
				have++
			}
		}
		if served > 1 || have != served {
			t.Errorf("%d people were told that they have %s, %d have it", served, mail, have)
		}
	}
}
