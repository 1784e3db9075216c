package console

// words are the console's own sentences by key: Korean, English.
var words = map[string][2]string{
	"welcome":     {"마루예요. 무엇이든 물어보세요. /help 로 명령을 볼 수 있어요.", "This is Maru. Ask me anything; /help shows the commands."},
	"thread":      {"대화: %s", "Conversation: %s"},
	"again":       {"끝내려면 Ctrl-C를 한 번 더 누르세요.", "Press Ctrl-C again to quit."},
	"stopping":    {"멈추는 중이에요. 끝내려면 Ctrl-C를 한 번 더 누르세요.", "Stopping. Press Ctrl-C again to quit."},
	"bye":         {"또 만나요.", "See you."},
	"sources":     {"출처", "Sources"},
	"page":        {"%d쪽", "p. %d"},
	"redo":        {"다시 쓸게요:", "Let me write that again:"},
	"pick":        {"고르려면 %s 를 입력하세요.", "Type %s to choose."},
	"no.choice":   {"고를 것이 없어요.", "There is nothing to choose."},
	"bad.choice":  {"1에서 %d 사이에서 골라 주세요.", "Choose from 1 to %d."},
	"required":    {"꼭 필요한 값이에요.", "This is needed."},
	"form.left":   {"그만두었어요. 아무것도 보내지 않았어요.", "Left; nothing was sent."},
	"new.name":    {"이름에는 글자, 숫자, - 와 _ 만 쓸 수 있어요 (64자까지).", "A name has letters, digits, - and _ only, at most 64."},
	"file.usage":  {"쓰는 법: /ingest 경로", "Usage: /ingest PATH"},
	"file.open":   {"%s: 파일을 열 수 없어요. 경로와 권한을 확인해 주세요.", "%s: the file cannot be opened. Check the path and its permissions."},
	"file.folder": {"%s: 폴더예요. 여러 파일은 maru ingest 로 넣어 주세요.", "%s: this is a folder. Use maru ingest for several files."},
	"file.done":   {"%s 을(를) 추가했어요 (구절 %d개). 이제 물어볼 수 있어요.", "Added %s (%d passages). You can ask about it now."},
	"file.no":     {"여기서는 문서를 추가할 수 없어요.", "Documents cannot be added here."},
	"too.long":    {"너무 길어요. %d자까지 쓸 수 있어요.", "That is too long: at most %d characters."},
	"failed":      {"전하지 못했어요. 다시 시도해 주세요.", "That did not get through. Please try again."},
	"ask.empty":   {"질문이 없어요. 쓰는 법: maru ask \"질문\"", "There is no question. Usage: maru ask \"question\""},
	"ask.person":  {"사람의 결정이 필요한 질문이에요. maru chat 으로 이어 가세요.", "This needs a person's decision. Go on with maru chat."},
	"ask.stopped": {"답을 받기 전에 멈췄어요.", "Stopped before there was an answer."},
	"help.own": {
		"  /new [이름]       새 대화, 또는 그 이름의 대화\n  /ingest 경로      이 기기의 파일을 문서에 추가\n  /1, /2, …         마지막 질문의 버튼을 누르기\n  /quit             끝내기 (Ctrl-D)\n\n  줄 끝의 \\ 또는 \"\"\" 로 여러 줄을 쓸 수 있어요. Ctrl-C는 답을 멈춰요.",
		"  /new [NAME]       a new conversation, or the one of that name\n  /ingest PATH      add a file of this machine to the documents\n  /1, /2, …         press a button of the last question\n  /quit             leave (Ctrl-D)\n\n  A \\ at the end of a line, or \"\"\" around lines, writes more than one. Ctrl-C stops the answer.",
	},
}

// word returns the sentence of a key.
func word(lang, key string) string {
	w, ok := words[key]
	if !ok {
		return key
	}
	if lang == "ko" {
		return w[0]
	}
	return w[1]
}
