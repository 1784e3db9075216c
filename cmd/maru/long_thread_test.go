package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"maru/phrase"
)

// TestALongThreadIsAnsweredAsAShortOne holds a conversation far beyond the window on
// embedded defaults: the handbook answers each time as it did at first, and what the
// person said about themselves at the beginning is still known.
func TestALongThreadIsAnsweredAsAShortOne(t *testing.T) {
	t.Parallel()
	unraced(t)
	const asked, day, name = "연차는 며칠이야?", "15일의 연차", "내 이름이 뭐라고 했지?"
	lines := []string{"내 이름은 철수야"}
	for range 14 {
		lines = append(lines, asked, "How many days of annual leave do I get?")
	}
	lines = append(lines, name)
	code, out, errs := runHere(t, strings.Join(lines, "\n")+"\n", []string{"DATA_DIR=" + t.TempDir()}, "chat", "--thread", "long")
	if code != exitOK {
		t.Fatalf("code %d: %s", code, errs)
	}
	if ko, en := strings.Count(out, day), strings.Count(out, "15 days of annual leave every year"); ko != 14 || en != 14 {
		t.Errorf("%d and %d of 14 answers hold the handbook's sentence:\n%s", ko, en, out)
	}
	if !strings.Contains(out, "철수라고 하셨어요") {
		t.Errorf("the name is forgotten: %s", out[max(0, len(out)-500):])
	}
}

// TestEveryAgentKnowsWhatWasSaidLongAgo tells a name at the beginning of a thread and asks for it
// when prompts have long ceased to show it. Something was put right as well.
func TestEveryAgentKnowsWhatWasSaidLongAgo(t *testing.T) {
	t.Parallel()
	unraced(t)
	for _, agent := range []string{"chat", "orchestrator", "guide", "contract", "autonomous"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			lines := []string{"내 이름은 철수야", "우리 팀 회의는 화요일 오후 3시야", "아니, 화요일이 아니라 수요일이야"}
			for i := range 14 {
				lines = append(lines, fmt.Sprintf("제%d조 알려줘", i+1))
			}
			lines = append(lines, "내 이름이 뭐라고 했지?", "우리 팀 회의가 언제라고 했지?")
			code, out, errs := runHere(t, strings.Join(lines, "\n")+"\n", []string{"DATA_DIR=" + t.TempDir(), "MARU_AGENT=" + agent}, "chat", "--thread", "long")
			if code != exitOK {
				t.Fatalf("code %d: %s", code, errs)
			}
			tail := out[max(0, len(out)-900):]
			if !strings.Contains(tail, "철수라고 하셨어요") {
				t.Errorf("the name is forgotten: %s", tail)
			}
			if agent != "contract" && !(strings.Contains(tail, "화요일 오후 3시야” 그 뒤에 이렇게 고치셨어요: “아니, 화요일이 아니라 수요일이야”")) {
				t.Errorf("what was put right is told as it was: %s", tail)
			}
		})
	}
}

// TestStopBehindAnAnswerIsAnswered says stop as soon as an answer is there, while its run is being
// concluded: nothing is left to stop, and who waits is told so.
func TestStopBehindAnAnswerIsAnswered(t *testing.T) {
	t.Parallel()
	const rounds = 15
	var out strings.Builder
	p := process{
		args: []string{"chat"}, environ: []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false"}, readFile: os.ReadFile,
		stdin: strings.NewReader(strings.Repeat("12*34는?\nstop\n", rounds)), stdout: &out, stderr: io.Discard,
	}
	if code := p.run(within(t, atMost)); code != exitOK {
		t.Errorf("code %d", code)
	}
	if n := strings.Count(out.String(), phrase.Say("ko", "bot.stop.nothing")) + strings.Count(out.String(), phrase.Say("en", "bot.stop.nothing")); n != rounds {
		t.Errorf("%d of %d are answered:\n%s", n, rounds, out.String())
	}
}
