package tool_test

import (
	"strings"
	"testing"

	"maru/agent/tool"
)

// Results of calls that were to change or send something.
var (
	undoneResults = [2]string{`
일정이 등록되지 않았습니다. 다시 시도하세요
티켓이 생성되지 않음 (프로젝트 권한 없음)
회의실이 예약되지 않았어요. 다른 시간을 골라 주세요
파일이 업로드되지 않았습니다 (용량 제한)
요청하신 휴가는 신청되지 않았습니다
주문이 접수되지 않았습니다
중복 요청이라 처리하지 않았습니다
티켓 생성이 거부되었습니다
사용자를 추가하지 못하였음
메모가 추가되지 않았어요
The ticket was not created.
The issue could not be created because the project is archived
Not sent.
Cancelled by user
I was unable to post the notice
Draft saved, but it was not sent
The upload did not complete
`, `
메일이 발송되지 않았습니다: 수신 거부 주소
이미 같은 제목의 이슈가 있어 등록되지 않았습니다
변경 사항이 반영되지 않았습니다
공지가 게시되지 않았습니다. 관리자 승인이 필요합니다
메시지를 보낼 채널이 없어 전송하지 않았습니다
등록 실패
수신자 주소가 올바르지 않습니다
초안으로만 저장되고 발송은 되지 않았습니다
권한이 부족하여 삭제하지 않았습니다
입력값 오류로 등록이 되지 않았습니다
알림이 전달되지 않았습니다
예약이 안 됐어요
Event wasn't created: the calendar is read-only
Message not sent: channel is archived
No ticket was created
Your request was rejected: quota
The comment couldn't be added
Conflict: ticket is locked
Order not placed
Delivery to kim@example.com failed permanently
`}
	doneResults = [2]string{`
일정이 등록되었습니다
티켓 OPS-12가 생성됐어요. 담당자는 아직 지정되지 않았습니다
이슈를 등록했습니다: "로그인이 되지 않습니다"
변경 사항을 저장했습니다. 되돌릴 수 없습니다
주문 1234가 접수되었습니다. 결제는 아직 확인되지 않았습니다
예약 취소가 완료되었습니다
삭제되었습니다. 복구할 수 없습니다
메시지를 보냈습니다. 김 대리는 아직 읽지 않았습니다
이슈 제목: 알림이 전송되지 않음 / 상태: 열림
등록 완료
완료
이미지가 없는 초안을 저장했습니다
새 페이지를 만들었습니다. 첨부 파일은 없습니다
초대장을 보냈습니다. 아직 응답하지 않은 사람이 2명입니다
일정을 금요일로 옮겼습니다. 이전 일정은 취소되었습니다
요청을 거절 처리했습니다
레코드 12건을 갱신했습니다. 2건은 변경 사항이 없습니다
검토 요청을 보냈습니다. 승인이 필요합니다
티켓 상태를 '보류'로 바꿨습니다
"서버가 응답하지 않습니다"라는 제목으로 티켓을 열었어요
목록에서 뺐습니다
The ticket was created.
Sent to kim@example.com
Booked room A. It cannot be cancelled after 9 am.
Meeting cancelled
Order 12 has been cancelled. A refund was issued.
Issue "login does not work" created
Comment added. The author was not notified.
Draft saved
The user was blocked
The request was declined as asked
Done. No further action is needed.
Request submitted. Approval is required by your manager.
Page created without attachments
Settings changed. They do not apply until the next login.
Closed as duplicate of OPS-2
Added to the block list
Removed from the group. She no longer has access.
Subscription ended: you will not be charged again
{"ok":true,"message":"created, not notified"}
Archived. The channel is read-only now and nobody can post.
Your vote was recorded; the poll is not closed yet
`, `
메일을 보냈습니다
회의실 A를 예약했습니다. 취소하려면 하루 전까지 알려 주세요
공지를 올렸습니다. 댓글은 허용되지 않습니다
휴가 신청이 접수되었습니다. 아직 승인되지 않았습니다
기존 예약이 취소되었습니다
티켓을 닫았습니다 (사유: 재현되지 않음)
파일을 업로드했습니다. 미리보기는 생성되지 않았습니다
3명에게 보냈습니다
담당자를 변경했습니다
ok
메모가 추가되었습니다
댓글을 달았습니다. 작성자는 알림을 받지 않습니다
구독을 취소했습니다
설정을 바꿨어요. 다음 로그인부터 적용되며, 지금은 적용되지 않아요
전송 대기열에 넣었습니다
결제를 취소 처리했습니다. 환불은 3일 안에 처리됩니다
회의를 만들었습니다. 화상 링크는 추가되지 않았습니다
작업을 시작했습니다
계정을 잠갔습니다. 로그인할 수 없습니다
알림을 껐습니다. 이제 메시지가 전송되지 않습니다
이메일을 예약했습니다. 내일 9시에 발송됩니다
Created BUG-12. It is not assigned yet.
Mail sent; no attachments
Saved. This cannot be undone.
The reservation was cancelled
Posted to #dev. Comments are not allowed.
Opened OPS-9: Mail is not sent after update
Updated 12 rows, 2 unchanged
Event moved to Friday; attendees have not responded yet
Account locked: they cannot log in
Rejected the merge request
Queued for delivery
Invitation sent. 2 people have not accepted yet.
File uploaded. No preview was generated.
Closed as not reproducible
Marked as invalid
Message scheduled; it is not sent until 9 am
3 messages sent, 0 failed
{"id":"OPS-2","title":"Mail not sent","state":"open"}
Task started
`}
)

