// Package slackfake is a Slack on loopback for tests: the Web API, Socket Mode
// and signed HTTP deliveries, with channels, threads, people, files and views
// that remember what happened. It refuses what the real service refuses (unknown
// methods, missing or unknown arguments, wrong tokens, everything above the
// limits, malformed blocks, replies to messages that do not exist) and keeps a
// journal of every call and acknowledgement.
//
//	fake := slackfake.Start(t, slackfake.Options{})
//	// run the bot with SLACK_API_URL=fake.URL(), SLACK_BOT_TOKEN=fake.BotToken(),
//	// SLACK_APP_TOKEN=fake.AppToken(), or fake.Deliver(botURL) for HTTP mode
//	ts := fake.Say("U1", "C1", "<@"+fake.BotUser()+"> how many days off?", "")
//	fake.Wait(ctx, func() bool { return len(fake.Messages("C1", ts)) == 2 })
//
// It knows nothing of the bot and uses no Slack library, so that it can judge
// both.
package slackfake
