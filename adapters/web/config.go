package web

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"maru/adapters/web/signin"
	"maru/bot"
	"maru/phrase"
)

// Config configures a console.
type Config struct {
	Addr        string                       // address of the main listener; determines whether a login is required
	PublicHosts []string                     // host names, without port, that browsers may use besides loopback
	Login       Secret                       // the password; "" for no login, allowed on loopback only
	Tokens      []Token                      // of programs and people that use the HTTP API under their own names
	Key         Secret                       // signs sessions; "": random, so that a restart signs everybody out
	Secure      bool                         // browsers use TLS: cookies are marked Secure
	Space       string                       // the place of the console's threads; default "home"
	Formats     func(language string) string // of files that are read, for people
	MaxUpload   int64                        // bytes of an uploaded file; default 20 MiB
	Sees, Hears bool                         // pictures and recordings in a thread go to the model, and not to the documents
	Heartbeat   time.Duration                // interval between two signs of life on a quiet event stream; default 15 s
	Language    string                       // fallback for browsers that request no available language; default "en"
	Version     string                       // shown at the foot of the help, may be empty
	Now         func() time.Time
	Random      io.Reader // default crypto/rand
	Log         *slog.Logger
	Events      bot.Events     // shares messages among replicas; nil: each shows only its own
	SignIn      *signin.SignIn // with accounts that people have elsewhere; nil: with the password alone
	People      People         // who they are; needed with SignIn
}

// Secret is a string that never prints.
type Secret string

// String implements fmt.Stringer.
func (Secret) String() string { return "***" }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return `"***"` }

// MarshalText implements encoding.TextMarshaler, for JSON.
func (Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue("***") }

// minLogin is the minimum password length of a console that is reachable from outside.
const minLogin = 8

func (c *Config) setDefaults() {
	c.Space = cmp.Or(c.Space, "home")
	if c.Formats == nil {
		c.Formats = func(string) string { return "" }
	}
	c.MaxUpload = cmp.Or(max(c.MaxUpload, 0), 20<<20)
	c.Heartbeat = cmp.Or(max(c.Heartbeat, 0), 15*time.Second)
	c.Language = cmp.Or(c.Language, "en")
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
}

// Validate reports all faults of c at once.
func (c Config) Validate() error {
	var errs []error
	host, _, err := net.SplitHostPort(c.Addr)
	switch {
	case err != nil:
		errs = append(errs, fmt.Errorf("web: listen address %q: want host:port such as 127.0.0.1:8080", c.Addr))
	case c.Login == "" && c.SignIn == nil && !isLoopback(host):
		errs = append(errs, fmt.Errorf("web: %s can be reached from other machines, but the console has no login: "+
			"set its password, or listen on 127.0.0.1", c.Addr))
	}
	if c.Login == "" && c.SignIn == nil && len(c.PublicHosts) > 0 {
		errs = append(errs, fmt.Errorf("web: the console is to be reached as %s, but has no login: set its password",
			strings.Join(c.PublicHosts, ", ")))
	}
	if c.Login != "" && len(c.Login) < minLogin {
		errs = append(errs, fmt.Errorf("web: the console's password is shorter than %d characters: choose a longer one", minLogin))
	}
	for _, h := range c.PublicHosts {
		if h == "" || strings.ContainsAny(h, "/:@ *") {
			errs = append(errs, fmt.Errorf("web: public host %q: want a bare name such as maru.example.com", h))
		}
	}
	if _, ok := phrase.Match(c.Language); !ok && c.Language != "" {
		errs = append(errs, fmt.Errorf("web: language %q: want one of %s", c.Language, strings.Join(phrase.Languages(), ", ")))
	}
	return errors.Join(append(errs, validTokens(c.Tokens))...)
}

// isLoopback reports whether the host is reachable only from this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}