// toldAsDone are results of tools that did what they were to do: name, arguments if they matter, result.
const toldAsDone = `
delete_event Event cancelled
delete_reservation 예약이 취소되었습니다
stop_build Build cancelled
unsubscribe Your subscription has been cancelled
refund 결제가 취소되었습니다. 환불은 3일 걸립니다
set_feature {"enabled":false} => Feature x is disabled
update_setting {"value":"off"} => Notifications are disabled
complete_task The task was closed
transition_issue OPS-2 is closed
freeze_card Your card is locked
offboard_employee The account has been deactivated
ban_user 사용자가 차단되었습니다
remove_member 목록에서 제외되었습니다
respond_to_invite {"attending":false} => Invitation declined
decide_request 요청이 반려되었습니다
reject_request 요청이 거절되었습니다
reject_request The request was rejected
jira_revoke_token Token revoked
update {"state":"cancelled"} => Booking cancelled
create_ticket Ticket number: OPS-12. Please keep it for your records.
submit_claim 접수번호: 2026-1234. 문자로 보낸 안내를 확인해 주세요.
book_room 예약 번호 A12입니다. 취소는 불가합니다.
place_order Your order number is 12. You need to pay within 3 days.
send_mail 메일을 보냈으니 확인해 주세요.
create_meeting Meeting ID 12. A passcode is required to join.
install_plugin Installed the plugin. A restart is required.
set_reminder Reminder set for 9:00. You can't change it on the phone.
submit_form Thank you! We got your form. Please do not answer this mail.
import_rows 추가 3건, 변경 2건, 삭제 0건
import_rows 12건 등록, 0건 실패
remove_from_cart Your cart now has 0 items
duplicate_page Duplicate created: Copy of Plan
add_people Added 2 people (Lee already exists)
upsert_record Record already exists, updated it
create_issue Issue OPS-3 created, but the label could not be added.
create_issue 이슈 OPS-3을 만들었지만 라벨은 추가되지 않았습니다
create_issue 이슈 번호 OPS-3, 담당자는 등록되지 않음
create_note {"title":"Please call Kim"} => {"title":"Please call Kim"}
create_note {"title":"The invoice was not sent"} => The invoice was not sent
add_todo - Renew visa (photo is required)
edit_file +// name is required
request_leave 담당자는 아직 등록되지 않았습니다
send_again Picked all mails that were not opened
translate Please send the file by Friday.
translate Room A was not booked.
ask_hr A visa is required for stays over 90 days.
room_availability 회의실 A는 이미 예약되어 있습니다
transcribe Please call me back.
getRoom The room was not booked
`

// TestRefusedActsAreNotDone judges results of tools that write: what denies or refuses the act is a failure, although the same words
// are the answer of a lookup. A tool that cancels or refuses has done what it was to do.
func TestRefusedActsAreNotDone(t *testing.T) {
	t.Parallel()
	for half := range 2 {
		for list, want := range map[string]tool.Verdict{undoneResults[half]: tool.Failed, doneResults[half]: tool.Succeeded} {
			spec := tool.Spec{Name: "office_create"}
			for line := range strings.Lines(strings.TrimSpace(list)) {
				if got, words := spec.Judge(nil, line); got != want || (words != "") != (got == tool.Failed) {
					t.Errorf("half %d, %q: %q with %q", half+1, strings.TrimSpace(line), got, words)
				}
			}
		}
	}
	for line := range strings.Lines(strings.TrimSpace(toldAsDone)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		arguments, result, ok := strings.Cut(text, " => ")
		if !ok {
			arguments, result = "", text
		}
		if got, words := (tool.Spec{Name: name}).Judge([]byte(arguments), result); got != tool.Succeeded {
			t.Errorf("%s(%s): %q is %q with %q", name, arguments, result, got, words)
		}
	}
	for name := range strings.FieldsSeq("update_status add_card_to_list create_list mark_read post_status check_out_book execute_query google_calendar_create_event jira_createIssue") {
		if got, _ := (tool.Spec{Name: name}).Judge(nil, "The card was not added."); got != tool.Failed {
			t.Errorf("%s is judged as a lookup: %q", name, got)
		}
	}
	for text, reads := range map[string]tool.Verdict{"회의실 A는 15시에 예약되지 않았습니다.": tool.Succeeded, "The invoice could not be matched": tool.Succeeded} {
		for _, spec := range []tool.Spec{{Name: "create", Policy: tool.Policy{ReadOnly: true}}, {Name: "office_find_rooms"}, {Name: "getRoom"}, {Name: "translate"}} {
			if got, _ := spec.Judge(nil, text); got != reads {
				t.Errorf("a lookup's %q is %q", text, got)
			}
		}
	}
}
