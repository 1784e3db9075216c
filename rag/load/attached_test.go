package load_test

import (
	"bytes"
	"encoding/base64"
	"mime/quotedprintable"
	"strings"
	"testing"

	"maru/rag/load"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdf"
)

// TestPDFInAMail: attached PDFs are read, however the mail names and encodes them.
func TestPDFInAMail(t *testing.T) {
	t.Parallel()
	l := load.New(load.Config{Command: child("parse-child"), Timeout: patient, PDF: pdf.Config{Cache: loadtest.PDFCache()}})
	var quoted bytes.Buffer
	w := quotedprintable.NewWriter(&quoted)
	w.Binary = true
	if _, err := w.Write([]byte(pdf.Probe)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	in64 := base64.StdEncoding.EncodeToString([]byte(pdf.Probe))
	for name, part := range map[string]string{
		"named":                 "Content-Type: application/pdf; name=plan.pdf\r\nContent-Disposition: attachment; filename=plan.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" + in64,
		"upper case":            "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=PLAN.PDF\r\nContent-Transfer-Encoding: base64\r\n\r\n" + in64,
		"encoded name":          "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename*=UTF-8''%EA%B3%84%ED%9A%8D%2Epdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" + in64,
		"encoded word":          "Content-Type: application/octet-stream; name=\"=?UTF-8?B?" + base64.StdEncoding.EncodeToString([]byte("계획.pdf")) + "?=\"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n" + in64,
		"quoted printable body": "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename*=UTF-8''%EA%B3%84%2Epdf\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + quoted.String(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mail := "Subject: Plan\r\nFrom: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n--x\r\n" + part + "\r\n--x--\r\n"
			doc, chunks, err := l.Load(t.Context(), "plan.eml", []byte(mail))
			if got := show(chunks); err != nil || len(doc.Unread) > 0 || !strings.Contains(got, "hello world") {
				t.Errorf("%v, %+v, %q", err, doc.Unread, got)
			}
		})
	}
}
