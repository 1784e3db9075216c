package body_test

import (
	"errors"
	"strings"
	"testing"

	"maru/adapters/lanes/body"
)

func TestJSONIsReadStrictly(t *testing.T) {
	t.Parallel()
	type order struct {
		Title  string            `json:"title"`
		Count  int               `json:"count"`
		Values map[string]string `json:"values"`
	}
	for given, why := range map[string]string{
		`{"title":"a","count":2,"values":{"A":"1","b":"2"}}`: "",
		`{}`:                               "",
		`{"title":"a","title":"b"}`:        "`title` is there twice",
		`{"title":"a","Title":"b"}`:        "`Title` is there twice",
		`{"values":{"a":"1","A":"2"}}`:     "`A` is there twice",
		`{"TITLE":"a"}`:                    `unknown field "TITLE"`,
		`{"titel":"a"}`:                    `unknown field "titel"`,
		`{"count":"a"}`:                    "`count` cannot be a string",
		`{"title":[]}`:                     "`title` cannot be an array",
		`[{"title":"a"}]`:                  "not a JSON object",
		`null`:                             "not a JSON object",
		``:                                 "it ends too early",
		`{"title":"a"`:                     "it ends too early",
		`{"title":"a"} {"title":"b"}`:      "something follows the object",
		`{"title":}`:                       "invalid character",
		strings.Repeat(`{"values":`, 1000): "it is nested too deeply",
	} {
		var o order
		err := body.JSON(strings.NewReader(given), &o)
		if (err == nil) != (why == "") || err != nil && (!errors.Is(err, body.ErrJSON) || !strings.Contains(err.Error(), why)) {
			t.Errorf("%.40s: %v", given, err)
		}
	}
}
