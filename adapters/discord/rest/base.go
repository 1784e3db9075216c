package rest

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// defaultAPI is Discord's own REST API.
const defaultAPI = "https://discord.com/api/v10"

// BaseURL returns the configured base without a final slash.
func BaseURL(raw string) (*url.URL, error) {
	if strings.TrimSpace(raw) == "" {
		raw = defaultAPI
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, errors.New("API URL is not an http(s) address: set DISCORD_API_URL to something like https://discord.com/api/v10")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// NoRedirect follows no redirect: the API makes none, and a call holds the token.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
