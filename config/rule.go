package config

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"maru/config/network"
	"maru/phrase/pattern"
)

// rule checks a value before it is parsed. It returns fault and remedy, both "" for a valid value. Neither may
// contain the value itself where it could be a secret: use quote.
type rule func(value string) (wrong, fix string)

func oneOf(options ...string) rule {
	return func(value string) (string, string) {
		if slices.Contains(options, value) {
			return "", ""
		}
		fix := "use " + strings.Join(options[:len(options)-1], ", ") + " or " + options[len(options)-1]
		if near, ok := nearest(strings.ToLower(value), options, 2); ok {
			fix = fmt.Sprintf("did you mean %q? %s", near, fix)
		}
		return "is " + quote(value), fix
	}
}

// within makes a rule of two bounds for values that parse turns into numbers.
func within[T int | int64 | float64 | time.Duration](parse func(string) (T, error), low, high T, words string) rule {
	return func(value string) (string, string) {
		v, err := parse(value)
		if err != nil || (v >= low && v <= high) {
			return "", "" // assign reports values that do not parse
		}
		return "is " + quote(value), words
	}
}

func between(low, high int) rule {
	return within(strconv.Atoi, low, high, fmt.Sprintf("use a whole number from %d to %d", low, high))
}

func ranging(low, high float64) rule {
	return within(parseFloat, low, high, fmt.Sprintf("use a number from %g to %g", low, high))
}

func lasting(low, high string) rule {
	return within(parseDuration, must(parseDuration(low)), must(parseDuration(high)), "use a time from "+low+" to "+high)
}

// orNone accepts 0 besides a rule's values.
func orNone(r rule) rule {
	return func(value string) (string, string) {
		if d, err := parseDuration(value); err == nil && d == 0 {
			return "", ""
		}
		wrong, fix := r(value)
		if fix != "" {
			fix += ", or 0"
		}
		return wrong, fix
	}
}

func sized(low, high string) rule {
	return within(parseSize, must(parseSize(low)), must(parseSize(high)), "use a size from "+low+" to "+high)
}

// must is for the bounds written in the table.
func must[T any](v T, err error) T {
	if err != nil {
		panic("config: bad bound in the table: " + err.Error())
	}
	return v
}

// oneWord refuses blanks inside and characters that cannot be seen: they come
// with a careless paste and lead to puzzling refusals later.
func oneWord(value string) (string, string) {
	if strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return "contains a blank or an invisible character", "copy the value again, without quotes and line breaks"
	}
	if strings.Trim(value, `"'`) != value {
		return "is in quotes", "write the value without quotes"
	}
	return "", ""
}

// tokenKinds tells Slack's tokens apart.
var tokenKinds = []struct{ prefix, what string }{
	{"xoxb-", "a bot token"}, {"xoxe.xoxb-", "a bot token"}, {"xapp-", "an app-level token"}, {"xoxp-", "a user token"},
	{"xoxe.xoxp-", "a user token"}, {"xoxe-", "a refresh token"}, {"xoxa-", "a legacy workspace token"},
	{"xoxc-", "a browser token"}, {"xoxd-", "a browser cookie"}, {"xoxs-", "a browser token"},
	{"http://", "a URL"}, {"https://", "a URL"},
}

func slackToken(want, other string) rule {
	return func(value string) (string, string) {
		if wrong, fix := oneWord(value); wrong != "" {
			return wrong, fix
		}
		for _, kind := range tokenKinds {
			if !strings.HasPrefix(value, kind.prefix) {
				continue
			}
			if strings.HasSuffix(kind.prefix, want) {
				return "", ""
			}
			fix := "put the token that begins with " + want + " here"
			if kind.prefix == "xapp-" || kind.prefix == "xoxb-" {
				fix += ", and this one into " + other
			}
			return "holds " + kind.what, fix
		}
		return "", ""
	}
}

func notAToken(value string) (string, string) {
	if strings.HasPrefix(value, "xox") || strings.HasPrefix(value, "xapp-") {
		return "holds a token", "copy the Signing Secret from Basic Information of the Slack app"
	}
	return oneWord(value)
}

// appCredential returns the rule of the client id and secret of a Slack app.
func appCredential(value string) (string, string) {
	if strings.HasPrefix(value, "xox") || strings.HasPrefix(value, "xapp-") {
		return "holds a token", "copy Client ID and Client Secret from Basic Information of the Slack app"
	}
	return oneWord(value)
}

func discordToken(value string) (string, string) {
	if strings.HasPrefix(value, "Bot ") || strings.HasPrefix(value, "Bearer ") {
		return `begins with "Bot" or "Bearer"`, "give the token alone"
	}
	if allDigits.MatchString(value) {
		return "holds an application id", "copy the token from the Bot page of the Discord app"
	}
	return oneWord(value)
}

var allDigits = pattern.New(`^[0-9]+$`)

func hexDigits(n int) rule {
	return func(value string) (string, string) {
		if _, err := hex.DecodeString(value); err != nil || len(value) != n {
			return fmt.Sprintf("is not %d hex digits", n), "copy the Public Key from General Information of the Discord app"
		}
		return "", ""
	}
}

