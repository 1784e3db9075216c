package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

var (
	// assents match what agrees to a question that waits, and says nothing without one. They are written without spaces.
	assents = pattern.New(`^(?:(?:that|this)(?:works|(?:'s|is)(?:fine|good|okay|ok)|(?:looks|sounds)(?:fine|right|great))(?:(?:by|with|for|to)(?:me|us))?|(?:works|fine|good|okay|ok)(?:by|with|for)(?:me|us)|(?:looks|sounds)fine|shipit)$`)
	// softly matches assents that decline an offer as often: with a yes they agree, "all good, thanks" does not.
	softly   = pattern.New(`^(?:(?:that|this)(?:'s|is)(?:fine|good|okay|ok)|allgood)$`)
	thanking = set(`thanks thx thank 고마워 고마워요 감사해요 감사합니다`)
	// notes are words that take note of a question; with a yes that names what to do, they are part of it.
	notes = set(`좋네 좋네요 괜찮네 괜찮네요 괜찮아 괜찮아요 괜찮습니다 문제없어 문제없어요 문제없습니다 알겠어 알겠어요 알겠습니다 알았어 알았어요 확인했어 확인했어요 확인했습니다
great perfect nice fine understood absolutely certainly`)
	tells = pattern.New(`진행|승인|대로|그렇게|go|proceed|approve|do|continue`)
	onEn  = pattern.New(`^(?:please)?continue$`)
)

// Agrees reports whether a reply agrees to a question that waits, in other words than [Decide] knows: "works for me", "확인했습니다.
// 진행해 주세요". In other messages the words are praise or an order.
func Agrees(text string) bool {
	words := fields(text)
	if utf8.RuneCountInString(text) > maxVerdictRunes || len(words) > maxVerdictWords {
		return false
	}
	agreed, noted, told, yes, soft := false, false, false, false, false
	thanked := slices.ContainsFunc(words, func(w string) bool { return thanking[w] })
next:
	for at := 0; at < len(words); {
		for end := min(len(words), at+5); end > at; end-- {
			said := strings.Join(words[at:end], "")
			if is := softly.MatchString(said); is && (thanked || said == "allgood") {
				soft, at = true, end
				continue next
			} else if is || assents.MatchString(said) {
				agreed, at = true, end
				continue next
			}
		}
		v, end := longest(words, at)
		switch {
		case v == Yes:
			yes, told, at = true, told || tells.MatchString(strings.Join(words[at:end], "")), end
		case onEn.MatchString(words[at]):
			told, at = true, at+1
		case v == None && (notes[words[at]] || politeness[words[at]]):
			noted, at = noted || notes[words[at]], at+1
		default:
			return false
		}
	}
	return agreed || told && (noted || soft) || yes && soft
}
