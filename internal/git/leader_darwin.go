package git

import "syscall"

// leader makes git a group of its own. It ends when it writes to a ralph that has died.
func leader() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
