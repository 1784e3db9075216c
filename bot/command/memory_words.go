package command

import (
	"context"
	"strings"

	"maru/bot"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
)

// Patterns of messages that only ask what is remembered about their author, or to forget it. Korean is matched
// without spaces.
var (
	// deletesKo is a wish that something be deleted, "지워줘", "삭제해 주실 수 있어요": "삭제 요청은 어디에 해요?" and "지우지 마" are none.
	deletesKo   = `(?:(?:지워|잊어|없애)(?:버려)?|삭제(?:좀)?(?:해)?)(?:줘요?|줄래요?|주라|주세요|주십시오|주실래요?|(?:줄|주실)수있\S{1,4}|주시겠\S{1,4}|주시기바랍니다|주시면\S{1,8}|주면좋겠\S{1,4}|달라\S{0,3}|라)?|(?:지우|삭제하)고싶(?:어요?|습니다|은데요?)|삭제(?:할래요?|하자|부탁\S{1,5})`
	ownMemoryKo = pattern.New(`^(?:` +
		`(?:내|제|나의|저의|나에대한|저에대한)기억(?:을|들|좀|다|모두|전부|목록)*(?:보여|알려|말해|확인|지워|지우|삭제|잊|없애)\S{0,8}|` +
		`(?:(?:지금까지|여태까지|여태|그동안|네가|니가)*(?:나|저)에(?:대해서?|대한|관해서?|관한)?(?:아는|알고있는|저장한|저장된|저장해둔|모은)(?:거|것|걸|건|정보|내용|기록)(?:을|를|은|들|좀|다|모두|전부|싹)*(?:(?:보여|알려)\S{0,8}|` + deletesKo + `))|` +
		`(?:나에대한|저에대한|나의|저의|내|제)(?:개인)?(?:정보|데이터)(?:를|좀|다|모두|전부|싹)*(?:` + deletesKo + `)|` +
		`(?:내가|제가)(?:너한테|여기에?|지금까지)*(?:뭘|뭐|뭐라고|무엇을|어떤걸)(?:저장|기억(?:하라고|해달라고|시켜?)|적어두?|메모)(?:했|해뒀|해놨|시켰|뒀|놨)\S{0,6}|` +
		`(?:나|저)에(?:대해서?|대하여|관해서?)(?:뭘|뭐를|뭐|무엇을|어떤걸|어떤것을|얼마나)?(?:기억하|기억해|알고|아는|알아|아시)\S{0,12}|` +
		`(?:(?:나|저)에(?:대해서?|관해서?))?(?:지금까지)?기억(?:하는|한|하고있는|하고계신|해둔)(?:거|것|걸|게|건|내용)(?:을|이|들|좀|다|모두|전부)*(?:보여|알려|말해|뭐|무엇|있|지워|지우|삭제|잊)\S{0,8}|` +
		`(?:내가|제가)(?:지금까지|여태)?(?:한말|했던말|말한(?:거|것|걸|건))(?:을|은|들|좀)*(?:다|모두|전부)+(?:잊|지워|지우|삭제)\S{0,8}|` +
		`(?:나를|저를|나에대해|저에대해|나에대한(?:거|것|건)|저에대한(?:거|것|건)|그거|그건|그것은?|방금(?:말한|한말)(?:거|건|것|은)?)(?:이제|그냥|모두|다|전부)*(?:잊어|잊으)\S{0,6})$`)
	ownMemoryEn = pattern.New(`^(?:please |can you |could you )?(?:` +
		`what (?:do|can) you (?:remember|know) about me|what (?:have|did) you (?:saved?|stored?|kept|keep|noted?) (?:about|on) me|what (?:have|did) i (?:ask(?:ed)?|tell|told) you to (?:remember|save|keep)|what have you (?:learned|learnt|remembered) about me|` +
		`(?:show|tell|list)(?: me)? (?:what you (?:remember|know) (?:about|of) me|(?:my|your) memor(?:y|ies)(?: of me)?)|` +
		`(?:forget|delete|erase|clear) (?:(?:everything|all|what)(?: that)?(?: you)? (?:know|remember|remembered|learned|learnt) (?:about|of) me|(?:all )?(?:my|your) memor(?:y|ies)(?: of me)?|` +
		`(?:everything|all)(?: that)? (?:about me|i(?:'ve| have)? (?:ever )?(?:said|told you)(?: so far)?)|(?:all )?(?:of )?my (?:personal )?(?:data|info|information))|` +
		`forget (?:me|that))(?: please| now| then)?$`)
)

