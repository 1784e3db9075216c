package benchwire

import (
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
)

// TestWireIdle prints the memory of a program that is connected to Slack and Discord and has nothing to do.
func TestWireIdle(t *testing.T) {
	measures(t)
	model := startModel(t)
	for _, r := range records(t) {
		s, d := slackfake.Start(t, slackfake.Options{}), discordfake.Start(t, discordfake.Config{})
		p := startProgram(t, append(r.env, "OPENAI_BASE_URL="+model.URL+"/v1",
			"SLACK_BOT_TOKEN="+s.BotToken(), "SLACK_APP_TOKEN="+s.AppToken(), "SLACK_API_URL="+s.URL(),
			"DISCORD_BOT_TOKEN="+d.Token(), "DISCORD_API_URL="+d.URL())...)
		before := cpuOf(t, p.pid)
		time.Sleep(*idle)
		rss, anon := memoryOf(t, p.pid)
		say("%s, %v after the start with Slack and Discord: RSS %.1f MB, RssAnon %.1f MB, CPU %v since it was ready", r.name, *idle, rss, anon, cpuOf(t, p.pid)-before)
	}
}
