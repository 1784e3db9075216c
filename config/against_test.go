package config_test

import (
	"io/fs"
	"strings"
	"testing"

	"maru/config"
)

// TestAgainst: the settings of another file hold beside the environment's, and what is wrong is told of --against, not of
// the setting that names the file of the program.
func TestAgainst(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"new.yaml": "place: {agent: guide}\n", "list.yaml": "- a\n", "torn.yaml": "a: [", "bad.yaml": "log:\n  level: loud\n",
		"two.yaml": "log: {level: info}\n---\nlog: {level: warn}\n",
	}
	read := func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
	environ := []string{"MARU_CONFIG=bad.yaml", "MARU_LANGUAGE=ko"}
	cfg, err := config.Against("new.yaml", environ, read)
	if err != nil || cfg.Place.Agent != "guide" || cfg.Place.Language != "ko" || cfg.File != "new.yaml" {
		t.Errorf("%+v %v", cfg.Place, err)
	}
	for path, want := range map[string]string{
		"away.yaml": "--against away.yaml names a file that cannot be read (no such file): check the path",
		"torn.yaml": "--against torn.yaml names a file that is not YAML (line 1)",
		"two.yaml":  "--against two.yaml names a file with more than one document",
		"list.yaml": "--against list.yaml: 1 setting is wrong:\n  - --against (list.yaml:1) is not a group",
		"bad.yaml":  "--against bad.yaml: 1 setting is wrong:\n  - LOG_LEVEL (bad.yaml:2)",
	} {
		_, err := config.Against(path, environ, read)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "MARU_CONFIG") {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if environ[0] != "MARU_CONFIG=bad.yaml" {
		t.Errorf("the caller's environment is %v", environ)
	}
}
