package builtin_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"maru/agent/tool"
	"maru/agent/tool/builtin"
)

func names(tools []tool.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Spec().Name)
	}
	return out
}

func TestAllOffersWhatItCan(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg           builtin.Config
		want, missing []string
	}{
		"nothing configured": {builtin.Config{Python: "off"}, []string{"calculator", "current_time", "wikipedia"}, []string{"weather", "web_search", "python", "read_file"}},
		"everything": {
			builtin.Config{Python: "off", OpenWeatherKey: "k", TavilyKey: "k", Documents: library},
			[]string{"calculator", "current_time", "weather", "wikipedia", "web_search", "read_file"}, []string{"python"},
		},
		"google":           {builtin.Config{Python: "off", GoogleKey: "k", GoogleCSE: "c", Documents: library}, []string{"calculator", "current_time", "wikipedia", "web_search", "read_file"}, []string{"weather", "python"}},
		"half of google":   {builtin.Config{Python: "off", GoogleKey: "k"}, []string{"calculator", "current_time", "wikipedia"}, []string{"weather", "web_search", "python", "read_file"}},
		"switched off":     {builtin.Config{Disabled: []string{"wikipedia", "python", "weather"}, Documents: library}, []string{"calculator", "current_time", "read_file"}, []string{"weather", "wikipedia", "web_search", "python"}},
		"no python at all": {builtin.Config{Python: "on", PythonPath: "/usr/bin/no-such"}, []string{"calculator", "current_time", "wikipedia"}, []string{"weather", "web_search", "python", "read_file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools, missing, err := builtin.All(t.Context(), tc.cfg)
			if (err != nil) != (tc.cfg.Python == "on") {
				t.Errorf("error %v", err)
			}
			if !slices.Equal(names(tools), tc.want) {
				t.Errorf("offers %v", names(tools))
			}
			var lacks []string
			for _, m := range missing {
				lacks = append(lacks, m.Name)
				if m.Why == "" || (m.Name != "read_file" && m.Variable == "") {
					t.Errorf("says too little: %+v", m)
				}
			}
			if !slices.Equal(lacks, tc.missing) {
				t.Errorf("lacks %v", lacks)
			}
		})
	}
}

func TestEveryToolDescribesItself(t *testing.T) {
	t.Parallel()
	tools, _, _ := builtin.All(t.Context(), builtin.Config{Python: "off", OpenWeatherKey: "k", TavilyKey: "k", Documents: library})
	tools = append(tools, builtin.NewPython(builtin.Sandbox{}))
	if _, err := tool.NewRegistry(tools...); err != nil {
		t.Fatal(err)
	}
	for _, one := range append(names(tools), "read_memory", "write_memory") {
		if _, ok := builtin.Parameters(t.Context())[one]; !ok {
			t.Errorf("%s is none of the names", one)
		}
	}
	hangul := regexp.MustCompile(`\p{Hangul}`)
	for _, made := range tools {
		s := made.Spec()
		if !hangul.MatchString(s.Title.In("ko")) || s.Title.Empty() || len(s.Description) < 40 || !s.Policy.ReadOnly {
			t.Errorf("%s: %+v", s.Name, s)
		}
		if s.Policy.Executes != (s.Name == "python") {
			t.Errorf("%s: executes is %v", s.Name, s.Policy.Executes)
		}
	}
}

func TestAllGivesNoToolMoreTimeThanAllowed(t *testing.T) {
	t.Parallel()
	tools, _, err := builtin.All(t.Context(), builtin.Config{Python: "off", Documents: library, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range tools {
		if s := made.Spec(); s.Timeout <= 0 || s.Timeout > 10*time.Second {
			t.Errorf("%s may take %s", s.Name, s.Timeout)
		}
	}
}
