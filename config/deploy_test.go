package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"maru/config"
)

var (
	namedVariable = regexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)
	othersOwn     = regexp.MustCompile(`^(POSTGRES_|REDIS_PASSWORD$|OLLAMA_|CGO_ENABLED$|AF_)`) // of images, builds and systemd
)

// TestDeployedSettings: whatever the image, compose file, chart and unit name is a setting.
func TestDeployedSettings(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"MARU_CONFIG": true}
	for _, g := range config.Table() {
		for _, s := range g.Settings {
			known[s.Var] = true
		}
	}
	files := []string{"../compose.yaml", "../Dockerfile", "../deploy/systemd/maru.service", "../deploy/helm/maru/values.yaml"}
	templates, err := filepath.Glob("../deploy/helm/maru/templates/*")
	if err != nil || len(templates) < 5 {
		t.Fatal(templates, err)
	}
	named := 0
	for _, file := range append(files, templates...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range namedVariable.FindAllString(string(text), -1) {
			if othersOwn.MatchString(name) {
				continue
			}
			if named++; !known[name] {
				t.Errorf("%s: %s is no setting", file, name)
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d names were found", named)
	}
}
