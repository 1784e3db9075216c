package service

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
)

// verdictWords are the words that decide by themselves, whoever's model thinks
// otherwise.
var verdictWords = sync.OnceValue(func() map[string]string {
	words := map[string]string{}
	for verb, list := range map[string]string{
		agent.VerbAccept: "승인|승인해|승인해줘|승인해주세요|승인합니다|승인할게|승인할게요|네|넵|넹|예|응|ㅇㅇ|ㅇㅋ|ㄱㄱ|고고|그래|그래요|좋아|좋아요|좋습니다|오케이|진행|진행해|진행해줘|진행해주세요|진행하자|진행합시다|" +
			"그대로해|그대로해줘|그대로해주세요|그대로진행|그대로진행해|그대로진행해줘|그대로진행해주세요|그렇게해|그렇게해줘|그렇게해주세요|" +
			"approve|approved|iapprove|accept|accepted|yes|yep|yeah|y|sure|ok|okay|goahead|doit|looksgood|soundsgood|lgtm|proceed|pleaseproceed|confirm|confirmed|👍|✅",
		agent.VerbReject: "거절|거절해|거절해줘|거절합니다|거절할게요|아니|아니요|아뇨|안돼|안돼요|하지마|하지마세요|반려|취소|취소해|취소해줘|취소해주세요|그만|그만해|그만할래|그만할래요|그만할게|그만할게요|그만두자|그만둘래|그만둘래요|그만둘게|그만둘게요|그만둬|안할래|안할래요|관두자|관둘래|됐어그만|됐어그만해|됐어그만할래|됐어요그만할래요|됐어안할래|중지|중단|멈춰|멈춰줘|" +
			"reject|rejected|deny|denied|no|nope|n|cancel|stop|abort|don't|dont|nevermind|forgetit|leaveit|👎|🚫",
		agent.VerbSkip: "건너뛰어|건너뛰어줘|건너뛰기|건너뛰자|패스|스킵|skip|skipit|skipthis|pass",
	} {
		for w := range strings.SplitSeq(list, "|") {
			words[w] = verb
		}
	}
	return words
})

// politeness may stand after a verdict and changes nothing about it.
const politeness = " 해줘 해주세요 해요 부탁해 부탁해요 부탁드려요 please pls thanks 고마워 고마워요 감사해요 감사합니다 "

// verdictOf reads words that say nothing but yes, no or skip ("네 진행해 주세요"), and
// the number of the question they are about, 0 if they name none.
func verdictOf(text string) (verb string, number int) {
	clean := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,!~;:", r) }
	fields := strings.FieldsFunc(strings.ToLower(text), clean)
	if n := len(fields); n > 1 {
		last := strings.TrimSuffix(strings.TrimPrefix(fields[n-1], "#"), "번")
		if k, err := strconv.Atoi(last); err == nil && k > 0 {
			number, fields = k, fields[:n-1]
		}
	}
	if len(fields) > 4 {
		return "", 0
	}
	if verb = verdictIn(fields, verdictWords()); verb == "" {
		return "", 0
	}
	return verb, number
}

// plainVerdict are the words of a decision that mean nothing else, unlike "yes".
var plainVerdict = regexp.MustCompile(`(?i)^\W*(?:승인|거절|반려|(?:i\s+)?approved?\b|rejected?\b|den(?:y|ied)\b)`)

// onlyDecides reports whether a message says nothing but yes, no or skip.
func onlyDecides(text string) bool {
	verb, _ := verdictOf(text)
	return verb != ""
}

// nothingWaits says that there is nothing to decide in a message's thread: an agent
// would take the word for a task. Words that can mean something else do so only
// after a reply that was decided on, such as the second yes to a plan. There is no
// sentence if the bot has just asked something itself.
func (b *Bot) nothingWaits(ctx context.Context, m bot.Message, lang string) (string, error) {
	entries, err := b.cfg.Record.Transcript(ctx, m.Thread.Key(), 4)
	if err != nil {
		return "", fmt.Errorf("read transcript: %w", err)
	}
	for _, e := range slices.Backward(entries) {
		if !e.Own || e.Deleted {
			continue
		}
		if strings.HasSuffix(strings.TrimRight(e.Text, " \n*_)”\""), "?") {
			return "", nil
		}
		past, err := b.history(ctx, m.Thread.Key(), e.Run)
		if err != nil {
			return "", err
		}
		if len(past) > 0 {
			return phrase.Say(lang, "bot.decided_already", past[len(past)-1].Value), nil
		}
		break
	}
	if plainVerdict.MatchString(m.Text) {
		return phrase.Say(lang, "bot.nothing_waits_here"), nil
	}
	return "", nil
}

// verdictIn reads fields as a row of verdicts, each of one field or of a few, that
// all say the same; "" if they do not.
func verdictIn(fields []string, words map[string]string) string {
	verb := ""
	for at := 0; at < len(fields); {
		end := len(fields)
		for end > at && words[strings.Join(fields[at:end], "")] == "" {
			end--
		}
		switch {
		case end == at && (verb == "" || !strings.Contains(politeness, " "+fields[at]+" ")):
			return ""
		case end == at:
			at++
			continue
		}
		here := words[strings.Join(fields[at:end], "")]
		if verb != "" && verb != here {
			return ""
		}
		verb, at = here, end
	}
	return verb
}
