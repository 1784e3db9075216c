package discordfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// ClientSecret is the secret of the application, for DISCORD_CLIENT_SECRET.
const ClientSecret = "fake-discord-secret"

// consent is a person's consent to the application.
type consent struct {
	user, redirect string
	used           bool
}

// ClientID returns the id of the application, for DISCORD_CLIENT_ID.
func (f *Fake) ClientID() string { return f.appID }

// Agree makes a person consent on the page to which the bot's console redirects, and returns Discord's redirect.
// It returns an error for an invalid page.
func (f *Fake) Agree(user, page string) (string, error) {
	u, err := url.Parse(page)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	q := u.Query()
	switch {
	case u.Host+u.Path != f.addr+"/oauth2/authorize" || q.Get("response_type") != "code" || q.Get("client_id") != f.appID:
		return "", fmt.Errorf("discordfake: %s is not an install page of this application", page)
	case q.Get("scope") != "identify guilds" || q.Get("state") == "" || !strings.HasSuffix(q.Get("redirect_uri"), "/signin/discord/callback"):
		return "", errors.New("discordfake: scope, state or redirect_uri")
	}
	code := f.id()
	f.consents[code] = &consent{user: user, redirect: q.Get("redirect_uri")}
	return q.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), nil
}

// serveToken trades a code for an access token.
func (f *Fake) serveToken(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.consents[r.PostFormValue("code")]
	if r.PostFormValue("client_id") != f.appID || r.PostFormValue("client_secret") != ClientSecret || c == nil || c.used ||
		r.PostFormValue("grant_type") != "authorization_code" || r.PostFormValue("redirect_uri") != c.redirect {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	c.used = true
	token := "user-token-" + f.id()
	f.consents[token] = c
	writeJSON(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 604800, "scope": "identify guilds"})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// asPerson handles requests with a person's token; false for others. The caller holds f.mu.
func (f *Fake) asPerson(w http.ResponseWriter, r *http.Request, path string) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	c := f.consents[token]
	if !ok || c == nil {
		return false
	}
	switch u := f.users[c.user]; path {
	case "/users/@me":
		writeJSON(w, http.StatusOK, map[string]any{"id": u.ID, "username": u.Name, "global_name": nil})
	case "/users/@me/guilds":
		list := []any{map[string]any{"id": "999", "name": "Another server"}}
		if !u.Left {
			list = append(list, map[string]any{"id": f.Guild, "name": "마루 팀", "permissions": "0"})
		}
		writeJSON(w, http.StatusOK, list)
	default:
		writeJSON(w, http.StatusForbidden, map[string]any{"message": "Missing Access", "code": 50001})
	}
	return true
}
