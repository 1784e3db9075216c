package bottest

import (
	"context"
	"slices"

	"maru/bot"
)

// Upload implements bot.Uploader.
func (p *Platform) Upload(_ context.Context, parcel bot.Parcel) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, failing := p.fault("upload")
	if failing && !f.After {
		return f.Err
	}
	for _, had := range p.parcels {
		if parcel.Again && had.Key == parcel.Key {
			return nil
		}
	}
	p.parcels = append(p.parcels, parcel)
	p.notify()
	if failing {
		return f.Err
	}
	return nil
}

// Withdraw removes a parcel.
func (p *Platform) Withdraw(_ context.Context, parcel bot.Parcel) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, failing := p.fault("withdraw"); failing {
		return f.Err
	}
	p.parcels = slices.DeleteFunc(p.parcels, func(had bot.Parcel) bool { return had.Key == parcel.Key })
	p.notify()
	return nil
}

// Parcels waits until n parcels of files were handed over, and returns all.
func (p *Platform) Parcels(ctx context.Context, n int) ([]bot.Parcel, error) {
	for {
		p.mu.Lock()
		changed, all := p.changed, append([]bot.Parcel(nil), p.parcels...)
		p.mu.Unlock()
		if len(all) >= n {
			return all, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return all, ctx.Err()
		}
	}
}
