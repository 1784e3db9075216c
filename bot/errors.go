package bot

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"strings"
)

// Code names a failure that people are told about.
type Code string

// The codes. Each has its sentences in the table below.
const (
	CodeInternal     Code = "internal"
	CodeModelBusy    Code = "model_busy"
	CodeModelAuth    Code = "model_auth"
	CodeModelQuota   Code = "model_quota"
	CodeTooLong      Code = "too_long"
	CodeModelRefused Code = "model_refused"
	CodeModelUnfit   Code = "model_unfit"
	CodeTimeout      Code = "timeout"
	CodeTooManySteps Code = "too_many_steps"
	CodeStopped      Code = "stopped"
	CodeWithdrawn    Code = "withdrawn"
	CodeNotAllowed   Code = "not_allowed"
	CodeStale        Code = "stale"
	CodeUnknown      Code = "unknown_action"
	CodeNoAgent      Code = "no_agent"
	CodeBadFile      Code = "bad_file"
	CodeFileTooBig   Code = "file_too_big"
	CodeNoFile       Code = "no_file"
	CodeNotFound     Code = "not_found"
	CodeBadCommand   Code = "bad_command"
	CodeEmpty        Code = "empty"
	CodeBadSetting   Code = "bad_setting"
	CodeMayNot       Code = "may_not"
	CodeOverBudget   Code = "over_budget"
	CodeBadAnswer    Code = "bad_answer"
	CodeAmbiguous    Code = "ambiguous"
	CodeInterrupted  Code = "interrupted"
	CodeRolledBack   Code = "rolled_back"
	CodeBusy         Code = "busy"
	CodeQueued       Code = "queued"
)

// sentences is what people read, by code and language.
var sentences = map[Code][2]string{ // ko, en
	CodeInternal:     {"처리 중에 문제가 생겼어요. 잠시 뒤 다시 시도해 주세요.", "Something went wrong on my side. Please try again in a moment."},
	CodeModelBusy:    {"언어 모델이 지금 바빠서 답하지 못했어요. 잠시 뒤 다시 물어봐 주세요.", "The language model is too busy to answer right now. Please ask again in a moment."},
	CodeModelAuth:    {"언어 모델이 요청을 거절했어요. 관리자에게 API 키, 모델 이름, 주소 설정을 확인해 달라고 알려 주세요.", "The language model refused the request. Please ask an admin to check its key, model name and address."},
	CodeModelQuota:   {"언어 모델의 사용 한도를 다 썼어요. 관리자에게 알려 주세요.", "The language model's quota is used up. Please tell an admin."},
	CodeModelUnfit:   {"지금 설정된 언어 모델로는 이 일을 할 수 없어요. 관리자에게 모델 설정(OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL)을 확인해 달라고 알려 주세요.", "The language model that is set up cannot do this. Please ask an admin to check OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL."},
	CodeModelRefused: {"언어 모델이 이 요청에 쓸 수 있는 답을 주지 않았어요. 다르게 물어봐 주세요.", "The language model gave no usable answer to this. Please ask in another way."},
	CodeTooLong:      {"내용이 언어 모델이 한 번에 읽을 수 있는 길이를 넘어요. 나누어서 물어봐 주세요.", "This is longer than the language model can read at once. Please ask in smaller parts."},
	CodeTimeout:      {"시간 안에 답을 마치지 못했어요. 질문을 나누거나 다시 시도해 주세요.", "I could not finish in time. Please split the question or try again."},
	CodeTooManySteps: {"정해진 단계 안에 답을 찾지 못해 멈췄어요. 질문을 더 구체적으로 해 주세요.", "I stopped because I found no answer within the allowed steps. Please ask more specifically."},
	CodeStopped:      {"요청하신 대로 멈췄어요.", "Stopped, as you asked."},
	CodeWithdrawn:    {"질문이 지워져서 답을 그만두었어요.", "The question was deleted, so I stopped answering it."},
	CodeNotAllowed:   {"이 버튼을 누를 수 있는 사람이 아니에요.", "You are not one of the people who may decide this."},
	CodeStale:        {"이미 결정되었거나 기한이 지났어요.", "This was already decided or has expired."},
	CodeUnknown:      {"이 버튼은 더 이상 쓰이지 않아요. 다시 요청해 주세요.", "This button is no longer in use. Please ask again."},
	CodeNoAgent:      {"이곳에 설정된 에이전트를 찾을 수 없어요. 관리자가 설정을 확인해야 해요.", "The agent chosen for this place is not installed. An admin needs to check the setting."},
	CodeBadFile:      {"파일을 읽지 못했어요.", "I could not read the file."},
	CodeFileTooBig:   {"파일이 너무 커요.", "The file is too large."},
	CodeNoFile:       {"파일을 내려받지 못했어요. 봇에 파일 읽기 권한이 있는지 확인해 주세요.", "I could not download the file. Please check that the bot may read files."},
	CodeNotFound:     {"찾을 수 없어요.", "There is no such thing here."},
	CodeBadCommand:   {"모르는 명령이에요. `/maru help`로 쓸 수 있는 명령을 볼 수 있어요.", "I do not know that command. `/maru help` shows what there is."},
	CodeAmbiguous:    {"기다리는 질문이 여러 개예요. 어느 것인지 정해 주세요.", "Several questions are waiting. Please say which one."},
	CodeInterrupted:  {"새 메시지가 와서 여기까지만 하고 멈췄어요.", "A newer message came, so I stopped here."},
	CodeRolledBack:   {"새 메시지로 바꿔 달라고 하셔서 이 요청은 없던 일로 했어요.", "A newer message took this one's place, so I dropped it."},
	CodeBusy:         {"아직 앞의 일을 하고 있어요. 끝나면 다시 말해 주세요. 바로 멈추려면 \"그만\"이라고 하세요.", "I am still at work on the message before. Please write again when I am done, or say \"stop\"."},
	CodeQueued:       {"⏳ 앞의 일을 마치면 이어서 답할게요. 바로 멈추려면 \"그만\"이라고 하세요.", "⏳ Queued: I answer when I am done with the message before. Say \"stop\" to stop it."},
	CodeBadAnswer:    {"이 답은 받을 수 없어요. 아무것도 결정되지 않았으니 다른 버튼을 누르거나 다시 적어 주세요.", "This answer cannot be taken. Nothing was decided: please use another button or write it again."},
	CodeBadSetting:   {"이 설정이나 값은 쓸 수 없어요. 아무것도 바꾸지 않았어요.", "This setting or value cannot be used. Nothing was changed."},
	CodeMayNot:       {"이 일을 할 권한이 없어요.", "You may not do this."},
	CodeOverBudget:   {"이곳의 오늘 사용 한도를 다 썼어요. 내일 다시 물어보시거나 관리자에게 알려 주세요.", "Today's budget of this place is used up. Please ask again tomorrow, or tell an admin."},
	CodeEmpty:        {"무엇을 도와드릴까요? 질문을 적어 주세요.", "How can I help? Please write your question."},
}

