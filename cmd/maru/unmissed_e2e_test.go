package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/memory/memtest/servers"
)

// unmissedStores returns the records over which a waiting run posts what people must not miss.
func unmissedStores() map[string]func(*testing.T) []string {
	return map[string]func(*testing.T) []string{
		"sqlite": func(*testing.T) []string { return nil },
		"postgres and redis": func(t *testing.T) []string {
			return []string{"DATABASE_URL=" + servers.StartPostgres(t).URL, "REDIS_URL=" + servers.StartRedis(t).URL}
		},
	}
}

// TestAWaitingRunPostsAnewOnSlack follows a run from its plan over its step to its answer. Each is a new message, exactly
// one, although the program is killed while Slack takes it, before it can note where it stands, and again once it is
// shown and committed.
func TestAWaitingRunPostsAnewOnSlack(t *testing.T) {
	t.Parallel()
	for name, env := range unmissedStores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := notings()[0]
			w := newSlackWorld(t, noter(t, c.said), append(env(t), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "TZ=UTC")...)
			w.start()
			var root string
			killedOnPost := func(act func()) {
				t.Helper()
				held, hold := make(chan struct{}, 1), make(chan struct{})
				w.slack.Fail(slackfake.Fault{Method: "chat.postMessage", Channel: "C1", Times: 1, Hold: hold, Held: held})
				act()
				select {
				case <-held:
				case <-time.After(atMost):
					t.Fatalf("nothing is posted; the bot said %q", w.bots("C1", root))
				}
				w.kill()
				close(hold)
				w.start()
			}
			killedOnPost(func() { root = w.slack.Say("U1", "C1", "<@UBOT> "+c.said, "") })
			for _, card := range []string{"📝", `\"quote\"`} {
				w.withButton(root, c.accept, card)
				w.settles() // an item that dies twice is parked
				w.kill()
				w.start()
				m := w.withButton(root, c.accept, card)
				killedOnPost(func() {
					if _, err := w.slack.Click("U1", "C1", m.TS, c.accept); err != nil {
						t.Fatal(err)
					}
				})
			}
			w.await("C1", root, 3, "☑️ "+c.said)
			w.kill()
			w.start()
			w.settles() // whatever the dead program had not committed is done again
			said := w.bots("C1", root)
			// What a card that was left shows is closed beside its successor, at the latest by a job.
			_ = w.slack.Wait(within(t, atMost), func() bool {
				said = w.bots("C1", root)
				return len(said)-countPrefix(said, "📎") == 3 && !slices.Contains(said, "")
			})
			if files := countPrefix(said, "📎"); len(said)-files != 3 || files > 1 {
				t.Errorf("plan, step, answer and its files are %d messages: %q", len(said), said)
			}
		})
	}
}

// countPrefix counts the texts that begin with prefix.
func countPrefix(texts []string, prefix string) (n int) {
	for _, text := range texts {
		if strings.HasPrefix(text, prefix) {
			n++
		}
	}
	return n
}

// TestAWaitingRunPostsAnewOnDiscord is TestAWaitingRunPostsAnewOnSlack on Discord, whose answer to each post is lost.
func TestAWaitingRunPostsAnewOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, env := range unmissedStores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := notings()[0]
			w := newDiscordWorld(t, noter(t, c.said), append(env(t), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "TZ=UTC")...)
			w.discord.SetLocale(w.user, c.locale)
			w.begin()
			q := w.discord.Say(w.user, w.general, w.discord.Mention()+" "+c.said)
			for _, card := range []string{"📝", `\"quote\"`} {
				m := w.showing(q.ID, c.accept, card)
				w.settles() // an item that dies twice is parked
				w.kill()
				w.begin()
				w.discord.Fail(discordfake.Fault{Method: "POST", Path: "/channels/" + q.ID + "/messages", Done: true, Hang: true})
				n := len(w.discord.BotMessages(q.ID))
				w.discord.Click(w.user, q.ID, m.ID, buttonID(m.Components, c.accept))
				if err := w.discord.Await(within(t, atMost), func() bool { return len(w.discord.BotMessages(q.ID)) > n }); err != nil {
					t.Fatalf("nothing follows %s: %s", card, raw(t, w.discord.BotMessages(q.ID)))
				}
				w.kill()
				w.begin()
			}
			w.saw(q.ID, "☑️ "+c.said)
			w.kill()
			w.begin()
			w.settles()
			var all, files []discordfake.Message
			_ = w.discord.Await(within(t, atMost), func() bool {
				all = w.discord.BotMessages(q.ID)
				files = slices.DeleteFunc(slices.Clone(all), func(m discordfake.Message) bool { return len(m.Files) == 0 })
				return len(all)-len(files) == 3
			})
			if len(all)-len(files) != 3 || len(files) > 1 {
				t.Errorf("plan, step, answer and its files are %d messages: %s", len(all), raw(t, all))
			}
		})
	}
}
