package check

import "syscall"

// changed returns when the inode of a file was changed last.
func changed(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
