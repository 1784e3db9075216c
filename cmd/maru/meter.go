package main

import (
	"context"
	"errors"
	"time"

	"maru/agent"
	"maru/agent/metering"
	"maru/memory/sqlitestore"
)

// price is what a model call costs, by its model and tokens.
func (a *app) price(u agent.Usage) float64 {
	return a.cfg.Model.Cost(u.Model, u.Input, u.Output, u.Cached)
}

// meter counts model calls outside of runs.
func (a *app) meter() *metering.Meter {
	c := metering.Config{Price: a.price, Now: time.Now, Zone: a.cfg.Place.Location(), Log: a.log}
	if a.record != nil {
		c.Sums = a.record
	}
	if a.metrics != nil {
		c.Observe = a.metrics.ModelCall
	}
	return metering.New(c)
}

// openSums opens the record for what a command of the operator's costs, where a
// model that costs is asked. A record that another program holds is left alone.
func (a *app) openSums(ctx context.Context) error {
	if !a.cfg.Model.On() {
		return nil
	}
	record, err := a.openRecord(ctx)
	if errors.Is(err, sqlitestore.ErrInUse) {
		a.log.WarnContext(ctx, "what this costs is not in the sums of usage: another program has the record open")
		return nil
	}
	a.record = record
	return err
}
