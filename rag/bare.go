package rag

import "maru/phrase/pattern"

// bareCase matches such a question as a whole, in Korean or English.
var bareCase = pattern.New(`(?i)^\s*(?:(?:만약|만일|혹시|제때|미리|늦게|일찍|안|못|제대로|기한\p{Hangul}*|날짜\p{Hangul}*|그날\p{Hangul}*)\s+)*\p{Hangul}{1,6}(?:\s?주)?면(?:은?요)?(?:\s*(?:어떻게|어떡|무슨\s*일)\P{Zs}*\s?\P{Zs}*)?\s*[?]*\s*$|` +
	`^\W*(?:(?:and|but|so|then|ok(?:ay)?)\b,?\s*)*(?:what\s+(?:happens\s+)?)?if\s+(?:they|we|he|she|it|i|you|that|this|the\s+[a-z]+)(?:'s|'re)?(?:\s+(?:is|are|isn't|aren't|do|does|don't|doesn't|not|late|miss|misses|missed|fail|fails|to|in|on|time|it|that|this|them|with|by))*\W*$`)

// BareCase reports whether a question names a case without its subject: "늦으면?", "미리 안 알려 주면 어떻게 돼?", "And if they
// don't?". The conversation supplies the subject.
func BareCase(question string) bool { return bareCase.MatchString(question) }

// bareVerb matches a question word with a verb, or alone.
var bareVerb = pattern.New(`(?i)^\s*(?:어디(?:서|에서|에|로)?|언제(?:까지|부터|쯤)?|누가|누구(?:한테|에게|랑)|얼마나?|며칠|왜|어떻게)\s+(?:(?:전|후|뒤|안)(?:에|까지)?\s+)?\p{Hangul}{1,5}(?:\s+(?:해|하|돼|되|있|수|줘)\p{Hangul}{0,3}){0,2}\s*[?？.!~]*\s*$|` +
	`^\W*(?:(?:and|but|so|then|ok(?:ay)?)\b,?\s*)*(?:who\s+[a-z]+|when|where|why(?:\s+not)?|how\s+(?:much|long|many|often|far|come))\s*[?!.]*\s*$`)

// BareVerb reports whether a question has a verb but no subject: "어디서 받아?", "며칠 전에 해야 해?", "who approves?". The
// conversation supplies the subject.
func BareVerb(question string) bool { return bareVerb.MatchString(question) }
