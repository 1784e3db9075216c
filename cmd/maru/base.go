package main

import (
	"errors"
	"io"
	"log/slog"
	"path/filepath"

	"maru/agent/llm/openai"
	"maru/config"
)

// base holds the dependencies of every part of the program. A part with open resources adds them to opened.
type base struct {
	cfg      config.Config
	log      *slog.Logger
	opened   *closers
	refusals *openai.Refusals // parameters that endpoints have rejected
	live     *config.Live     // the settings in cfg that can change without a restart
}

func newBase(cfg config.Config, log *slog.Logger) base {
	return base{cfg, log, &closers{}, openai.RefusalsIn(cfg.Store.DataDir), config.NewLive(cfg)}
}

// closers are the opened resources, in order.
type closers []io.Closer

func (c *closers) add(one io.Closer) { *c = append(*c, one) }

// Close closes the last opened first.
func (c *closers) Close() error {
	var errs []error
	for i := len(*c) - 1; i >= 0; i-- {
		errs = append(errs, (*c)[i].Close())
	}
	*c = nil
	return errors.Join(errs...)
}

// recordPath returns the file of the embedded record.
func recordPath(s config.Store) string { return filepath.Join(s.DataDir, "maru.db") }

// localIndex returns the folder of the embedded index.
func localIndex(s config.Store) string { return filepath.Join(s.DataDir, "index") }

// workflowDir returns the folder of the team's own workflows.
func workflowDir(s config.Store) string {
	if s.WorkflowDir != "" {
		return s.WorkflowDir
	}
	return filepath.Join(s.DataDir, "workflows")
}

// inUse is the error of a second program on the embedded stores, with the remedy.
type inUse struct {
	error
	instead string
}

// Error implements error.
func (e inUse) Error() string { return e.error.Error() + "; " + e.instead }

// Unwrap returns the store's own error.
func (e inUse) Unwrap() error { return e.error }

// whileServing adds the remedy to the error of a command blocked by a running program. Other errors stay as they are.
func whileServing(err error, instead string) error {
	var already inUse
	if errors.As(err, &already) {
		err = already.error
	}
	if !blocked(err) {
		return err
	}
	return inUse{err, instead}
}
