package rest

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// defaultAPI is the base URL of Discord's REST API.
const defaultAPI = "https://discord.com/api/v10"

// BaseURL returns the configured base URL without a trailing slash.
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

// NoRedirect refuses redirects: the API makes none, and every call carries the token.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// seconds parses Discord's decimal seconds.
func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f <= 0 || f > 1e6 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}
