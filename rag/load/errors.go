package load

import (
	"errors"
	"fmt"
)

// Code says why a file was not loaded.
type Code string

// The reasons a file is refused.
const (
	Empty       Code = "empty"
	TooLarge    Code = "too_large"
	Unsupported Code = "unsupported"
	WrongType   Code = "wrong_type" // the content is not what the name says
	Encoding    Code = "encoding"
	Encrypted   Code = "encrypted"
	Broken      Code = "broken"
	TooComplex  Code = "too_complex" // over a limit on text, pages, nesting or unpacked size
	Timeout     Code = "timeout"
	Crashed     Code = "crashed" // the parser's process died
	NoText      Code = "no_text" // nothing but pictures
)

// Error is why a file was not loaded. Callers find it with errors.As.
type Error struct {
	Code Code
	Name string // of the file
	Size string // in people's units, with TooLarge
	Err  error  // what lay beneath, for the log; may be nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("load %s: %s", e.Name, e.Code)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// sentences are what a person is told: Korean, English.
var sentences = map[Code][2]string{
	Empty:       {"%s 파일이 비어 있습니다.", "%s is empty."},
	TooLarge:    {"%s 파일이 너무 큽니다 (%s). 나누어서 올려 주세요.", "%s is too large (%s). Please split it."},
	Unsupported: {"%s 파일 형식은 읽을 수 없습니다. Markdown, 텍스트, HTML, JSON, CSV, PDF, DOCX, PPTX, XLSX와 이들을 묶은 ZIP을 올려 주세요.", "I cannot read files like %s. I can read Markdown, text, HTML, JSON, CSV, PDF, DOCX, PPTX, XLSX and ZIP archives of these."},
	WrongType:   {"%s 파일의 내용이 확장자와 다릅니다. 원래 형식의 이름으로 다시 올려 주세요.", "The content of %s is not what its name says. Please give it the right extension."},
	Encoding:    {"%s 파일의 문자 인코딩을 알 수 없습니다. UTF-8로 저장해 주세요.", "I cannot tell the character encoding of %s. Please save it as UTF-8."},
	Encrypted:   {"%s 파일에 암호가 걸려 있습니다. 암호를 푼 파일을 올려 주세요.", "%s is protected by a password. Please remove it first."},
	Broken:      {"%s 파일이 손상되어 읽을 수 없습니다.", "%s is damaged and cannot be read."},
	TooComplex:  {"%s 파일은 안전하게 읽을 수 있는 한도(쪽수, 중첩, 압축을 푼 크기)를 넘습니다.", "%s goes beyond what can be read safely (pages, nesting or unpacked size)."},
	Timeout:     {"%s 파일을 제한 시간 안에 읽지 못했습니다. 나누어서 올려 주세요.", "Reading %s took too long. Please split it."},
	Crashed:     {"%s 파일을 읽다가 문제가 생겼습니다. 다른 형식으로 저장해서 올려 주세요.", "Something went wrong while reading %s. Please save it in another format."},
	NoText:      {"%s 파일에서 글자를 찾지 못했습니다. 스캔한 그림이라면 글자를 인식(OCR)한 파일을 올려 주세요.", "%s has no text. If it is a scan, please run text recognition (OCR) on it first."},
}

// PeopleText is the sentence for a person, in "ko" or else in English.
func (e *Error) PeopleText(language string) string {
	s := sentences[e.Code][1]
	if language == "ko" {
		s = sentences[e.Code][0]
	}
	if e.Code == TooLarge {
		return fmt.Sprintf(s, e.Name, e.Size)
	}
	return fmt.Sprintf(s, e.Name)
}

var (
	errTextLimit  = errors.New("more text than the limit")
	errPageLimit  = errors.New("more pages than the limit")
	errDepthLimit = errors.New("nested deeper than the limit")
	errRatioLimit = errors.New("unpacks to more than the limit")
)

func fault(code Code, name string, err error) *Error { return &Error{Code: code, Name: name, Err: err} }

func tooLarge(name string, size, limit int) *Error {
	return &Error{Code: TooLarge, Name: name, Size: fmt.Sprintf("%.1f MB > %d MB", float64(size)/(1<<20), limit>>20)}
}

// named gives an error of a parser the file's name; other errors mean a broken file.
func named(err error, name string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Name = name
		return e
	}
	return fault(Broken, name, err)
}
