package intent

import (
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

var (
	// assents match what agrees to a question that waits, and says nothing without one. They are written without spaces.
	assents = pattern.New(`^(?:(?:that|this)(?:works|(?:'s|is)(?:fine|good|okay|ok)|(?:looks|sounds)(?:fine|right|great))(?:(?:by|with|for|to)(?:me|us))?|(?:works|fine|good|okay|ok)(?:by|with|for)(?:me|us)|allgood|(?:looks|sounds)fine|shipit)$`)
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
	agreed, noted, told := false, false, false
next:
	for at := 0; at < len(words); {
		for end := min(len(words), at+5); end > at; end-- {
			if assents.MatchString(strings.Join(words[at:end], "")) {
				agreed, at = true, end
				continue next
			}
		}
		v, end := longest(words, at)
		switch {
		case v == Yes:
			told, at = told || tells.MatchString(strings.Join(words[at:end], "")), end
		case onEn.MatchString(words[at]):
			told, at = true, at+1
		case v == None && (notes[words[at]] || politeness[words[at]]):
			noted, at = noted || notes[words[at]], at+1
		default:
			return false
		}
	}
	return agreed || told && noted
}
