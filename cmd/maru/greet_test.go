package main

import (
	"maru/logtest"
	"regexp"
	"strings"
	"testing"
)

// firstLine hands on the first line that a program writes.
type firstLine struct {
	text string
	line chan string
}

func (f *firstLine) Write(p []byte) (int, error) {
	if f.text += string(p); f.line != nil && strings.Contains(f.text, "\n") {
		f.line <- strings.SplitN(f.text, "\n", 2)[0]
		f.line = nil
	}
	return len(p), nil
}

// TestGreetingLeadsToTheConsole: what the terminal shows can be opened.
func TestGreetingLeadsToTheConsole(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, tt := range map[string]struct {
		env  []string
		want string
	}{
		"loopback":              {nil, `^Maru is ready: http://127\.0\.0\.1:\d+$`},
		"all_addresses":         {[]string{"HTTP_ADDR=0.0.0.0:0", "MARU_WEB_PASSWORD=a long password"}, `^Maru is ready: http://localhost:\d+$`},
		"all_addresses_of_both": {[]string{"HTTP_ADDR=:0", "MARU_WEB_PASSWORD=a long password"}, `^Maru is ready: http://localhost:\d+$`},
		"the_address_of_people": {[]string{"MARU_PUBLIC_URL=https://maru.example.org", "MARU_WEB_PASSWORD=a long password"}, `^Maru is ready: https://maru\.example\.org$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, shown := newProgram(t, tt.env...), make(chan string, 1)
			p.stdout = &firstLine{line: shown}
			p.start()
			if got := <-shown; !regexp.MustCompile(tt.want).MatchString(got) {
				t.Errorf("it says %q", got)
			}
		})
	}
}

// TestGreetingOfAnAgentWithoutAModel: a default agent that needs a language model is named where there is none.
func TestGreetingOfAnAgentWithoutAModel(t *testing.T) {
	t.Parallel()
	unraced(t)
	for agent, want := range map[string]bool{"orchestrator": true, "chat": false} {
		shown := &logtest.Log{}
		p := newProgram(t, "MARU_AGENT="+agent)
		p.stdout = shown
		p.start()
		if err := p.stop(); err != nil {
			t.Error(err)
		}
		if told := strings.Contains(shown.String(), "`maru demo`"); told != want {
			t.Errorf("%s: it says %q", agent, shown.String())
		}
	}
}
