package intent

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// Act is a kind of deed that a text names.
type Act string

// The deeds.
const (
	Runs    Act = "run" // to go ahead with whatever it is
	Sends   Act = "send"
	Writes  Act = "write"
	Deletes Act = "delete"
)

// deed holds the words of an act: verbs in English and stems in Korean that may be told to do it,
// and the forms in which a text may name it.
type deed struct {
	act    Act
	en, ko string
	forms  *pattern.Pattern
}

var acts = []deed{
	{Runs, `run|execute|do|start|begin|launch|go|proceed|continue`, `실행|진행|시작|돌려|해`, pattern.New(`(?i)\b(?:run|execut|start|launch)\w*|실행|진행|시작|돌[려리린릴립]`)},
	{Sends, `send|mail|e-?mail|post|publish|share|forward|submit|announce`, `보내|전송|발송|올려|게시|공유|전달|공지|발행|제출`,
		pattern.New(`(?i)\b(?:send|sent|mail|e-?mail|post|publish|shar|forward|submit|announc)\w*|보[내낸낼냅냈]|전송|발송|올[려리린릴립렸]|게시|공유|전달|공지|발행|제출|메일`)},
	{Writes, `save|write|create|add|update|record|book|file`, `저장|작성|만들어|등록|추가|기록|예약|적어|써`,
		pattern.New(`(?i)\b(?:sav|writ|creat|add|updat|record|book|fil)\w*|저장|작성|만[들든듭]|등록|추가|기록|메모|예약|적[어은을]|[써쓴쓸씁]`)},
	{Deletes, `delete|remove|erase|clear|wipe|drop`, `삭제|제거|지워|없애`, pattern.New(`(?i)\b(?:delet|remov|eras|clear|wip)\w*|삭제|제거|지[워우운울웁]|없[애앤앨앱]`)},
}

// Names reports whether a text names a deed.
func (a Act) Names(text string) bool {
	return slices.ContainsFunc(acts, func(d deed) bool { return d.act == a && d.forms.MatchString(text) })
}

// told matches the imperative of a Korean stem, without spaces: 보내주세요, 보내셔도 됩니다, 실행해.
const told = `(?:` + doing + `|(?:줘|주세요|주십시오|주라|줄래|세요|십시오|셔요|라|자|버려|도(?:돼|됩니다)|(?:하)?셔도(?:돼|됩니다))?[요]?)`

var (
	imperativesEn = func(words string) *pattern.Pattern { return pattern.New(`^(?:` + words + `)$`) }
	imperativesKo = func(stems string) *pattern.Pattern { return pattern.New(`^(?:` + stems + `)` + told + `$`) }
	commands      = func() (out []command) {
		for _, a := range acts {
			out = append(out, command{a.act, imperativesEn(a.en), imperativesKo(a.ko)})
		}
		return out
	}()
	// beside are words around a command that say nothing of what is to be done.
	besides = set(`please pls thanks and then now so go ahead off out away right it this that them the these those all
그럼 그냥 바로 이제 지금 얼른 어서 그대로 이대로 그거 그걸 이거 이걸 그것을 이것을 그 이 좀 네 부탁해요 부탁드려요 감사합니다 고마워요`)
	// narrows are words after which a command is not the one that was asked about.
	narrows   = pattern.New(`^(?:not?|never|only|just|except|without|but|instead|\w+n't|안|못|다시|again|\p{Hangul}+(?:말고|빼고|만))$|^(?:말고|빼고|제외하고|대신)$`)
	particles = pattern.New(`(\p{Hangul})(?:을|를)$`)
)

// command is how one deed is told to be done.
type command struct {
	act    Act
	en, ko *pattern.Pattern
}

// maxCommand bounds the words of a command.
const maxCommand = 6

// Affirmed reads a yes that repeats what is to be done: "yes, send it", "네, 보내주세요". objects are
// the other words of it, such as the mail that is to be sent: whether they and the deed are what
// was asked about is for the caller to tell.
func Affirmed(text string) (act Act, objects []string, ok bool) {
	for _, end := range ends(text) {
		if row(fields(text[:end])) != Yes {
			continue
		}
		words := fields(text[end:])
		if len(words) == 0 || len(words) > maxCommand {
			continue
		}
		if slices.ContainsFunc(words, narrows.MatchString) {
			return "", nil, false
		}
		if act, objects, ok = ordered(words); ok {
			return act, objects, true
		}
	}
	return "", nil, false
}

// ordered reads a command: in English its verb comes first, in Korean last.
func ordered(words []string) (act Act, objects []string, ok bool) {
	from, to := 0, len(words)
	for from < to && besides[words[from]] {
		from++
	}
	for to > from+1 && besides[words[to-1]] {
		to--
	}
	if from == to {
		from = max(0, to-1) // "go", which also may be before another verb
	}
	for _, c := range commands {
		if c.en.MatchString(words[from]) {
			return c.act, objectsOf(words[from+1 : to]), true
		}
		for at := from; at < to; at++ {
			if c.ko.MatchString(strings.Join(words[at:to], "")) {
				return c.act, objectsOf(words[from:at]), true
			}
		}
	}
	return "", nil, false
}

// objectsOf returns the words that name something, without particles.
func objectsOf(words []string) (out []string) {
	for _, w := range words {
		if !besides[w] {
			out = append(out, particles.ReplaceAllString(w, "$1"))
		}
	}
	return out
}
