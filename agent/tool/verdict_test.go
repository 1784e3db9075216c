package tool_test

import (
	"strings"
	"testing"

	"maru/agent/tool"
)

// Results by class. The first list of each pair was at hand while the rules were written, the second was kept back.
var (
	failedResults = [2]string{`
Error: 500 internal server error
request failed. 400 Bad Request: input validation error
{"isError": true, "msg":"x"}
MCP error -32602: Input validation error: city is required
[ERROR] could not reach the upstream
{"ok":false,"error":"channel_not_found"}
{"status":"error","message":"quota used up"}
{"statusCode":502,"message":"Bad Gateway"}
{"content":[{"type":"text","text":"Error: no such table"}]}
{"result":{"isError":true,"content":"disk full"}}
[{"type":"text","text":"{\"success\": false}"}]
Traceback (most recent call last): File "a.py"
java.lang.NullPointerException: value
open /etc/passwd: permission denied
dial tcp 10.0.0.1:5432: connect: connection refused
Failed to fetch the page
Unable to find the calendar
Access denied - path outside allowed directories
The server is unavailable.
Invalid API key provided
Unknown tool: find_sales
Missing required parameter: to
rate limit exceeded, retry after 60 s
tool execution failed
The request timed out after 30 seconds
HTTP 503
Internal Server Error
File not found: report.xlsx
An unexpected error occurred.
exited with code 1
조회에 실패했습니다
오류: 잘못된 요청입니다
파일을 찾을 수 없습니다
서버 오류가 발생했습니다. 잠시 후 다시 시도해 주세요
권한이 없습니다
요청이 거부되었습니다
시간 초과
인증 토큰이 만료되었습니다
존재하지 않는 사용자입니다
메일을 보내지 못했습니다: 주소가 잘못됐어요
3명 중 1명에게 보내지 못했어요
회의실을 예약하지 못했어요. 이미 차 있어요
{"resultCode":"9999","resultMsg":"처리 실패"}
{"sent":false}
{"failed":3,"sent":0}
curl: (6) Could not resolve host: api.example.com
Timeout waiting for response
The deployment failed, rolled back to v2
메일 서버에 문제가 생겨 메일을 보내지 못했습니다
결제가 승인되지 않아 예약하지 못했습니다
삭제는 권한 문제로 처리하지 못했습니다
브라우저가 응답이 늦어 페이지를 불러오지 못했어요
첨부 이미지는 주제가 맞지 않아 저장하지 못했습니다
스팀이 점검 중이라 실행하지 못했습니다
{"failed":2,"delivered":0}
`, `
Error - unable to open database file
{"success": "false", "data": null}
{"errors":[{"message":"Cannot query field x"}],"data":null}
{"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"to: must be an address"}
{"jsonrpc":"2.0","error":{"code":-32000,"message":"backend gone"}}
{"error_code":"PERMISSION_DENIED","error_message":"scope missing"}
{"code":"RESOURCE_EXHAUSTED","message":"try later"}
{"output":"Exception: boom"}
"Error: nothing works"
Result: {"isError":true,"message":"no"}
2026-11-26T09:00:00Z ERROR: mail gateway says no
ValueError: invalid literal for int()
stat /data/x.csv: no such file or directory
write: no space left on device
Could not connect to the mail server
Sorry, I was unable to send the message.
I'm not authorized to read this board
Permission denied
The database is offline
Unsupported file type: exe
Required parameter is missing: subject is required
Too Many Requests
Connection reset by peer
The API returned 401
Operation aborted
Query failed: syntax error near FROM
504 Gateway Timeout
User 42 does not exist
There is no such ticket.
그런 티켓은 없습니다.
The message was not sent
❌ Error: bad input
메일 전송에 실패하였습니다.
에러 코드 E1234: 연결 불가
해당 문서를 찾지 못했습니다
요청을 처리할 수 없어요
접근 권한이 없어요. 관리자에게 문의하세요
지원하지 않는 형식입니다
일일 한도를 초과했습니다
데이터베이스에 연결할 수 없습니다
필수 항목이 누락되었습니다
예외 발생: 널 값
이슈를 등록하지 못함: 프로젝트가 닫혀 있음
첨부 파일은 올리지 못했어요
{"resultMsg":"조회에 실패했습니다","resultCode":"E01"}
{"delivered":false,"reason":"mailbox full"}
git: unable to read the remote
smtp: could not reach the relay
날씨가 갱신되지 않아 예보를 저장하지 못했습니다
어제가 기한이라 등록하지 못했습니다
Payment was refused
Booking failed because the slot is taken
`}
	goodResults = [2]string{`
맑음
{"temperature": 3}
{"error": null, "ok": true}
No errors were found in 3 files
The 404 bus is late
There is no such thing as a free lunch
There is no meeting today.
오늘은 회의가 없습니다.
{"errors": [], "result": "sent"}
{"id":5,"status":"failed","build":"main","duration":31}
{"passed":12,"failed":2}
{"error_rate": 0.2, "requests": 900}
{"total":0,"items":[]}
Errors: 0, warnings: 2
Sent to kim@example.com
The first attempt failed. The second one succeeded.
If the request fails, try again after a minute.
Failed payments rose by 3 % in October
3 tests failed, 97 passed
Employees cannot carry annual leave over
Room 404 is free at 3 pm
Error handling is described in chapter 5
The status of order 500 is shipped
There were no problems with the import
10월 매출은 1,200만 원입니다
오류 없이 완료했습니다
오류 건수: 0건
실패: 0건, 성공: 10건
연차는 다음 해로 넘길 수 없습니다
문제가 생기면 관리자에게 문의하세요
장애 대응 회의는 3시입니다
일정이 없습니다
Invoice sent. (no errors)
{"resultCode":"00","resultMsg":"NORMAL SERVICE."}
{"id":3,"subject":"초안","sent":false}
{"sent":3,"failed":0}
김 과장은 보고서를 보내지 못했습니다
담당자가 아직 처리하지 못했어요
제가 어제 메일을 보내지 못했어요
회의실 A는 15시에 예약되지 않았습니다.
차량 12가3456은 등록되지 않았습니다.
3월 급여는 아직 반영되지 않았습니다. 25일에 반영됩니다.
note: could not attend on Friday
summary: failed to meet the target
The booking is closed
Your reservation expired on Friday
The index is down 2 % today
{"status":"failed","count":0}
`, `
{"is_error": false, "text": "Error budget: 20 %"}
{"success": true, "message": "no failures"}
{"url":"https://a.example","status":404,"checked":"today"}
{"level":"error","count":3,"service":"mail"}
{"failures":[{"line":3}],"file":"a.go"}
["Error: one", "fine"]
Saved without errors.
Total failures: 12
Last error: none
The meeting about the server failure is at 4 pm
He failed the exam twice
The item is not available in blue
Retried after a timeout; completed successfully.
When the token expires, log in again.
Invalid votes: 31
Bus 503 runs every ten minutes
5 files were not changed
Zero failures in the last week
Kim cannot come on Friday
The refund was approved
실패율은 2%입니다
에러 로그 12줄을 요약했습니다
지난주 장애 3건은 모두 복구되었습니다
휴가는 반차로 나눠 쓸 수 없습니다
회의록을 저장했습니다
오류가 발생하면 다시 시도하세요
메일을 보냈습니다
김 대리는 금요일에 올 수 없습니다
거부권은 이사회에 있습니다
Build 12 is green (zero failures)
{"resultCode":0,"resultMsg":"OK","items":[]}
{"title":"신청서","accepted":false}
이번 주 회의에는 참석하지 못했습니다
영업팀은 예산을 다 쓰지 못했어요
Kim: could not attend on Friday
Comment: unable to join the call
description: cannot log in since Monday
메모: 화면을 찾을 수 없다고 함
회의록: 예산 파일을 열지 못했다는 지적
저희는 아직 등록하지 못했습니다
해당 날짜에는 일정이 등록되지 않았습니다.
{"message":"회의실 A는 예약되지 않았습니다.","status":"ok"}
마케팅 팀이 자료를 올리지 못했습니다
The record is closed
Payments expired in March were refunded
{"state":"failed","total":0,"since":"2026-11-01"}
`}
	emptyResults = []string{"", "  \n", "null", "{}", "[]", `""`, `{"results": []}`, `{"content":[{"text":""}]}`, "None", "```json\n[]\n```"}
)

