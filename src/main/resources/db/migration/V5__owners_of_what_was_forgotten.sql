-- Whose a task was, so that only who saw it is told that it was forgotten. Can be run again, as in V1.
-- null for the operator's
alter table forgotten_tasks add column if not exists owner character varying(64);