func atLeast(n int) rule {
	return func(value string) (string, string) {
		if len([]rune(value)) < n {
			return "is too short", fmt.Sprintf("use at least %d characters", n)
		}
		return "", ""
	}
}

func atMost(n int) rule {
	return func(value string) (string, string) {
		if len([]rune(value)) > n {
			return "is too long", fmt.Sprintf("use at most %d characters", n)
		}
		return "", ""
	}
}

var nameShape = pattern.New(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func name(value string) (string, string) {
	if !nameShape.MatchString(value) {
		return "is " + quote(value), "use a name of lower-case letters, digits, - and _"
	}
	return "", ""
}

// each applies a rule to every entry of a list.
func each(r rule) rule {
	return func(value string) (string, string) {
		for _, entry := range list(value) {
			if wrong, fix := r(entry); wrong != "" {
				return wrong, fix
			}
		}
		return "", ""
	}
}

func zone(value string) (string, string) {
	if _, err := time.LoadLocation(value); err != nil {
		return "is " + quote(value), "use an IANA name such as Asia/Seoul or Europe/Berlin, or Local"
	}
	return "", ""
}

func path(value string) (string, string) {
	if strings.ContainsRune(value, 0) {
		return "contains a zero byte", "give a path"
	}
	return "", ""
}

// indexName checks the name of an OpenSearch index.
func indexName(value string) (string, string) {
	bad := value != strings.ToLower(value) || strings.ContainsAny(value, `\/*?"<>| ,#:`+"\x00") || strings.ContainsAny(value[:1], "_-+.") || len(value) > 200
	if bad {
		return "is " + quote(value), "use lower-case letters, digits and -, up to 200, and begin with a letter"
	}
	return "", ""
}

func under(prefix string) rule {
	return func(value string) (string, string) {
		if !strings.HasPrefix(value, prefix) || strings.Contains(value, "..") {
			return "is " + quote(value), "give an absolute path under " + prefix + ", the only folder the sandbox shows"
		}
		return "", ""
	}
}

var versionShape = pattern.New(`^\d{4}-\d{2}-\d{2}(-preview)?$|^v1$|^preview$`)

func apiVersion(value string) (string, string) {
	if !versionShape.MatchString(value) {
		return "is " + quote(value), "use a date such as 2024-10-21 or 2024-10-01-preview"
	}
	return "", ""
}

// webURL takes absolute http and https addresses without a login in them.
// "{lang}" may be part of the host.
func webURL(value string) (string, string) {
	const fix = "use an address such as https://host/path"
	u, err := url.Parse(strings.ReplaceAll(value, "{lang}", "lang"))
	switch {
	case err != nil:
		return "is not a URL", fix
	case u.Scheme != "http" && u.Scheme != "https":
		return "does not begin with http:// or https://", fix
	case u.Hostname() == "":
		return "names no host", fix
	case u.User != nil:
		return "contains a login", "take user and password out of the address"
	case u.RawQuery != "" || u.Fragment != "":
		return "has a ? or # part", "give the base address alone"
	case !validPort(u.Port(), true):
		return "has a bad port", "use a port from 1 to 65535"
	}
	return "", ""
}

// storeURL checks the address of a database without ever repeating it.
func storeURL(schemes ...string) rule {
	return func(value string) (string, string) {
		fix := fmt.Sprintf("use an address such as %s://user:password@host:port/name", schemes[0])
		u, err := url.Parse(value)
		switch {
		case err != nil:
			return "is not a URL", fix + "; escape special characters of the password as %40"
		case !slices.Contains(schemes, u.Scheme):
			return "does not begin with " + strings.Join(schemes, ":// or ") + "://", fix
		case u.Host == "" && u.Path == "":
			return "names no host", fix
		case !validPort(u.Port(), true):
			return "has a bad port", "use a port from 1 to 65535"
		}
		return "", ""
	}
}

func validPort(port string, orNone bool) bool {
	if port == "" {
		return orNone
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 0 && n <= 65535 && (n > 0 || !orNone)
}

func listen(value string) (string, string) {
	const fix = "use host:port, e.g. 127.0.0.1:8080, or :8080 for every interface"
	host, port, err := net.SplitHostPort(value)
	switch {
	case strings.Contains(value, "://"):
		return "is a URL", fix
	case err != nil:
		return "is " + quote(value), fix
	case !validPort(port, false):
		return "has a bad port", "use a port from 0 to 65535; 0 takes a free one"
	case strings.ContainsAny(host, " /@"):
		return "has a bad host", fix
	}
	return "", ""
}

func listenOrOff(value string) (string, string) {
	if value == "off" {
		return "", ""
	}
	return listen(value)
}

// loopback reports whether only this machine reaches host.
func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// innerNetwork returns the rule of one entry of addresses.
func innerNetwork(value string) (string, string) {
	n, err := network.Parse(value)
	switch {
	case err != nil:
		return "names " + quote(value), "use addresses such as 10.1.2.3, 10.1.2.3:8080 or 10.0.0.0/8: a name may lead anywhere, so what it resolves to is what counts"
	case n.LinkLocal():
		return "names " + quote(value), "take it out: clouds give away a machine's keys at link-local addresses, and they are never asked"
	}
	return "", ""
}
