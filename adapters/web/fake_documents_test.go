package web_test

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"maru/bot"
	"maru/bot/cited"
)

func (e *echo) Documents(context.Context, bot.Thread, bot.User) ([]bot.DocumentInfo, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]bot.DocumentInfo(nil), e.docs...), nil
}

func (e *echo) Ingest(_ context.Context, up bot.Upload) (bot.DocumentInfo, error) {
	body, err := io.ReadAll(up.Body)
	if err != nil {
		return bot.DocumentInfo{}, fmt.Errorf("read upload: %w", err)
	}
	if strings.HasSuffix(up.Name, ".exe") {
		return bot.DocumentInfo{}, &bot.Error{Code: bot.CodeBadFile, Detail: "exe?"}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	info := bot.DocumentInfo{
		ID: fmt.Sprintf("u%d", len(e.docs)), Title: up.Name, Name: up.Name, MIME: up.MIME, Size: int64(len(body)),
		Passages: 1 + len(body)/800, Added: e.now(), Tags: up.Tags, Removable: true,
	}
	e.docs = append(e.docs, info)
	e.bodies[info.ID] = string(body)
	return info, nil
}

func (e *echo) RemoveDocument(_ context.Context, _ bot.Thread, _ bot.User, id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, d := range e.docs {
		if d.ID == id {
			e.docs = append(e.docs[:i], e.docs[i+1:]...)
			return nil
		}
	}
	return bot.ErrNotFound
}

func (e *echo) Passage(_ context.Context, _ bot.Thread, _ bot.User, chunk string) (cited.View, error) {
	if chunk != "h#12" {
		return cited.View{}, bot.ErrNotFound
	}
	return cited.View{
		Chunk: "h#12", Document: "d1", Title: "마루 안내서", Heading: "근무와 휴가 › 연차", Page: 7, Previous: "h#12", Next: "h#12",
		Before: "… 출퇴근 시간은 팀마다 정하되 오전 10시부터 오후 4시까지는 함께 일하는 시간으로 둡니다.",
		Text:   "1년 동안 80% 이상 출근한 직원은 연차 15일을 받습니다. 입사 첫해에는 한 달을 개근할 때마다 하루씩 생기고, 3년째부터 2년마다 하루가 더해져 25일까지 늘어납니다.",
		After:  "연차는 하루, 반나절, 두 시간 단위로 쓸 수 있습니다. 남은 연차는 다음 해 6월까지 쓸 수 있고, 그 뒤에는 수당으로 정산합니다.",
	}, nil
}

func (e *echo) Cited(_ context.Context, _ bot.Thread, _ bot.User, run string, n int) (string, error) {
	return map[string]string{"same1": "연차 15일을\n받습니다.", "other1": "연차 12일을 받습니다."}[run+strconv.Itoa(n)], nil
}
