//go:build !linux

package e2e

import "errors"

func mount(string) error { return errors.ErrUnsupported }

func unmount(string) {}
