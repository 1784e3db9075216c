package load_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"maru/rag/load"
)

// encrypted locks a PDF with AES of a key length, against changes alone or with a
// password to open it.
func encrypted(t *testing.T, data []byte, password string, bits int) []byte {
	t.Helper()
	api.DisableConfigDir()
	conf := model.NewAESConfiguration(password, "the owner's", bits)
	conf.Permissions = model.PermissionsNone
	var out bytes.Buffer
	if err := api.Encrypt(bytes.NewReader(data), &out, conf); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPDFThatMayOnlyBeReadIsRead(t *testing.T) {
	t.Parallel()
	data := pdfOf([]string{"Annual leave is fifteen days."})
	for _, bits := range []int{128, 256} {
		_, chunks := mustLoad(t, "rules.pdf", encrypted(t, data, "", bits))
		if got := show(chunks); !strings.Contains(got, "Annual leave is fifteen days.") {
			t.Errorf("%d bits: %s", bits, got)
		}
		l := load.New(load.Config{Command: child("parse-child")})
		_, _, err := l.Load(t.Context(), "locked.pdf", encrypted(t, data, "secret", bits))
		if e := (*load.Error)(nil); !errors.As(err, &e) || e.Code != load.Encrypted {
			t.Errorf("%d bits and a password: %v", bits, err)
		}
	}
}
