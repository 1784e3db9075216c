package discordfake_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"maru/adapters/discord/discordfake"
)

// TestTheRealLibraryTakesItForDiscord connects discordgo, whose endpoints are
// globals of the process: no other test of this package may use it.
func TestTheRealLibraryTakesItForDiscord(t *testing.T) {
	fake := discordfake.Start(t, discordfake.Config{})
	api := fake.URL() + "/"
	discordgo.EndpointAPI, discordgo.EndpointGateway, discordgo.EndpointGatewayBot = api, api+"gateway", api+"gateway/bot"
	discordgo.EndpointChannels, discordgo.EndpointUsers, discordgo.EndpointGuilds = api+"channels/", api+"users/", api+"guilds/"
	discordgo.EndpointApplications, discordgo.EndpointWebhooks = api+"applications", api+"webhooks/"
	s, err := discordgo.New("Bot " + fake.Token())
	if err != nil {
		t.Fatal(err)
	}
	s.Client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
	defer s.Client.CloseIdleConnections()
	s.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsMessageContent
	said := make(chan *discordgo.MessageCreate, 8)
	clicked := make(chan *discordgo.InteractionCreate, 8)
	s.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { said <- m })
	s.AddHandler(func(_ *discordgo.Session, i *discordgo.InteractionCreate) { clicked <- i })
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()

	fake.Say(fake.Alice, fake.General, fake.Mention()+" 안녕")
	m := take(ctx, t, said)
	if m.Author.ID != fake.Alice || len(m.Mentions) != 1 || m.Mentions[0].ID != fake.Bot() || m.GuildID != fake.Guild {
		t.Errorf("message is %+v", m.Message)
	}
	sent, err := s.ChannelMessageSendComplex(fake.General, &discordgo.MessageSend{
		Content: "골라 주세요", Flags: discordgo.MessageFlagsSuppressEmbeds, AllowedMentions: &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}},
		Components: []discordgo.MessageComponent{
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "이것", Style: discordgo.PrimaryButton, CustomID: "x"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := fake.BotMessages(fake.General); len(got) != 1 || got[0].ID != sent.ID || got[0].Text() != "골라 주세요" {
		t.Errorf("shown: %+v", got)
	}
	token := fake.Click(fake.Bob, fake.General, sent.ID, "x")
	i := take(ctx, t, clicked)
	if i.MessageComponentData().CustomID != "x" || i.Member.User.ID != fake.Bob {
		t.Errorf("interaction is %+v", i.Interaction)
	}
	if err := s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}); err != nil {
		t.Fatal(err)
	}
	if got := fake.Interaction(token); got.Kind != 6 {
		t.Errorf("answer is %+v", got)
	}
}

func take[T any](ctx context.Context, t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-ctx.Done():
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// TestWhatDiscordRefusesIsRefused sends what a careless program would.
func TestWhatDiscordRefusesIsRefused(t *testing.T) {
	t.Parallel()
	quiet := `"allowed_mentions":{"parse":[]},"flags":4`
	v2 := `"allowed_mentions":{"parse":[]},"flags":32772`
	text := func(n int) string { return `{"type":10,"content":"` + strings.Repeat("x", n) + `"}` }
	many := func(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	button := `{"type":2,"style":1,"label":"a","custom_id":"x"}`
	for name, body := range map[string]string{
		"too_long":          `{"content":"` + strings.Repeat("x", 2001) + `",` + quiet + `}`,
		"empty":             `{"content":" ",` + quiet + `}`,
		"mentions":          `{"content":"x","flags":4}`,
		"previews":          `{"content":"x","allowed_mentions":{"parse":[]}}`,
		"unknown_field":     `{"content":"x","what":1,` + quiet + `}`,
		"long_nonce":        `{"content":"x","nonce":"` + strings.Repeat("n", 26) + `",` + quiet + `}`,
		"two_of_one_id":     `{"content":"x","components":[{"type":1,"components":[` + button + `,` + button + `]}],` + quiet + `}`,
		"text_without_flag": `{"content":"x","components":[` + text(1) + `],` + quiet + `}`,
		"content_with_flag": `{"content":"x","components":[` + text(1) + `],` + v2 + `}`,
		"too_much_text":     `{"components":[` + text(3000) + `,` + text(1001) + `],` + v2 + `}`,
		"too_many":          `{"components":[{"type":17,"components":[` + many(39, text(1)) + `]},` + text(1) + `],` + v2 + `}`,
		"empty_container":   `{"components":[{"type":17,"components":[]}],` + v2 + `}`,
		"not_json":          `{`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, err := discordfake.New(discordfake.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer fake.Close()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fake.URL()+"/channels/"+fake.General+"/messages", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bot "+fake.Token())
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest || len(fake.Violations()) == 0 {
				t.Errorf("status %d, violations %v", resp.StatusCode, fake.Violations())
			}
		})
	}
}
