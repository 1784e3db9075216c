package main

import (
	"context"
	"errors"
	"time"

	"maru/agent"
	"maru/agent/metering"
	"maru/config"
	"maru/memory/sqlitestore"
)

// price returns the price of a model call by model and tokens.
func price(live *config.Live) func(agent.Usage) float64 {
	return func(u agent.Usage) float64 { return live.Now().Model.Cost(u.Model, u.Input, u.Output, u.Cached) }
}

// newMeter returns the meter of model calls outside of runs. sums and observe
// may be nil.
func newMeter(b base, sums metering.Sums, observe func(string, agent.Usage, time.Duration, string)) *metering.Meter {
	return metering.New(metering.Config{
		Sums: sums, Price: price(b.live), Now: time.Now, Zone: b.cfg.Place.Location(), Log: b.log, Observe: observe,
	})
}

// openMeter returns the meter of an operator command. It opens the record for the sums if a model is configured. A
// record that another program has open is skipped.
func openMeter(ctx context.Context, b base) (*metering.Meter, error) {
	if !b.cfg.AsksModels() {
		return newMeter(b, nil, nil), nil
	}
	record, _, err := openRecord(ctx, b)
	if errors.Is(err, sqlitestore.ErrInUse) {
		b.log.WarnContext(ctx, "usage not recorded: another program has the record open")
		return newMeter(b, nil, nil), nil
	}
	if err != nil {
		return nil, err
	}
	return newMeter(b, record, nil), nil
}
