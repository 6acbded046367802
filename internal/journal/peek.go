package journal

// Passing tells whether the request is about the run that is at work, and of no
// meaning for the next one. What is about the plan still counts then.
func (r Request) Passing() bool {
	return r.Kind == RequestStop || r.Kind == RequestPause || r.Kind == RequestResume || r.Kind == RequestSet
}

// Peek returns what waits in the inbox of the unit whose state directory is dir, as
// [Inbox.Take] does, and touches nothing: files that are no requests are passed
// over, and an inbox that is not there is empty.
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
