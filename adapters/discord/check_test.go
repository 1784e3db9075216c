package discord_test

import (
	"context"
	"strings"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
)

func TestCheckSaysWhatToDo(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		cfg    discord.Config
		change func(*discordfake.Fake)
		want   string
	}{
		"all_is_well":   {},
		"wrong_token":   {cfg: discord.Config{Token: "wrong"}, want: "DISCORD_BOT_TOKEN"},
		"wrong_key":     {cfg: discord.Config{PublicKey: strings.Repeat("ab", 32)}, want: "DISCORD_PUBLIC_KEY"},
		"no_content":    {change: (*discordfake.Fake).ForbidContent, want: "Message Content Intent"},
		"no_members":    {cfg: discord.Config{ListsMembers: true}, change: func(f *discordfake.Fake) { f.ForbidMembers(true) }, want: "Server Members Intent"},
		"none_needed":   {change: func(f *discordfake.Fake) { f.ForbidMembers(true) }},
		"nobody_there":  {cfg: discord.Config{APIURL: "http://127.0.0.1:1/api/v10"}, want: "refused"},
		"wrong_address": {change: nil, cfg: discord.Config{}, want: ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := discordfake.Start(t, discordfake.Config{})
			if c.change != nil {
				c.change(fake)
			}
			if name == "wrong_address" {
				c.cfg.APIURL, c.want = strings.TrimSuffix(fake.URL(), "/api/v10")+"/elsewhere", "DISCORD_API_URL"
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			who, err := adapter(t, fake, c.cfg).Check(ctx)
			switch {
			case c.want == "" && (err != nil || who != "Maru"):
				t.Errorf("%q, %v", who, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error is %v, want a word on %s", err, c.want)
			}
		})
	}
}

func TestConfigReportsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	_, err := discord.New(discord.Config{PublicKey: "xyz", APIURL: "ftp://x", Command: "Has Spaces"})
	for _, want := range []string{"DISCORD_BOT_TOKEN", "DISCORD_PUBLIC_KEY", "DISCORD_API_URL", "Has Spaces"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want a word on %s", err, want)
		}
	}
}
