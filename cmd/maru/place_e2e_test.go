package main

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
	"maru/datatest"
)

// spot is one place on a fake platform where people talk with the program.
type spot interface {
	order(args string)                       // an admin gives "/maru settings ARGS" in the channel
	ask(text string) (root string)           // somebody mentions the bot in the channel
	follow(root, text string)                // and goes on in the thread
	said(root string) (thread, all []string) // what the bot said in the thread, and there or in the channel
	told() []string                          // what somebody was told in private
	until(cond func() bool) error
}

type slackSpot struct{ *slackWorld }

func (s slackSpot) order(args string) {
	before := len(s.slack.Whispers("U2"))
	s.slack.Slash("U2", "C1", "/maru", "settings "+args)
	if err := s.until(func() bool { return len(s.slack.Whispers("U2")) > before }); err != nil {
		s.t.Fatalf("%s is not answered", args)
	}
}
func (s slackSpot) ask(text string) string   { return s.slack.Say("U1", "C1", "<@UBOT> "+text, "") }
func (s slackSpot) follow(root, text string) { s.slack.Say("U1", "C1", text, root) }
func (s slackSpot) said(root string) (thread, all []string) {
	thread = s.bots("C1", root)
	return thread, append(s.bots("C1", ""), thread...)
}
func (s slackSpot) told() (out []string) {
	for _, x := range s.slack.Whispers("U1") {
		out = append(out, x.Shown())
	}
	return out
}
func (s slackSpot) until(cond func() bool) error {
	return s.slack.Wait(within(s.t, atMost), cond)
}

type discordSpot struct{ *discordWorld }

func (d discordSpot) order(args string) {
	words := strings.Fields(args)
	options := map[string]string{"action": words[0], "place": words[1], "key": words[2], "value": strings.Join(words[3:], " ")}
	token := d.discord.Slash(d.user, d.general, "maru", "settings", options)
	if err := d.until(func() bool {
		o := d.discord.Interaction(token).Original
		return o != nil && o.Text() != ""
	}); err != nil {
		d.t.Fatalf("%s is not answered", args)
	}
}
func (d discordSpot) ask(text string) string {
	return d.discord.Say(d.user, d.general, d.discord.Mention()+" "+text).ID
}
func (d discordSpot) follow(root, text string) { d.discord.Say(d.user, root, text) }
func (d discordSpot) said(root string) (thread, all []string) {
	for _, m := range d.discord.BotMessages(root) {
		thread = append(thread, m.Text())
	}
	for _, m := range d.discord.BotMessages(d.general) {
		all = append(all, m.Text())
	}
	return thread, append(all, thread...)
}

// told are direct messages: nobody has clicked or given a command there.
func (d discordSpot) told() (out []string) {
	for _, m := range d.discord.BotMessages(d.discord.DM(d.user)) {
		out = append(out, m.Text())
	}
	return out
}
func (d discordSpot) until(cond func() bool) error {
	return d.discord.Await(within(d.t, atMost), cond)
}

// onBoth runs a test in a channel of both platforms.
func onBoth(t *testing.T, model func(t *testing.T) *llmtest.Server, check func(t *testing.T, s spot)) {
	t.Helper()
	for _, platform := range []string{"slack", "discord"} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			check(t, spotOn(t, platform, model(t)))
		})
	}
}

// spotOn starts the program in a channel of a platform.
func spotOn(t *testing.T, platform string, model *llmtest.Server) spot {
	t.Helper()
	if platform == "slack" {
		w := newSlackWorld(t, model, "MARU_ADMINS=U2")
		w.start()
		return slackSpot{w}
	}
	w := newDiscordWorld(t, model)
	w.discord.SetLocale(w.user, "en-US")
	w.env = append(w.env, "MARU_ADMINS="+w.user)
	w.begin()
	return discordSpot{w}
}

// says reports whether one of the texts has a part.
func says(texts []string, part string) bool { return strings.Contains(strings.Join(texts, "\n"), part) }

// slow returns a model that answers "one" when it is let, and all else at once.
func slow(t *testing.T, let chan struct{}) *llmtest.Server {
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		reply := think(r)
		if r.ResponseFormat == nil && strings.HasSuffix(reply.Text, ": one") {
			reply.Wait = let
		}
		return reply
	})
}

