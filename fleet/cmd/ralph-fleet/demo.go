package main

type demoCmd struct{}

func (c *demoCmd) Run(a *app) error { return nil }

type reportCmd struct{}

func (c *reportCmd) Run(a *app) error { return nil }