// TestResultsAreJudgedByTheirOwnWords takes none of the failures for a success and the other way round.
func TestResultsAreJudgedByTheirOwnWords(t *testing.T) {
	t.Parallel()
	for half := range 2 {
		for _, c := range []struct {
			list string
			want tool.Verdict
		}{{failedResults[half], tool.Failed}, {goodResults[half], tool.Succeeded}} {
			all, right := 0, 0
			for line := range strings.Lines(strings.TrimSpace(c.list)) {
				all++
				got, words := tool.Judge(line)
				if got != c.want || (words != "") != (got == tool.Failed) {
					t.Errorf("half %d, %q: %q with %q", half+1, line, got, words)
					continue
				}
				right++
			}
			t.Logf("half %d: %d of %d are %q", half+1, right, all, c.want)
		}
	}
	for _, e := range emptyResults {
		if got, _ := tool.Judge(e); got != tool.Empty {
			t.Errorf("%q is %q", e, got)
		}
	}
	long := strings.Repeat("In October the request failed twice. ", 40)
	if got, _ := tool.Judge(long); got != tool.Succeeded {
		t.Errorf("a long report is %q", got)
	}
	if got, _ := tool.Judge("Error: disk full\n" + long); got != tool.Failed {
		t.Errorf("a long error is %q", got)
	}
}

func TestStrangersWordsAreQuotedAsCode(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"": "", "no\n\n`such` file": "`no 'such' file`", "see [here](https://x.example) <@U1>": "`see [here](https://x.example) <@U1>`",
	} {
		if got := tool.Quoted(words); got != want {
			t.Errorf("%q: %q", words, got)
		}
	}
}