// TestWhatComesWhileTheBotIsBusy walks every policy from the setting to what
// people read.
func TestWhatComesWhileTheBotIsBusy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]struct {
		answers []string // in the thread, in the end
		never   string   // what is not answered, or no longer
		told    string
	}{
		"queue":     {answers: []string{"You said: one", "two"}},
		"reject":    {answers: []string{"You said: one"}, never: "two", told: "still"},
		"interrupt": {answers: []string{"A newer message came", "one / two"}},
		"rollback":  {answers: []string{"You said: two"}, never: "one / two"},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			for _, platform := range []string{"slack", "discord"} {
				if datatest.Short(t) && (platform == "slack") != (policy == "queue" || policy == "rollback") {
					continue // each policy once
				}
				t.Run(platform, func(t *testing.T) {
					t.Parallel()
					let := make(chan struct{})
					s := spotOn(t, platform, slow(t, let))
					s.order("set channel while_busy " + policy)
					s.order("set channel language en")
					root := s.ask("one")
					if err := s.until(func() bool { thread, _ := s.said(root); return len(thread) > 0 }); err != nil {
						t.Fatal("the first answer does not begin")
					}
					s.follow(root, "two")
					if err := s.until(func() bool { return want.told == "" || says(s.told(), want.told) }); err != nil {
						t.Errorf("whoever wrote is told %q, want %q", s.told(), want.told)
					}
					if policy == "queue" || policy == "reject" {
						close(let)
					}
					if err := s.until(func() bool {
						thread, _ := s.said(root)
						for _, a := range want.answers {
							if !says(thread, a) {
								return false
							}
						}
						return want.never == "" || !says(thread, want.never)
					}); err != nil {
						thread, _ := s.said(root)
						t.Errorf("the thread says %q, want %q and not %q", thread, want.answers, want.never)
					}
				})
			}
		})
	}
}

// TestAnswersStandWhereThePlaceWantsThem has the same question answered in a
// thread, in the channel, and in a thread again.
func TestAnswersStandWhereThePlaceWantsThem(t *testing.T) {
	t.Parallel()
	unraced(t)
	onBoth(t, brain, func(t *testing.T, s spot) {
		for i, step := range []struct {
			setting string
			thread  bool
		}{{"", true}, {"off", false}, {"on", true}} {
			if step.setting != "" {
				s.order("set channel reply_in_thread " + step.setting)
			}
			text := fmt.Sprintf("question %d", i)
			root := s.ask(text)
			if err := s.until(func() bool { _, all := s.said(root); return says(all, text) }); err != nil {
				t.Fatalf("%q is not answered", text)
			}
			if thread, all := s.said(root); says(thread, text) != step.thread {
				t.Errorf("reply_in_thread %q: the thread says %q, all says %q", step.setting, thread, all)
			}
		}
		// The channel is one conversation meanwhile: it remembers across messages.
		s.order("set channel reply_in_thread off")
		root := s.ask("and now?")
		if err := s.until(func() bool { _, all := s.said(root); return says(all, "question 1 / and now?") }); err != nil {
			_, all := s.said(root)
			t.Errorf("the channel does not remember: %q", all)
		}
	})
}

// TestThePersonaReachesTheModel sets words for the prompt in a channel and reads
// at the endpoint that they are there, and gone once they are cleared.
func TestThePersonaReachesTheModel(t *testing.T) {
	t.Parallel()
	unraced(t)
	const words = "Speak like the captain of a ferry."
	onBoth(t, func(t *testing.T) *llmtest.Server {
		return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
			reply := think(r)
			if r.ResponseFormat == nil && strings.Contains(r.Messages[0].Text(), words) {
				reply.Text = "Ahoy! " + reply.Text
			}
			return reply
		})
	}, func(t *testing.T, s spot) {
		for i, step := range []struct {
			order string
			ahoy  bool
		}{{"", false}, {"set channel persona " + words, true}, {"clear channel persona", false}} {
			if step.order != "" {
				s.order(step.order)
			}
			text := fmt.Sprintf("question %d", i)
			root := s.ask(text)
			if err := s.until(func() bool { thread, _ := s.said(root); return says(thread, text) }); err != nil {
				t.Fatalf("%q is not answered", text)
			}
			if thread, _ := s.said(root); says(thread, "Ahoy!") != step.ahoy {
				t.Errorf("after %q the bot says %q", step.order, thread)
			}
		}
	})
}
