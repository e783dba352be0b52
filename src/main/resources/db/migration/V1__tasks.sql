-- Tasks, an index over the task folders. Durations are milliseconds, times are UTC.
-- H2 commits each statement, so each can be run again after a kill in between.
-- Texts without a bound are large objects, kept inside their row up to 1 MiB.
set max_length_inplace_lob 1048576;

create table if not exists tasks (
    id               character varying(31)        not null primary key,
    version          bigint                       not null,
    status           character varying(16)        not null,
    created_at       timestamp(9) with time zone  not null,
    started_at       timestamp(9) with time zone,
    promoted_at      timestamp(9) with time zone,
    updated_at       timestamp(9) with time zone  not null,
    ended_at         timestamp(9) with time zone,
    -- as a person reads it, for searches; with argv null it is the shell text itself
    command_text     character large object       not null,
    -- a JSON array of strings; null for shell text
    argv             character large object,
    -- null for a program
    shell            character varying,
    login            boolean,
    workdir          character varying            not null,
    -- null without a terminal
    terminal_rows    integer,
    terminal_cols    integer,
    accepts_input    boolean                      not null,
    -- a JSON array of strings: names, never values
    env_keys         character large object       not null,
    timeout_ms       bigint,
    idle_timeout_ms  bigint,
    on_exit          character varying(16)        not null,
    -- null until it ended
    ended_by         character varying(16),
    exit_status      integer,
    exit_signal      character varying(32),
    -- a JSON object of strings
    ending_details   character large object,
    constraint tasks_shell_or_program check ((argv is null) = (shell is not null) and (argv is null) = (login is not null)),
    constraint tasks_terminal_size check ((terminal_rows is null) = (terminal_cols is null))
);

create index if not exists tasks_by_status on tasks (status, id);

create table if not exists task_labels (
    task_id  character varying(31)  not null references tasks (id) on delete cascade,
    name     character varying      not null,
    content  character varying      not null,
    primary key (task_id, name)
);
