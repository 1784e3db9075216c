package bot

import (
	"context"
	"strings"
)

// Greeter is an [Intake] that greets people who open the bot's own place on a
// platform, before they have written anything.
type Greeter interface {
	// Greet returns what u is shown in t. viewing is the channel that they look
	// at, whose settings then hold; its Channel is "" if that is unknown.
	Greet(ctx context.Context, t, viewing Thread, u User) (Greeting, error)
}

// Greeting is a first word, and prompts to begin with.
type Greeting struct {
	Card    Card
	Title   string // over the prompts
	Prompts []Prompt
}

// Prompt is a suggestion: Title is what its button says, Message what is then
// written in the person's name.
type Prompt struct{ Title, Message string }

// maxPrompts is how many prompts a greeting has at most, which is what platforms
// show.
const maxPrompts = 4

var _ Greeter = (*Bot)(nil)

// Greet implements Greeter.
func (b *Bot) Greet(ctx context.Context, t, viewing Thread, u User) (Greeting, error) {
	place := t
	if viewing.Channel != "" {
		place = viewing
	}
	set, err := b.settings(ctx, place, u)
	if err != nil {
		return Greeting{}, err
	}
	lang := languageOf(set.Language, "", u.Locale)
	g := Greeting{
		Title: say(lang, "이렇게 시작해 보세요", "Try one of these"), Prompts: parsePrompts(set.Prompts),
		Card: Card{Kind: CardNotice, Language: lang, Final: true, Text: say(lang,
			"안녕하세요, **마루**예요. 팀의 문서와 도구로 답하고, 어디에서 찾았는지 함께 알려 드려요. 궁금한 것을 적거나 파일을 올려 보세요.",
			"Hello, I am **Maru**. I answer from your team's documents and tools and say where I found it. Ask me something, or upload a file.")},
	}
	if len(g.Prompts) == 0 {
		g.Prompts = []Prompt{
			{say(lang, "무엇을 할 수 있나요?", "What can you do?"), say(lang, "무엇을 도와줄 수 있어요?", "What can you help me with?")},
			{say(lang, "문서에서 찾기", "Search the documents"), say(lang, "우리 팀 문서에는 어떤 내용이 있어요?", "What is in our team's documents?")},
			{say(lang, "최근 이야기 정리", "Sum up a discussion"), say(lang, "긴 이야기를 요약하려면 어떻게 하면 돼요?", "How do I have a long discussion summarised?")},
		}
	}
	return g, nil
}

// parsePrompts reads the setting "prompts": a prompt a line, "title | message",
// or one text that is both.
func parsePrompts(text string) []Prompt {
	var out []Prompt
	for line := range strings.Lines(text) {
		title, message, two := strings.Cut(strings.TrimSpace(line), "|")
		title, message = strings.TrimSpace(title), strings.TrimSpace(message)
		if !two {
			message = title
		}
		if title != "" && message != "" && len(out) < maxPrompts {
			out = append(out, Prompt{title, message})
		}
	}
	return out
}
