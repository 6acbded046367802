package e2e

import "syscall"

// mount puts a disk of 2 MB into a folder; root only.
func mount(dir string) error { return syscall.Mount("none", dir, "tmpfs", 0, "size=2m") }

func unmount(dir string) { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }
