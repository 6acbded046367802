package journal

// Passing reports whether the request is about the run that is running, and of no
// meaning for the next one. What is about the plan still counts then.
func (r Request) Passing() bool {
	return r.Kind == RequestStop || r.Kind == RequestPause || r.Kind == RequestResume || r.Kind == RequestSet
}

// Peek returns the requests that wait in the inbox of the unit with the state directory dir, as
// [Inbox.Take] does, without a change: it skips files that are not requests, and treats a missing
// inbox as empty.
func Peek(dir string) ([]Mail, error) {
	in := inboxOf(dir)
	names, err := in.names()
	if err != nil {
		return nil, err
	}
	var mail []Mail
	for _, name := range names {
		if r, err := in.read(name); err == nil {
			mail = append(mail, Mail{name, r})
		}
	}
	return mail, nil
}
