package dev.holdfast.task;

/** What can happen to a task. */
public sealed interface TaskEvent {
    /** Its process runs. */
    record Spawned() implements TaskEvent {}

    /** Its caller's window closed, or somebody else was given its id: it is a task from now on. */
    record Promoted() implements TaskEvent {}

    record StopRequested() implements TaskEvent {}

    record Ended(Ending ending) implements TaskEvent {}
}
