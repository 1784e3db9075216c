package web

import (
	"fmt"
	"strings"
	"time"
)

// words are all sentences of the console by key: Korean, English. A new language
// is a new column.
var words = map[string][2]string{
	"brand":           {"마루", "Maru"},
	"tagline":         {"팀의 문서 위에 둘러앉아 이야기하는 곳", "Where a team sits down with its documents"},
	"owner":           {"나", "You"},
	"skip":            {"본문으로 건너뛰기", "Skip to the conversation"},
	"menu":            {"메뉴", "Menu"},
	"menu.close":      {"메뉴 닫기", "Close the menu"},
	"close":           {"닫기", "Close"},
	"cancel":          {"취소", "Cancel"},
	"threads":         {"대화", "Conversations"},
	"threads.none":    {"아직 대화가 없어요.", "No conversations yet."},
	"thread.new":      {"새 대화", "New conversation"},
	"thread.untitled": {"새 대화", "New conversation"},
	"thread.forget":   {"대화 지우기", "Delete this conversation"},
	"thread.forget.sure": {
		"이 대화와 여기에 딸린 기억을 모두 지울까요? 되돌릴 수 없어요.",
		"Delete this conversation and everything remembered from it? This cannot be undone.",
	},
	"documents":     {"문서", "Documents"},
	"documents.sub": {"질문에 답할 때 찾아보는 문서예요.", "What I look things up in when I answer."},
	"documents.none": {
		"아직 문서가 없어요. 파일을 여기로 끌어다 놓거나 버튼을 눌러 올려 주세요.",
		"There are no documents yet. Drop a file here, or use the button.",
	},
	"documents.add":         {"문서 올리기", "Add documents"},
	"documents.drop":        {"여기에 놓으면 문서로 추가돼요", "Drop to add to the documents"},
	"documents.formats":     {"Markdown, 텍스트, HTML, JSON, CSV, PDF, DOCX, PPTX, XLSX · 파일마다 %s까지", "Markdown, text, HTML, JSON, CSV, PDF, DOCX, PPTX, XLSX · up to %s each"},
	"document.remove":       {"삭제", "Delete"},
	"document.remove.named": {"“%s” 삭제", "Delete “%s”"},
	"document.remove.sure":  {"“%s” 문서를 지울까요? 더 이상 답에 쓰이지 않아요.", "Delete “%s”? It will no longer be used in answers."},
	"document.public":       {"기본 제공", "Built in"},
	"document.passages":     {"구절 %d개", "%d passages"},
	"document.passage":      {"구절 1개", "1 passage"},
	"document.pages":        {"%d쪽", "%d pages"},
	"document.added":        {"%s 문서를 추가했어요. 이제 물어볼 수 있어요.", "Added %s. You can ask about it now."},
	"upload.sending":        {"올리는 중", "Uploading"},
	"upload.reading":        {"읽는 중", "Reading"},
	"upload.done":           {"추가했어요", "Added"},
	"upload.failed":         {"올리지 못했어요", "Could not be added"},
	"upload.attach":         {"파일 올리기", "Attach a file"},
	"upload.toobig":         {"파일이 너무 커요. %s까지 올릴 수 있어요.", "The file is too large: at most %s."},

	"composer.label":       {"메시지", "Message"},
	"composer.placeholder": {"무엇이든 물어보세요", "Ask me anything"},
	"composer.send":        {"보내기", "Send"},
	"composer.stop":        {"멈추기", "Stop"},
	"composer.hint":        {"Enter로 보내고 Shift+Enter로 줄을 바꿔요", "Enter sends, Shift+Enter starts a new line"},
	"composer.noscript":    {"답이 써지는 것을 보려면 JavaScript가 필요해요.", "Watching an answer being written needs JavaScript."},

	"empty.title":    {"무엇을 도와드릴까요?", "What can I help you with?"},
	"empty.text":     {"문서에서 찾아 출처와 함께 답해요. 이렇게 물어볼 수 있어요.", "I answer from your documents and show where it stands. You could ask:"},
	"empty.example1": {"연차는 며칠이야?", "How many days of annual leave do I have?"},
	"empty.example2": {"재택근무는 일주일에 며칠까지 돼?", "How many days a week can I work from home?"},
	"empty.example3": {"(1,250,000 × 12) ÷ 7 은 얼마야?", "What is (1,250,000 × 12) ÷ 7?"},
	"empty.drop":     {"파일을 여기에 끌어다 놓으면 바로 그 내용을 물어볼 수 있어요.", "Drop a file anywhere here and ask about it right away."},

	"log":            {"대화 내용", "Messages"},
	"you.said":       {"내가 쓴 말", "You said"},
	"bot.said":       {"마루의 답", "Maru answered"},
	"message.gone":   {"지워진 메시지예요.", "This message was deleted."},
	"sources":        {"출처", "Sources"},
	"source.page":    {"%d쪽", "p. %d"},
	"trace.link":     {"어떻게 답했나", "How this was answered"},
	"copy":           {"복사", "Copy"},
	"copied":         {"복사했어요", "Copied"},
	"sent":           {"전했어요", "Done"},
	"step.waiting":   {"대기", "Waiting"},
	"step.running":   {"진행 중", "Running"},
	"step.done":      {"완료", "Done"},
	"step.failed":    {"실패", "Failed"},
	"step.skipped":   {"건너뜀", "Skipped"},
	"answering":      {"답을 쓰고 있어요", "Writing an answer"},
	"answered":       {"답을 마쳤어요", "The answer is complete"},
	"away.title":     {"출처에서 나온 링크가 아니에요. 누르면 주소를 먼저 보여드려요.", "Not from a source: shows you the address first"},
	"away.head":      {"다른 곳으로 나가는 링크", "A link that leads elsewhere"},
	"away.text":      {"이 주소는 출처에서 온 것이 아니라 답에 적힌 것이에요. 아는 곳일 때만 여세요.", "This address comes from the answer's own words, not from a source. Open it only if you know the place."},
	"away.open":      {"열기", "Open"},
	"live.lost":      {"연결이 끊겼어요. 다시 잇는 중이에요…", "Connection lost. Trying again…"},
	"send.failed":    {"보내지 못했어요.", "Could not be sent."},
	"command.answer": {"나에게만 보여요", "Only you can see this"},

	"passage.title":    {"출처", "Source"},
	"passage.open":     {"큰 화면으로 보기", "Open as a page"},
	"passage.previous": {"앞 구절", "Previous passage"},
	"passage.next":     {"다음 구절", "Next passage"},
	"passage.here":     {"인용된 구절", "The passage that was cited"},

	"trace.title":            {"어떻게 답했나", "How this was answered"},
	"trace.question":         {"질문", "Question"},
	"trace.back":             {"대화로 돌아가기", "Back to the conversation"},
	"trace.time":             {"걸린 시간", "Time"},
	"trace.calls":            {"모델 호출", "Model calls"},
	"trace.tools":            {"도구 호출", "Tool calls"},
	"trace.tokens":           {"토큰 (입력 → 출력)", "Tokens (in → out)"},
	"trace.cost":             {"비용", "Cost"},
	"trace.agent":            {"에이전트", "Agent"},
	"trace.model":            {"모델", "Model"},
	"trace.timeline":         {"시간 순서", "Timeline"},
	"trace.passages":         {"찾은 구절", "Passages found"},
	"trace.events":           {"모든 사건", "Everything that happened"},
	"trace.none":             {"기록된 사건이 없어요.", "Nothing was recorded."},
	"trace.status.done":      {"완료", "Done"},
	"trace.status.waiting":   {"사람을 기다리는 중", "Waiting for a person"},
	"trace.status.failed":    {"실패", "Failed"},
	"trace.status.cancelled": {"멈춤", "Stopped"},
	"trace.status.running":   {"진행 중", "Running"},
	"trace.kind.node":        {"노드", "Node"},
	"trace.kind.model":       {"모델", "Model"},
	"trace.kind.tool":        {"도구", "Tool"},
	"trace.kind.other":       {"사건", "Event"},

	"help":           {"도움말과 단축키", "Help and shortcuts"},
	"help.short":     {"도움말", "Help"},
	"help.keys":      {"단축키", "Keyboard shortcuts"},
	"help.commands":  {"명령", "Commands"},
	"help.enter":     {"보내기", "Send"},
	"help.shift":     {"줄 바꾸기", "New line"},
	"help.slash":     {"입력칸으로 가기", "Go to the message box"},
	"help.escape":    {"답 멈추기, 또는 열린 창 닫기", "Stop the answer, or close what is open"},
	"help.new":       {"새 대화", "New conversation"},
	"help.question":  {"이 도움말", "This help"},
	"help.arrows":    {"대화 목록에서 오르내리기", "Move through the conversations"},
	"pref.language":  {"언어", "Language"},
	"pref.theme":     {"밝기", "Appearance"},
	"pref.auto":      {"시스템", "System"},
	"pref.light":     {"밝게", "Light"},
	"pref.dark":      {"어둡게", "Dark"},
	"login.title":    {"들어가기", "Sign in"},
	"login.password": {"비밀번호", "Password"},
	"login.enter":    {"들어가기", "Sign in"},
	"login.wrong":    {"비밀번호가 맞지 않아요.", "That password is not right."},
	"login.too_many": {"너무 여러 번 틀렸어요. 1분 뒤에 다시 해 주세요.", "Too many wrong passwords. Please try again in a minute."},
	"logout":         {"나가기", "Sign out"},
	"page.home":      {"처음으로", "Back to the start"},
	"error.title":    {"할 수 없었어요", "That did not work"},

	"wrong_host":   {"이 이름으로는 이 콘솔에 들어올 수 없어요. 127.0.0.1로 열거나, 관리자가 공개 호스트 이름을 설정해야 해요.", "This console does not answer to that name. Open it as 127.0.0.1, or have an admin configure its public host name."},
	"wrong_origin": {"다른 사이트에서 보낸 요청이라 받지 않았어요.", "This request came from another site, so it was not taken."},
	"wrong_token":  {"페이지가 오래되었어요. 새로고침한 뒤 다시 해 주세요.", "This page is out of date. Please reload it and try again."},
	"login_needed": {"먼저 들어와야 해요.", "Please sign in first."},
	"bad_request":  {"요청을 읽을 수 없어요.", "The request could not be read."},
	"too_long":     {"너무 길어요. 32,000자까지 쓸 수 있어요.", "That is too long: at most 32,000 characters."},
	"empty":        {"내용을 적어 주세요.", "Please write something."},
	"no_such_page": {"그런 페이지가 없어요.", "There is no such page."},
	"not_found":    {"찾을 수 없어요. 지워졌을 수 있어요.", "There is no such thing here. It may have been deleted."},
	"file_missing": {"올릴 파일이 없어요.", "There is no file in the request."},
	"file_too_big": {"파일이 너무 커요.", "The file is too large."},
	"gone_offline": {"마루에 닿지 않아요. 잠시 뒤 다시 해 주세요.", "Maru cannot be reached. Please try again in a moment."},
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

// scriptWords are the keys whose sentences the script needs.
func scriptWords(lang string) map[string]string {
	out := make(map[string]string)
	for _, key := range []string{
		"upload.sending", "upload.reading", "upload.done", "upload.failed", "upload.toobig", "document.remove.sure",
		"thread.forget.sure", "answering", "answered", "live.lost", "send.failed",
		"copied", "sent", "passage.open", "gone_offline", "command.answer", "close", "cancel", "composer.send", "composer.stop", "empty",
	} {
		out[key] = word(lang, key)
	}
	return out
}

// ago says when something was, briefly.
func ago(lang string, at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(now.Location())
	if at.Year() == now.Year() && at.YearDay() == now.YearDay() {
		return at.Format("15:04")
	}
	if lang == "ko" {
		if at.Year() == now.Year() {
			return at.Format("1월 2일")
		}
		return at.Format("2006. 1. 2.")
	}
	if at.Year() == now.Year() {
		return at.Format("2 Jan")
	}
	return at.Format("2 Jan 2006")
}

// passages says how many passages a document has.
func passages(lang string, n int) string {
	if n == 1 {
		return word(lang, "document.passage")
	}
	return fmt.Sprintf(word(lang, "document.passages"), n)
}

// size says how large a file is.
func size(n int64) string {
	const units = "KMGT"
	if n < 1024 {
		return itoa(n) + " B"
	}
	f, u := float64(n)/1024, 0
	for f >= 1024 && u < len(units)-1 {
		f, u = f/1024, u+1
	}
	s := strings.TrimSuffix(trimFloat(f), ".0")
	return s + " " + units[u:u+1] + "B"
}
