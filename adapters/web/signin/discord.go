package signin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Discord signs in people of the servers that have the bot, with OAuth 2: Discord is no OpenID Connect provider.
type Discord struct {
	API          string // base of the REST API, such as https://discord.com/api/v10
	ClientID     string
	ClientSecret string
	// Guilds returns the names of the served guilds by ID.
	Guilds func(ctx context.Context) (map[string]string, error)
}

type discord struct {
	Discord

	client *http.Client
}

func (*discord) way() Way { return Way{ID: WayDiscord} }

// ready implements provider: nothing has to be found out first.
func (*discord) ready(context.Context) error { return nil }

func (d *discord) oauth(redirect string) *oauth2.Config {
	api := strings.TrimSuffix(d.API, "/")
	site, _, _ := strings.Cut(api, "/api")
	return &oauth2.Config{
		ClientID: d.ClientID, ClientSecret: d.ClientSecret, RedirectURL: redirect, Scopes: []string{"identify", "guilds"},
		Endpoint: oauth2.Endpoint{AuthURL: site + "/oauth2/authorize", TokenURL: api + "/oauth2/token", AuthStyle: oauth2.AuthStyleInParams},
	}
}

func (d *discord) authorize(_ context.Context, f flow, redirect string) (string, error) {
	return d.oauth(redirect).AuthCodeURL(f.State), nil
}

// redeem returns the person once for each guild that they and the bot are in.
func (d *discord) redeem(ctx context.Context, _ flow, redirect, code string) ([]Identity, error) {
	ctx = oidc.ClientContext(ctx, d.client) // oauth2 takes its client from ctx
	t, err := d.oauth(redirect).Exchange(ctx, code)
	if err != nil {
		return nil, exchangeProblem(err)
	}
	var me struct {
		ID     string `json:"id"`
		Name   string `json:"username"`
		Called string `json:"global_name"`
	}
	var in []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	if err := errors.Join(d.get(ctx, t, "/users/@me", &me), d.get(ctx, t, "/users/@me/guilds", &in)); err != nil {
		return nil, unreachable(err)
	}
	served, err := d.Guilds(ctx)
	if err != nil {
		return nil, unreachable(err)
	}
	if !platformID.MatchString(me.ID) {
		return nil, refused(errors.New("discord returned no person"))
	}
	me.Called = cmp.Or(me.Called, me.Name)
	var out []Identity
	for _, g := range in {
		if _, ok := served[g.ID]; ok && platformID.MatchString(g.ID) {
			out = append(out, Identity{Platform: WayDiscord, Team: g.ID, User: me.ID, Name: short(me.Called), Place: short(g.Name)})
		}
	}
	if len(out) == 0 {
		return nil, &Problem{Key: "signin.not_here", Status: http.StatusForbidden}
	}
	return out[:min(len(out), maxChoices)], nil
}

// get asks Discord in the person's name.
func (d *discord) get(ctx context.Context, t *oauth2.Token, path string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(d.API, "/")+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+t.AccessToken)
	res, err := d.client.Do(r)
	if err != nil {
		return fmt.Errorf("ask discord for %s: %w", path, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("ask discord for %s: HTTP %d", path, res.StatusCode)
	}
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		return fmt.Errorf("read discord's %s: %w", path, err)
	}
	return nil
}
