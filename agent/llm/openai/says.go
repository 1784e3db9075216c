package openai

import (
	"net/http"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// Refusals that services send as a mere bad request, or as a missing permission, by their words. A wrong class gives wrong
// advice: a shorter question where the key is wrong, the key where the credit is used up.
var (
	saysNoCredit = pattern.New(`credit balance is too low|insufficient[_ ](?:\w+ )?(?:balance|credits?|funds)|balance is (?:insufficient|not enough|too low)|` +
		`out of credits|used all available credits|spending limit|account is in arrears|\barrearage\b|accountoverdue|余额不足`)
	saysFlagged = pattern.New(`data_?inspection_?failed|inappropriate content|content management policy|rejected as a result of our safety system|` +
		`(?:input|prompt|message|request) (?:was|is|has been) (?:flagged|considered high risk)`)
	saysTooLong = pattern.New(`maximum (?:context|prompt) length is \d|exceeds the available context size|longer than the model's context length|` +
		`\bprompt is too long: \d|token count[ (]{1,2}\d+\)? exceeds|\bmodel with \d+ maximum context length|` +
		`\binput \(\d+ tokens\) is too large to process|must have less than \d+ tokens`)
	saysReplyTooLong = pattern.New(`max_(?:completion_)?tokens['\x60]? is too large`)
	saysNoKey        = pattern.New(`api_key_invalid|(?:api|access) ?key (?:is )?(?:not valid|invalid|not found|missing|expired|incorrect)|(?:invalid|incorrect|missing|no|expired) (?:api|access) ?key\b`)
	saysNoModel      = pattern.New(`\bno such model\b|\bnot have access to (?:the )?model\b|\bnot a valid model\b|\b(?:invalid|unknown) model(?: name| id|:|$)|modelnotfound|` +
		`^[^a-z]*(?:the )?(?:requested |specified )?model:? (?:[^\s]{1,120} )?(?:is not found|not found|does ?n[o']t exist|does not exist|not exist|is not available)`)
)

// maxSaid is the longest message, in bytes, that [fault.says] reads.
const maxSaid = 300

// quotesPart matches a part of the request and what introduces its value: "tool call arguments: …", "messages[3].content 'x'".
var quotesPart = pattern.New(`(?:\btool[_ ]?calls?\b|\btool\b|\bfunction\b|\barguments?\b|\bmessages?[\[.]\d)[^:'"\x60]{0,60}[:'"\x60]`)

// exceptions matches the names of exceptions that lead a message in small letters, as LiteLLM's do: what follows them may
// be long.
var exceptions = pattern.New(`^(?:(?:litellm\.)?[a-z]{1,40}(?:error|exception): ){1,4}`)

// repeats reports whether a message may have parts of the request: a list of validation errors, one of them, or the value of a call.
func repeats(message string) bool {
	return strings.HasPrefix(message, "[") || strings.HasPrefix(message, "{") || quotesPart.MatchString(message) ||
		strings.Contains(message, "'input'") || strings.Contains(message, `"input"`) || strings.Contains(message, "input_value=")
}

// says returns the class that a refusal's words stand for, "" for none. For other statuses, the status alone decides; a limit of
// the rate is read for used-up credit alone, an error within the server for a text that is too long. Long messages and those that may repeat the request are not read: their words
// may be a person's.
func (f fault) says(status int) llm.Class {
	limited := status == http.StatusTooManyRequests
	tooLong := status == http.StatusInternalServerError || status == http.StatusRequestEntityTooLarge // of llama.cpp and of TEI, for a text of an embedding
	if !tooLong && status != http.StatusBadRequest && status != http.StatusForbidden && status != http.StatusUnprocessableEntity && !limited {
		return ""
	}
	message := strings.ToLower(strings.TrimSpace(f.message))
	code := strings.ToLower(f.code+" "+f.typ) + " " + exceptions.FindString(message)
	if len(message) > maxSaid || repeats(message) {
		message = ""
	}
	says := func(p *pattern.Pattern) bool { return p.MatchString(code) || p.MatchString(message) }
	switch {
	case tooLong:
		if says(saysTooLong) {
			return llm.ContextLength
		}
		return ""
	case says(saysNoCredit) || strings.Contains(code, "budget_exceeded") || strings.Contains(code, "budgetexceeded") || limited && strings.Contains(code, "exceeded_current_quota"):
		return llm.Quota
	case limited:
		return ""
	case strings.Contains(code, "contextwindowexceeded") || says(saysTooLong) && !says(saysReplyTooLong):
		return llm.ContextLength
	case says(saysFlagged) || strings.Contains(code, "content_filter") || strings.Contains(code, "content_policy") || strings.Contains(code, "contentpolicyviolation"):
		return llm.ContentFilter
	case says(saysNoKey) || strings.Contains(code, "no_db_connection"):
		return llm.Auth
	case says(saysNoModel) || strings.Contains(code, "model_not_found") || strings.Contains(code, "model_not_exist"):
		return llm.NotFound
	}
	return ""
}
