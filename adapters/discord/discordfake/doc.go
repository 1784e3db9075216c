// Package discordfake is a working Discord on loopback: the REST API, the
// gateway and interactions, as far as a chat bot needs them. It refuses what
// Discord refuses (limits, unknown fields, missing tokens, bodies that Discord's
// OpenAPI file does not allow) and writes down every refusal, so that a test can
// fail on it. It knows nothing of the bot that is tested with it.
//
//	fake := discordfake.Start(t, discordfake.Config{})
//	a, err := discord.New(discord.Config{Token: fake.Token(), APIURL: fake.URL()})
//	… run a …
//	fake.AwaitReady(ctx)
//	q := fake.Say(fake.Alice, fake.General, fake.Mention()+" 안녕?")
//	answers, err := fake.AwaitAnswers(ctx, q.ID, 1) // in the thread made from q
package discordfake
