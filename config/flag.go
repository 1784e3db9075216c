package config

import (
	"maps"
	"slices"
	"strings"
)

// Flag returns the setting's name on the command line, without the dashes.
func (s Setting) Flag() string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(s.Var, "MARU_"), "_", "-"))
}

// isSwitch reports whether the flag may be given without a value.
func (s Setting) isSwitch() bool {
	switch s.into(new(Config)).(type) {
	case *bool, everyApproval:
		return true
	}
	return false
}

// flagged is a value set by a flag.
type flagged struct {
	variable string
	bare     bool // may be given without a value
}

// knownFlags lists the flags of every setting.
func knownFlags() map[string]flagged {
	flags := map[string]flagged{"config": {variable: configVar}}
	for _, s := range all() {
		flags[s.Flag()] = flagged{s.Var, s.isSwitch()}
		if s.Secret {
			flags[s.Flag()+"-file"] = flagged{variable: s.Var + "_FILE"}
		}
	}
	return flags
}

// flags extracts the settings from args and returns the rest in order. Unknown flags are left to the subcommand
// unless they are close to a setting's name. Everything after "--" stays.
func (l *loader) flags(args []string) (layer, []string) {
	known, found := knownFlags(), layer{}
	names := slices.Collect(maps.Keys(known))
	var rest []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return found, append(rest, args[i:]...)
		}
		name, value, hasValue := flagOf(args[i])
		f, ok := known[name]
		if !ok {
			if near, slip := nearest(name, names, 2); slip && len(name) >= 6 {
				l.fault("--"+name, "flag", "is unknown", "did you mean --"+near+"?")
				continue
			}
			rest = append(rest, args[i])
			continue
		}
		switch {
		case hasValue:
		case f.bare:
			value = "true"
		case i+1 < len(args) && args[i+1] != "--":
			i++
			value = args[i]
		default:
			l.fault("--"+name, "flag", "has no value", "write --"+name+"=VALUE")
			continue
		}
		if _, twice := found[f.variable]; twice {
			l.fault("--"+name, "flag", "is given twice", "give it once")
		}
		if strings.TrimSpace(value) != "" {
			found[f.variable] = raw{value, "flag --" + name}
		}
	}
	return found, rest
}

// flagOf splits "--name=value"; name is "" when arg is not a flag.
func flagOf(arg string) (name, value string, hasValue bool) {
	name, ok := strings.CutPrefix(arg, "-")
	if !ok {
		return "", "", false
	}
	return cutValue(strings.TrimPrefix(name, "-"))
}

func cutValue(flag string) (name, value string, hasValue bool) {
	name, value, hasValue = strings.Cut(flag, "=")
	if strings.ContainsAny(name, " \t\n") {
		return "", "", false // a question that begins with a dash
	}
	return name, value, hasValue
}
