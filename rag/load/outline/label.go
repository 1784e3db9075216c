package outline

import (
	"strings"
	"unicode"

	"maru/phrase/pattern"
)

// plain returns a label as the lists below have it: lower case, without spaces in Korean, marks and numbers around it.
func plain(s string) string {
	s = strings.ToLower(aside.ReplaceAllString(s, ""))
	s = strings.Trim(s, " \t:：*.·•※()[]0123456789")
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		s = strings.ReplaceAll(s, " ", "")
	}
	return s
}

var aside = pattern.New(`\s*[(（\[][^)）\]]*[)）\]]`)

// isLabel reports whether a cell has a label as forms have it.
func isLabel(cell string) bool {
	if len(cell) > 80 {
		return false
	}
	s := plain(cell)
	if labels[s] {
		return true
	}
	if n := len([]rune(s)); n > 2 && n <= 8 && ending.MatchString(s) {
		return true
	}
	words := strings.Fields(s)
	return len(words) > 1 && len(words) <= 4 && (labels[words[len(words)-1]] || labels[words[0]] && (words[1] == "of" || words[1] == "and" || words[1] == "&"))
}

// ending matches the ends of Korean labels.
var ending = pattern.New(`(?:번호|일자|일시|기간|기한|주소|연락처|전화|메일|담당자|책임자|작성자|부서|부서명|금액|조건|방법|사유|목적|내용|여부|회사명|업체명|사업명|계약명|제품명|상품명|과제명|기관명|대표자|성명|소속|장소|종류|유형|상태|등급|번호|년월일|전력|무게|크기)$`)

// labels are what forms ask for.
var labels = set(`성명 이름 성함 부서 부서명 소속 직급 직위 직책 직함 사번 연락처 전화 전화번호 휴대폰 휴대전화 핸드폰 이메일 메일 전자우편
	주소 생년월일 주민등록번호 성별 나이 국적 학력 경력 입사일 퇴사일 작성일 작성자 신청일 신청인 신청자 접수일 접수번호 등록일 발행일 시행일
	담당 담당자 책임자 대표 대표자 대표이사 상호 법인명 회사 회사명 업체명 거래처 사업자등록번호 계약명 계약일 계약기간 계약금액 갑 을 일시 날짜 일자 장소 참석자
	안건 제목 목적 사유 기간 시작일 종료일 마감일 기한 납기 결제 결제조건 금액 합계 총액 단가 수량 통화 계좌번호 은행 예금주 품명 품목 제품명 상품명 모델명 모델
	규격 색상 재질 무게 크기 용량 제조사 제조국 원산지 제조일 유효기간 보증기간 버전 상태 우선순위 중요도 분류 종류 유형 타입 번호 문서번호 보존기간 공개여부 비고 첨부 결재 팀장 서명
	과제명 사업명 기관명 주관기관 연구책임자 예산 차량번호 차종 연식 주행거리 학번 학과 학년 학교 전공 호실 인원 요일 시간 환자명 진단명 보호자 비상연락처
	name department dept team title position role phone telephone tel mobile fax email e-mail mail address city state country zip postcode
	birthday birthdate birth date time place location venue attendees agenda subject author owner manager contact requester reporter assignee approver
	company organization organisation customer client vendor supplier project status priority severity category type version id number no invoice order
	amount total subtotal price quantity qty currency due deadline start end duration period budget summary purpose reason model brand color colour size
	weight dimensions material manufacturer serial warranty age gender nationality occupation signature website url revision department employee environment impact`)

// named are names of columns beside labels, and no values.
var named = set(`내용 값 설명 의미 정의 비고 기준 상세 예시 예 세부내용 상세내용 답변 결과 기능 용도 처리 조치 단위 비율 점수 설정값 기본값 권한 대상
	value values description meaning definition default content contents notes note details detail example examples comment comments answer result count percent
	explanation usage action function unit data text remarks required purpose`)

// general are words for things in general, above a column of names.
var general = set(`항목 구분 필드 속성 변수 키 옵션 설정 지표 용어 질문 코드 명령 명령어 단계 순번 순서 기능 메뉴 역할
	컬럼 컬럼명 칼럼 칼럼명 필드명 속성명 변수명 옵션명 파라미터 파라미터명 매개변수 인자
	field item property attribute key parameter param option setting variable column metric term question command code step feature argument flag element
	keyword symbol method function`)

// persons are labels that ask for a person by a role, and roles are labels that ask for the role.
var (
	persons = set(`담당 담당자 책임자 연구책임자 대표 대표자 대표이사 팀장 작성자 신청인 신청자 참석자 보호자 예금주
	owner manager employee author requester reporter assignee approver contact customer client vendor supplier`)
	roles = set(`직급 직위 직책 직함 position role`)
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
