-- Whose a task is, and the wall around it. Each statement can be run again, as in V1.
-- null without a wall
alter table tasks add column if not exists sandbox character varying(32);
-- the name of a token; null for the operator's
alter table tasks add column if not exists owner character varying(64);

create index if not exists tasks_by_owner on tasks (owner, id);