// Error is a failure as people see it. Its text says what happened and what to
// do; the cause is for the log.
type Error struct {
	Code   Code
	Detail string // one more sentence in the person's language, may be empty
	Say    string // instead of the code's sentence: somebody said it better, in the person's language
	Ref    string // under which the cause stands in the log, "" if none
	Err    error
}

// Error implements error, for the log.
func (e *Error) Error() string {
	s := string(e.Code)
	if e.Ref != "" {
		s += " " + e.Ref
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Text returns the sentence for people in "ko" or "en".
func (e *Error) Text(language string) string {
	s, ok := sentences[e.Code]
	if !ok {
		s = sentences[CodeInternal]
	}
	text := s[1]
	if language == "ko" {
		text = s[0]
	}
	if e.Say != "" {
		text = e.Say
	}
	if e.Detail != "" {
		text += " " + e.Detail
	}
	if e.Ref != "" {
		text += " (" + e.Ref + ")"
	}
	return text
}

// Coder is implemented by errors of other packages that carry a code people can
// be told about. Unknown codes become the neutral sentence.
type Coder interface{ PeopleCode() string }

// asError makes any failure one that people can read. What it cannot name gets
// a neutral sentence and a reference for the log.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var c Coder
	if errors.As(err, &c) {
		if code := Code(c.PeopleCode()); sentences[code] != [2]string{} {
			return &Error{Code: code, Err: err}
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: CodeTimeout, Err: err}
	}
	return &Error{Code: CodeInternal, Ref: reference(), Err: err}
}

// reference returns a short random word that a person can read out.
func reference() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return "ref-" + strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// notice is the card that tells a person about a failure.
func (e *Error) notice(language string) Card {
	return Card{Kind: CardNotice, Text: e.Text(language), Language: language, Final: true}
}
