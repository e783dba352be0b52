-- What has ended since a time, and what was forgotten, so that who asks for it is told so. Each statement can be run
-- again, as in V1.
create index if not exists tasks_by_end on tasks (ended_at, id);

create table if not exists forgotten_tasks (
    id            character varying(31)        not null primary key,
    forgotten_at  timestamp(9) with time zone  not null
);

create index if not exists forgotten_tasks_by_time on forgotten_tasks (forgotten_at, id);
