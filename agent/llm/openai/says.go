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
	saysFlagged = pattern.New(`data_?inspection_?failed|inappropriate content|content management policy|` +
		`(?:input|prompt|message|request) (?:was|is|has been) (?:flagged|considered high risk)`)
	saysNoKey   = pattern.New(`api_key_invalid|(?:api|access) ?key (?:is )?(?:not valid|invalid|not found|missing|expired|incorrect)|(?:invalid|incorrect|missing|no|expired) (?:api|access) ?key\b`)
	saysNoModel = pattern.New(`\bno such model\b|\bnot a valid model\b|\b(?:invalid|unknown) model(?: name| id|:|$)|modelnotfound|` +
		`^[^a-z]*(?:the )?(?:requested |specified )?model:? (?:[^\s]{1,120} )?(?:is not found|not found|does ?n[o']t exist|does not exist|not exist|is not available)`)
)

// maxSaid is the longest message, in bytes, that [fault.says] reads.
const maxSaid = 300

// quotesPart matches a part of the request and what introduces its value: "tool call arguments: …", "messages[3].content 'x'".
var quotesPart = pattern.New(`(?:\btool[_ ]?calls?\b|\btool\b|\bfunction\b|\barguments?\b|\bmessages?[\[.]\d)[^:'"\x60]{0,60}[:'"\x60]`)

// repeats reports whether a message may have parts of the request: a list of validation errors, one of them, or the value of a call.
func repeats(message string) bool {
	return strings.HasPrefix(message, "[") || strings.HasPrefix(message, "{") || quotesPart.MatchString(message) ||
		strings.Contains(message, "'input'") || strings.Contains(message, `"input"`) || strings.Contains(message, "input_value=")
}

// says is the class that a refusal's words stand for, "" for none. For other statuses, the status alone decides; a limit of
// the rate is read for used-up credit alone. Long messages and those that may repeat the request are not read: their words
// may be a person's.
func (f fault) says(status int) llm.Class {
	limited := status == http.StatusTooManyRequests
	if status != http.StatusBadRequest && status != http.StatusForbidden && status != http.StatusUnprocessableEntity && !limited {
		return ""
	}
	code, message := strings.ToLower(f.code+" "+f.typ), strings.ToLower(strings.TrimSpace(f.message))
	if len(message) > maxSaid || repeats(message) {
		message = ""
	}
	says := func(p *pattern.Pattern) bool { return p.MatchString(code) || p.MatchString(message) }
	switch {
	case says(saysNoCredit) || limited && strings.Contains(code, "exceeded_current_quota"):
		return llm.Quota
	case limited:
		return ""
	case says(saysFlagged) || strings.Contains(code, "content_filter") || strings.Contains(code, "content_policy"):
		return llm.ContentFilter
	case says(saysNoKey):
		return llm.Auth
	case says(saysNoModel) || strings.Contains(code, "model_not_found") || strings.Contains(code, "model_not_exist"):
		return llm.NotFound
	}
	return ""
}
