package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// TestABodyThatDoesNotComeIsGivenUp sends a request of which half the body is held back.
func TestABodyThatDoesNotComeIsGivenUp(t *testing.T) {
	t.Parallel()
	read := make(chan error, 1)
	srv := httptest.NewServer(punctual(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	}), 20*time.Millisecond))
	defer srv.Close()
	conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-read:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it is waited for")
	}
}

// TestWorkOnABodyMayTakeLong: the limit is the body's. What follows it, and the next
// request of the connection, have all the time that they need.
func TestWorkOnABodyMayTakeLong(t *testing.T) {
	t.Parallel()
	const limit = 50 * time.Millisecond
	ended := make(chan error, 2)
	srv := httptest.NewServer(punctual(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			ended <- err
			return
		}
		select {
		case <-r.Context().Done():
			ended <- r.Context().Err()
		case <-time.After(3 * limit):
			ended <- nil
		}
	}), limit))
	defer srv.Close()
	conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	answers := bufio.NewReader(conn)
	for range 2 {
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(<-ended, resp.Body.Close()); err != nil {
			t.Errorf("it was cut off: %v", err)
		}
	}
}
