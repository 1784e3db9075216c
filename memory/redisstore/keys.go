package redisstore

import (
	"strings"
	"time"
)

// How long keys live after they were written last.
const (
	hotTTL = 7 * 24 * time.Hour
)

// Key describes a kind of key for README.md and its test.
type Key struct {
	Pattern string // the part in <> is a parameter
	Type    string // as TYPE says, or "channel"
	Expiry  string
}

// Keys lists every kind of key that this package writes.
func Keys() []Key {
	return []Key{
		{"<prefix>hot:{<thread>}", "hash", "7 days after the last write"},
		{"<prefix>logs:{<thread>}", "hash", "never"},
		{"<prefix>log:{<thread>}:<namespace>", "hash", "never"},
		{"<prefix>bucket:{<name>}", "hash", "when it is full again, and a second"},
		{"<prefix>places:{<endpoint>}", "zset", "10 s after the last call was sent or went on"},
		{"<prefix>line:{<endpoint>}", "zset", "15 s after the last call looked for its turn"},
		{"<prefix>seen:{<endpoint>}", "hash", "15 s after the last call looked for its turn"},
		{"<prefix>events:<thread>", "channel", "is not stored"},
	}
}

// keys makes the names of keys. What is in braces decides the slot in a
// cluster: all keys of one thread are in one.
type keys struct{ prefix string }

func (k keys) hot(thread string) string      { return k.prefix + "hot:{" + tag(thread) + "}" }
func (k keys) logs(thread string) string     { return k.prefix + "logs:{" + tag(thread) + "}" }
func (k keys) log(thread, ns string) string  { return k.prefix + "log:{" + tag(thread) + "}:" + ns }
func (k keys) bucket(name string) string     { return k.prefix + "bucket:{" + tag(name) + "}" }
func (k keys) places(endpoint string) string { return k.prefix + "places:{" + tag(endpoint) + "}" }
func (k keys) line(endpoint string) string   { return k.prefix + "line:{" + tag(endpoint) + "}" }
func (k keys) seen(endpoint string) string   { return k.prefix + "seen:{" + tag(endpoint) + "}" }
func (k keys) events(thread string) string   { return k.prefix + "events:" + thread }

// tag keeps braces in a name from ending the hash tag early.
func tag(s string) string { return unbraced.Replace(s) }

// unbraced is made once: a replacer is a table of 6 KB, and a message needs ten keys.
var unbraced = strings.NewReplacer("%", "%25", "{", "%7B", "}", "%7D")
