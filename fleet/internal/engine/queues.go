package engine

import (
	"context"
	"fmt"

	"go.temporal.io/api/enums/v1"

	"ralph/fleet/internal/feature"
)

// Nobody returns a warning if no worker takes features with a label, and an empty text if
// one does. The server remembers workers for five minutes.
func (e Engine) Nobody(ctx context.Context, label string) (string, error) {
	if asked, err := e.asked(ctx, "", enums.TASK_QUEUE_TYPE_WORKFLOW); err != nil {
		return "", err
	} else if !asked {
		return "no worker is there; start one with 'ralph-fleet worker'", nil
	}
	asked, err := e.asked(ctx, label, enums.TASK_QUEUE_TYPE_ACTIVITY)
	switch {
	case err != nil || asked:
		return "", err
	case label == "":
		return "no worker has asked for a feature of late: all are busy, or have no room on their disks", nil
	}
	return fmt.Sprintf("no worker with the label %s has asked for a feature of late: none is there, all are busy, or have no room on their disks", label), nil
}

// asked reports whether a worker has asked a queue for work of late.
func (e Engine) asked(ctx context.Context, label string, kind enums.TaskQueueType) (bool, error) {
	d, err := e.Client.DescribeTaskQueue(ctx, feature.QueueFor(label), kind)
	if err != nil {
		return false, fmt.Errorf("the task queue %s: %w", feature.QueueFor(label), err)
	}
	return len(d.Pollers) > 0, nil
}

// sayWhyQueued explains features that wait while no worker polls for them.
func (e Engine) sayWhyQueued(ctx context.Context, views []View) error {
	known := map[string]string{}
	for i := range views {
		if views[i].State != "queued" {
			continue
		}
		label := views[i].Standing.Submission.Needs
		if _, ok := known[label]; !ok {
			why, err := e.Nobody(ctx, label)
			if err != nil {
				return err
			}
			known[label] = why
		}
		views[i].Waits = known[label]
	}
	return nil
}
