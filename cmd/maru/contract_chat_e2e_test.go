package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// talk runs maru chat on the program's data with these lines as what a person types.
func (p *program) talk(thread string, lines ...string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), atMost)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "chat", "--thread", thread)
	cmd.Env, cmd.Stdin = p.env, strings.NewReader(strings.Join(lines, "\n")+"\n")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("maru chat: %v\n%s\n%s", err, out, tail(errs.String(), 3000))
	}
	return string(out)
}

// TestContractOfAConversation: a contract that is given with /file is that conversation's
// contract, whatever is added to the place afterwards.
func TestContractOfAConversation(t *testing.T) {
	t.Parallel()
	unraced(t)
	p := newProgram(t, "LANG=ko_KR.UTF-8")
	write := func(name, text string) string {
		path := filepath.Join(p.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lease := write("가람 계약서.txt", "가람 임대차 계약서\n\n제1조(목적) 사무실을 빌린다.\n\n제2조(차임) 차임은 월 300만 원이다.\n\n제3조(기간) 기간은 2년이다.\n")
	other := write("나래 계약서.txt", "나래 용역 계약서\n\n제1조(목적) 번역을 맡긴다.\n\n제2조(차임) 해당 사항이 없다.\n\n제3조(기간) 기간은 6개월이다.\n")
	first := p.talk("one", "/settings agent contract", "/file "+lease, "제2조 알려줘")
	if !strings.Contains(first, "월 300만 원") {
		t.Errorf("the contract that was given: %s", first)
	}
	if got := p.talk("two", "/file "+other, "제2조 알려줘"); !strings.Contains(got, "해당 사항이 없다") {
		t.Errorf("the other conversation: %s", got)
	}
	if got := p.talk("one", "제3조는?"); !strings.Contains(got, "기간은 2년이다") || strings.Contains(got, "나래") {
		t.Errorf("the first conversation later: %s", got)
	}
}