// AsksOwnMemory reports whether a message only asks what is remembered about its author,
// or to forget it.
func AsksOwnMemory(text string) bool {
	s := strings.ToLower(strings.Trim(fit.OneLine(text), " .!?~？！"))
	if len(s) > 120 || keepsKo.MatchString(s) {
		return false
	}
	return ownMemoryEn.MatchString(s) || ownMemoryKo.MatchString(strings.ReplaceAll(s, " ", ""))
}

var (
	// keepsKo is a wish that nothing be deleted, "지우지 마".
	keepsKo = pattern.New(`(?:지우|잊|없애|삭제하|삭제)지\s*(?:는|도|를)?\s*(?:마|말|않)`)
	// factEn and factKo are wishes that one thing be forgotten that their author had said of themselves. A group holds it.
	factEn = pattern.New(`(?i)^(?:please\s+|can\s+you\s+|could\s+you\s+)?(?:forget|stop\s+remembering|don['’]?t\s+remember)\s+(?:that\s+|about\s+)?(?:i['’]?m|i\s+am|i|my)\s+(.+?)(?:[,\s]+(?:please|anymore|any\s+more|now))*$`)
	// mayAsk is a wish that may be put as a question: "Don't remember my manager?" is none.
	mayAsk = pattern.New(`(?i)^(?:please\s+)?(?:can|could)\s+you\s|줄래요?$`)
	factKo = pattern.New(`^(?:내가|제가|나는|난|저는|전|내|제|나|저)\s*(.+?)이?라는\s*(?:거|것|걸|건|사실)(?:은|는|을|를)?\s*(?:이제\s*|그만\s*|좀\s*)*(?:잊어|지워|삭제|없애)\s*(?:버려\s*)?(?:해\s*)?(?:줘요?|줄래요?|주라|주세요|주십시오|라)?$`)
)

// Forgets finds the one thing that a person asks to have forgotten, "forget that I'm vegetarian", and asks before it is deleted.
// text is "" if the message is no such wish, or nothing of that kind is remembered. Before others nothing is
// looked up: an answer would tell them what is remembered.
func (me *Memory) Forgets(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error) {
	line := fit.OneLine(m.Text)
	said := strings.Trim(line, " .!?~？！")
	of := factEn.FindStringSubmatch(said)
	if of == nil {
		of = factKo.FindStringSubmatch(said)
	}
	if of == nil || keepsKo.MatchString(said) || strings.ContainsAny(line[len(strings.TrimRight(line, " .!?~？！")):], "?？") && !mayAsk.MatchString(said) {
		return "", nil, nil
	}
	if !m.Thread.Direct {
		return "", nil, nil
	}
	list, err := me.memory.Known(ctx, m.Thread.Person(m.User))
	if err != nil {
		return "", nil, err
	}
	var lines []string
	for _, r := range byTask(list, lang) {
		if r.task != "" || !means(r, of[1]) || len(lines) == mostForgotten {
			continue
		}
		words := plainLine(longterm.Worded(r.words, lang), lang)
		lines = append(lines, "- "+fit.Literal(words))
		buttons = append(buttons, bot.Button{ID: ControlForget + m.User.ID, Verb: verbRecord + r.ID, Label: phrase.Say(lang, "bot.memory.forget_button", fit.Clip(words, 40)), Style: bot.ButtonDanger})
	}
	if len(lines) == 0 {
		return "", nil, nil
	}
	return phrase.Say(lang, "bot.memory.forget_ask") + "\n\n" + strings.Join(lines, "\n"), buttons, nil
}

// means reports whether words call a record: all of them are its own, and they are its value or more than one. "Forget my answers"
// does not mean a preference of short answers.
func means(r remembered, words string) bool {
	if _, sure := intent.Calls(r.words+" "+quoteOf(r.Record), words); !sure {
		return false
	}
	_, value, _ := strings.Cut(r.words, ": ")
	_, whole := intent.Calls(words, value)
	return whole || len(strings.Fields(words)) > 1
}

const (
	mostForgotten = 4         // records that one answer offers to delete
	verbRecord    = "record/" // and the ID of a record: the verb of such a button
)

// Own answers such a message without a model, which would see only the records that match
// the question. The list is shown in direct messages only. Words delete nothing; the answer
// names the commands that do.
func (me *Memory) Own(ctx context.Context, m bot.Message, lang string) (string, error) {
	if !m.Thread.Direct {
		return phrase.Say(lang, "bot.memory.private"), nil
	}
	card, err := me.list(ctx, bot.Invocation{Thread: m.Thread, User: m.User}, lang)
	if err != nil {
		return "", err
	}
	return phrase.MomentWords(fit.Paragraphs("**"+card.Title+"**\n\n"+strings.TrimSpace(card.Text), card.Footer)), nil
}
