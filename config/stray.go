package config

import (
	"maps"
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// families are prefixes that are ours alone in practice: a near miss among them
// stops the start, because the setting that was meant would silently be off.
var families = []string{"MARU_", "SLACK_", "DISCORD_", "OPENAI_", "OPENWEATHER_", "TAVILY_", "ENABLE_"}

// habits are names that other programs use for a setting of ours.
var habits = map[string]string{
	"SLACK_TOKEN": "SLACK_BOT_TOKEN", "SLACK_BOT_USER_TOKEN": "SLACK_BOT_TOKEN", "DISCORD_TOKEN": "DISCORD_BOT_TOKEN",
	"OPENAI_API_BASE": "OPENAI_BASE_URL", "OPENAI_BASE": "OPENAI_BASE_URL", "OPENAI_KEY": "OPENAI_API_KEY",
	"POSTGRES_URL": "DATABASE_URL", "POSTGRES_DSN": "DATABASE_URL", "DATABASE_DSN": "DATABASE_URL",
	"OPENWEATHERMAP_API_KEY": "OPENWEATHER_API_KEY", "GOOGLE_CSE_KEY": "GOOGLE_CSE_ID", "LOGLEVEL": "LOG_LEVEL",
	"REDIS_URI": "REDIS_URL", "DATABASE_URI": "DATABASE_URL", "HTTP_ADDRESS": "HTTP_ADDR",
}

// gone lists the settings of older programs, with the replacement for each.
var gone = map[string]string{
	"MARU_EMBEDDING_ONNX": "serve the model by an endpoint of its own, and set OPENAI_EMBEDDING_BASE_URL and OPENAI_EMBEDDING_MODEL (docs/models.md)",
	"MARU_PDFIUM":         "take it away: the PDF reader is part of the program",
}

// foreign are variables under MARU_ that are not settings: those of our tests,
// and those that Kubernetes sets in every pod beside a service named "maru".
var foreign = pattern.New(`^MARU_(TEST_|SERVICE_HOST$|SERVICE_PORT(_|$)|PORT$|PORT_\d+_)`)

// strays finds variables that look as if a setting was meant. It returns the
// faults and adds the doubtful ones to the warnings. named are variables that the file names.
func strays(env layer, c *Config, named []string) Faults {
	var faults Faults
	known := append(knownVariables(), named...)
	for _, variable := range slices.Sorted(maps.Keys(env)) {
		if slices.Contains(known, variable) || foreign.MatchString(variable) {
			continue
		}
		meant, doubtful := meaning(variable, known)
		fault := Fault{Variable: variable, Source: "environment", Wrong: "is unknown", Fix: "did you mean " + meant + "?"}
		_, set := env[meant]
		switch fix := gone[variable]; {
		case fix != "":
			fault.Wrong, fault.Fix = "is a setting no more", fix
			faults = append(faults, fault)
		case meant == "" && strings.HasPrefix(variable, "MARU_"):
			fault.Fix = "take it away, or see --help for the settings there are"
			faults = append(faults, fault)
		case meant == "":
		case doubtful || set:
			c.Warnings = append(c.Warnings, fault)
		default:
			faults = append(faults, fault)
		}
	}
	return faults
}

// knownVariables lists every variable that is read.
func knownVariables() []string {
	known := []string{configVar}
	for _, s := range all() {
		known = append(known, s.Var)
		if s.Secret {
			known = append(known, s.Var+"_FILE")
		}
	}
	return known
}

// meaning guesses which setting was meant, "" for none; a doubtful guess is not
// worth stopping for.
func meaning(variable string, known []string) (meant string, doubtful bool) {
	if meant, ok := habits[variable]; ok {
		return meant, true
	}
	if len(variable) < 7 {
		return "", false
	}
	meant, _ = nearest(strings.ToUpper(variable), known, 2)
	ours := slices.ContainsFunc(families, func(p string) bool { return strings.HasPrefix(strings.ToUpper(variable), p) })
	return meant, !ours
}
