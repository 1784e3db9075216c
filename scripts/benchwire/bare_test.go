package benchwire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/bwmarrin/discordgo"
	sdk "github.com/sashabaranov/go-openai"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
)

// bareEnv makes the test binary be a bare bot of that kind, a process of its own.
const bareEnv = "MARU_BENCH_BARE"

func TestMain(m *testing.M) {
	if kind := os.Getenv(bareEnv); kind != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := runBare(ctx, kind); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(m.Run())
}

// runBare answers every message of a person at once and keeps nothing, as the examples of the
// platforms' SDKs do. With OPENAI_BASE_URL it asks that model, as a bot must.
func runBare(ctx context.Context, kind string) error {
	switch kind {
	case "slack-http":
		return bareSlackHTTP(ctx)
	case "slack-socket":
		return bareSlackSocket(ctx)
	case "discord":
		return bareDiscord(ctx)
	}
	return fmt.Errorf("no bare bot %q", kind)
}

func ready(addr string) { _, _ = fmt.Fprintf(os.Stderr, `{"msg":"ready","addr":%q}`+"\n", addr) }

// bareSlackHTTP is examples/eventsapi of slack-go; the answer is posted once the event is acknowledged.
func bareSlackHTTP(ctx context.Context) error {
	api := slack.New(os.Getenv("SLACK_BOT_TOKEN"), slack.OptionAPIURL(os.Getenv("SLACK_API_URL")))
	secret := os.Getenv("SLACK_SIGNING_SECRET")
	http.HandleFunc("/slack/events", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		sv, err := slack.NewSecretsVerifier(r.Header, secret)
		if err == nil {
			if _, err = sv.Write(body); err == nil {
				err = sv.Ensure()
			}
		}
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		ev, err := slackevents.ParseEvent(json.RawMessage(body), slackevents.OptionNoVerifyToken())
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		go bareAnswer(api, ev)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ready(l.Addr().String())
	go func() { <-ctx.Done(); _ = l.Close() }()
	_ = http.Serve(l, nil) // ends with the listener
	return nil
}

func bareSlackSocket(ctx context.Context) error {
	api := slack.New(os.Getenv("SLACK_BOT_TOKEN"), slack.OptionAPIURL(os.Getenv("SLACK_API_URL")), slack.OptionAppLevelToken(os.Getenv("SLACK_APP_TOKEN")))
	client := socketmode.New(api)
	go func() {
		for e := range client.Events {
			switch e.Type {
			case socketmode.EventTypeConnected:
				ready("")
			case socketmode.EventTypeEventsAPI:
				client.Ack(*e.Request)
				if ev, ok := e.Data.(slackevents.EventsAPIEvent); ok {
					go bareAnswer(api, ev)
				}
			}
		}
	}()
	_ = client.RunContext(ctx) // ends with ctx
	return nil
}

func bareAnswer(api *slack.Client, ev slackevents.EventsAPIEvent) {
	m, ok := ev.InnerEvent.Data.(*slackevents.MessageEvent)
	if !ok || m.BotID != "" || m.SubType != "" {
		return
	}
	thread := m.ThreadTimeStamp
	if thread == "" {
		thread = m.TimeStamp
	}
	text, err := bareReply(m.Text)
	if err == nil {
		_, _, err = api.PostMessage(m.Channel, slack.MsgOptionText(text, false), slack.MsgOptionTS(thread))
	}
	if err != nil {
		log.Print(err)
	}
}

// bareReply streams the model's answer to a message with go-openai, or without a model answers at once.
func bareReply(text string) (string, error) {
	base := os.Getenv("OPENAI_BASE_URL")
	if base == "" {
		return "hello to " + lastMark([]byte(text)), nil
	}
	c := sdk.DefaultConfig("key")
	c.BaseURL = base
	c.HTTPClient = bareHTTP
	stream, err := sdk.NewClientWithConfig(c).CreateChatCompletionStream(context.Background(), sdk.ChatCompletionRequest{
		Model: "instant", Messages: []sdk.ChatCompletionMessage{{Role: "system", Content: "You are a helpful bot."}, {Role: "user", Content: text}},
	})
	if err != nil {
		return "", err
	}
	defer stream.Close()
	var answer strings.Builder
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return answer.String(), nil
		}
		if err != nil {
			return "", err
		}
		for _, c := range chunk.Choices {
			answer.WriteString(c.Delta.Content)
		}
	}
}

// bareHTTP keeps as many idle connections as there are conversations; Go's default of two would measure dialling.
var bareHTTP = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: most}}

// bareDiscord answers in the channel. discordgo has Discord's addresses in variables.
func bareDiscord(ctx context.Context) error {
	base := strings.TrimSuffix(os.Getenv("DISCORD_API_URL"), "/") + "/"
	discordgo.EndpointAPI = base
	discordgo.EndpointGateway, discordgo.EndpointGatewayBot = base+"gateway", base+"gateway/bot"
	discordgo.EndpointChannels, discordgo.EndpointGuilds, discordgo.EndpointUsers = base+"channels/", base+"guilds/", base+"users/"
	s, err := discordgo.New("Bot " + os.Getenv("DISCORD_BOT_TOKEN"))
	if err != nil {
		return err
	}
	s.Identify.Intents = discordgo.IntentsGuildMessages | discordgo.IntentsMessageContent | discordgo.IntentsGuilds
	s.AddHandler(func(s *discordgo.Session, m *discordgo.MessageCreate) {
		if m.Author.Bot {
			return
		}
		text, err := bareReply(m.Content)
		if err == nil {
			_, err = s.ChannelMessageSendComplex(m.ChannelID, &discordgo.MessageSend{
				Flags: discordgo.MessageFlagsSuppressEmbeds, Content: text, AllowedMentions: &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}},
			})
		}
		if err != nil {
			log.Print(err)
		}
	})
	s.AddHandlerOnce(func(*discordgo.Session, *discordgo.Ready) { ready("") })
	if err := s.Open(); err != nil {
		return err
	}
	<-ctx.Done()
	return s.Close()
}
