package git

import "syscall"

// leader makes git a group of its own that ends when ralph dies, however it dies.
func leader() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
