package main

import "os"

// startUp measures what every call of ralph costs before it does anything.
func (b *bench) startUp() ([]row, error) {
	hello, err := b.floor("hello")
	if err != nil {
		return nil, err
	}
	const times = 41
	list, err := pairs(b.ctx, times,
		func() (usage, error) { return measure(b.command(b.ralph, "--version"), 0) },
		func() (usage, error) { return measure(b.command(hello), 0) })
	if err != nil {
		return nil, err
	}
	size, err := sizeRow(b.ralph, hello)
	if err != nil {
		return nil, err
	}
	return []row{
		cpuRow("CPU of 'ralph --version' (floor: hello world)", list).atMostTimes(10),
		rssRow("resident, 'ralph --version'", list).atMost(20),
		size,
	}, nil
}

func sizeRow(ralph, floor string) (row, error) {
	r := row{Name: "size of the binary", Unit: "MB"}
	ours, err := os.Stat(ralph)
	if err != nil {
		return r, err
	}
	least, err := os.Stat(floor)
	if err != nil {
		return r, err
	}
	r.Value = mb(ours.Size())
	r.Floor = new(mb(least.Size()))
	r.Ratio = new(r.Value / *r.Floor)
	return r.atMost(25), nil
}
