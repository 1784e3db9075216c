package console

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"time"

	"maru/bot"
	"maru/phrase"
)

// The console's single user: everybody who can run the program on this machine is its owner.
const (
	platform = "console"
	team     = "local"
	space    = "home"
	ownerID  = "owner"
)

// Config configures a console. Empty fields use the defaults.
type Config struct {
	In       io.Reader
	Out      io.Writer
	Err      io.Writer        // for output other than the answer; default Out
	Thread   string           // name of the conversation; "" for the last one
	Name     string           // of the person, may be empty
	Files    string           // folder for files created by runs; default maru-files in the temporary folder
	Dir      string           // folder of relative paths; default that of the process
	First    string           // command that begins the conversation; "" for none
	Language string           // of the console's own texts; default English
	TimeZone string           // IANA name, "" if unknown
	Quit     func()           // called when the person leaves; may be nil
	Width    func() int       // columns of the terminal; nil: detected
	Now      func() time.Time // default time.Now
	NewID    func() string    // default 64 random bits
}

func (c *Config) setDefaults() {
	if c.Err == nil {
		c.Err = c.Out
	}
	if c.Quit == nil {
		c.Quit = func() {}
	}
	if _, ok := phrase.Match(c.Language); !ok {
		c.Language = phrase.Fallback
	}
	if c.Files == "" {
		c.Files = filepath.Join(os.TempDir(), "maru-files")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = func() string {
			var b [8]byte
			_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
			return hex.EncodeToString(b[:])
		}
	}
}

// thread returns the named conversation.
func thread(name string) bot.Thread {
	return bot.Thread{Platform: platform, Team: team, Channel: space, ID: name, Direct: true}
}

func (c *Config) user() bot.User {
	return bot.User{ID: ownerID, Name: c.Name, Locale: c.Language, TimeZone: c.TimeZone, Admin: true}
}

// message returns a message written in a thread.
func (c *Config) message(t bot.Thread, text string) bot.Message {
	now := c.Now()
	return bot.Message{
		ID: c.NewID(), Order: order(now), Thread: t, User: c.user(),
		Reach: bot.ReachDirect, Text: text, At: now,
	}
}

// invocation returns a command given in a thread.
func (c *Config) invocation(t bot.Thread, name, args string) bot.Invocation {
	now := c.Now()
	return bot.Invocation{Name: name, Args: args, Thread: t, User: c.user(), ID: c.NewID(), Order: order(now), At: now, Before: bot.Bound{Order: order(now), At: now}}
}

// Library is the part of the bot that /ingest uses; *service.Bot implements it.
type Library interface {
	Ingest(ctx context.Context, up bot.Upload) (bot.DocumentInfo, error)
}

// Traces is the part of the bot from which maru ask --json reads an answer's cost;
// *service.Bot implements it.
type Traces interface {
	Trace(ctx context.Context, by bot.User, run string) (bot.RunView, error)
}
