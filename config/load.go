package config

import (
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// Source is Load's input. cmd/maru fills it from the process.
type Source struct {
	Args    []string                          // of the command line, without the program's name
	Environ []string                          // "NAME=value"
	Read    func(path string) ([]byte, error) // reads a file
}

// layer is one source of values by variable; VAR_FILE is looked up like VAR.
type layer map[string]raw

// raw is a value as it was written.
type raw struct {
	value string
	from  string // for people
}

// loader collects the faults while a Config is made.
type loader struct {
	src    Source
	faults Faults
	layers []layer // the first one that knows a variable wins
	mcp    []MCPServer
	api    []Token

	origins []DocumentSource
	drafts  []draft  // models by role, as the file has them
	named   []string // variables that the file names
}

// Load reads the settings: flags win over the environment, the environment over the YAML file, the file over the
// defaults. It returns the other arguments in order. The error, if any, is a [Faults] with every fault; the Config
// then holds the readable values, for doctor.
func Load(src Source) (Config, []string, error) {
	l := &loader{src: src}
	flags, rest := l.flags(src.Args)
	env := environment(src.Environ)
	l.layers = []layer{flags, env}
	var c Config
	if file, ok := l.find(configVar); ok {
		c.File = file.value
		l.layers = append(l.layers, l.file(file))
	}
	c.Tools.MCP = l.mcp
	c.HTTP.Tokens = l.api
	c.Documents.Sources = l.origins
	c.origin = map[string]string{}
	for _, s := range all() {
		l.set(&c, s)
	}
	c.normalize()
	c.fitDefaults()
	l.resolveModels(&c)
	l.faults = append(l.faults, check(&c)...)
	l.faults = append(l.faults, strays(env, &c, l.named)...)
	c.Warnings = append(c.Warnings, warnings(&c)...)
	return c, rest, l.faults.orNil()
}

// environment makes a layer of "NAME=value" lines. An empty value counts as
// unset, as compose files write ${NAME:-}.
func environment(environ []string) layer {
	env := layer{}
	for _, line := range environ {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(value) != "" {
			env[key] = raw{value, "environment"}
		}
	}
	return env
}

// find returns the value that wins for a variable.
func (l *loader) find(variable string) (raw, bool) {
	for _, layer := range l.layers {
		if r, ok := layer[variable]; ok {
			return r, true
		}
	}
	return raw{}, false
}

// set parses, checks and stores one setting.
func (l *loader) set(c *Config, s Setting) {
	r, ok := l.resolve(s)
	if !ok {
		if s.Default == "" {
			return
		}
		r = raw{s.Default, "default"}
	}
	c.origin[s.Var] = r.from
	value := r.value
	if !s.bare {
		value = strings.TrimSpace(value)
	}
	if !utf8.ValidString(value) {
		l.fault(s.Var, r.from, "is not UTF-8 text", "write it again")
		return
	}
	if s.fold {
		value = strings.ToLower(value)
	}
	if s.rule != nil {
		if wrong, fix := s.rule(value); wrong != "" {
			l.fault(s.Var, r.from, wrong, fix)
			return
		}
	}
	if expected := assign(s.into(c), value); expected != "" {
		l.fault(s.Var, r.from, "is "+quote(value), "use "+expected)
	}
}

// resolve finds a setting's value, reading NAME_FILE for a secret. A fault
// counts as no value.
func (l *loader) resolve(s Setting) (raw, bool) {
	for _, layer := range l.layers {
		direct, hasDirect := layer[s.Var]
		file, hasFile := layer[s.Var+"_FILE"]
		switch {
		case s.Secret && hasDirect && hasFile:
			l.fault(s.Var, direct.from, "is set together with "+s.Var+"_FILE", "set one of them")
			return raw{}, false
		case s.Secret && hasFile:
			return l.secretFile(s, file)
		case hasDirect:
			return direct, true
		}
	}
	return raw{}, false
}

// maxSecret bounds a secret's file in bytes.
const maxSecret = 64 << 10

func (l *loader) secretFile(s Setting, file raw) (raw, bool) {
	return l.heldBy(s.Var+"_FILE", file)
}

// heldBy reads a secret from the file that a setting names.
func (l *loader) heldBy(variable string, file raw) (raw, bool) {
	data, err := l.src.Read(file.value)
	switch {
	case err != nil:
		l.fault(variable, file.from, "cannot be read ("+reason(err)+")", "check that the file exists and that this user may read it")
	case len(data) > maxSecret:
		l.fault(variable, file.from, "names a file that is too large for a secret", "name the file that holds the secret alone")
	case strings.TrimSpace(string(data)) == "":
		l.fault(variable, file.from, "names an empty file", "write the secret into it")
	default:
		return raw{string(data), file.from + ", " + variable}, true
	}
	return raw{}, false
}

// reason explains an unreadable file without its path, which may be a misplaced secret.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	var perr *fs.PathError
	if errors.As(err, &perr) {
		return perr.Err.Error()
	}
	return "read error"
}

func (l *loader) fault(variable, source, wrong, fix string) {
	l.faults = append(l.faults, Fault{Variable: variable, Source: source, Wrong: wrong, Fix: fix})
}

// normalize brings values into the one form the rest of the program expects.
func (c *Config) normalize() {
	if c.Slack.APIURL != "" { // slack-go joins without a slash of its own
		c.Slack.APIURL = strings.TrimRight(c.Slack.APIURL, "/") + "/"
	}
	for _, base := range []*string{
		&c.Discord.APIURL, &c.Model.BaseURL, &c.Model.Embedding.BaseURL, &c.HTTP.PublicURL, &c.Tools.OpenWeatherBaseURL,
		&c.Tools.TavilyBaseURL, &c.Tools.GoogleBaseURL, &c.Tools.WikipediaBaseURL,
	} {
		*base = strings.TrimRight(*base, "/")
	}
	if c.HTTP.AdminAddr == "off" {
		c.HTTP.AdminAddr = ""
	}
}
