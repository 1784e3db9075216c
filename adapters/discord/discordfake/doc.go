// Package discordfake is a working Discord on loopback: the REST API, the gateway and interactions, as far as a
// chat bot needs them. It rejects what Discord rejects (limits, unknown fields, missing tokens, bodies that
// violate Discord's OpenAPI file) and records every rejection, so that a test can fail on it. It does not depend
// on the tested bot.
//
//	fake := discordfake.Start(t, discordfake.Config{})
//	a, err := discord.New(discord.Config{Token: fake.Token(), APIURL: fake.URL()})
//	… run a …
//	fake.AwaitReady(ctx)
//	q := fake.Say(fake.Alice, fake.General, fake.Mention()+" 안녕?")
//	answers, err := fake.AwaitAnswers(ctx, q.ID, 1) // in the thread made from q
package discordfake
