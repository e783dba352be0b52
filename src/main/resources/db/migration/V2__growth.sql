-- What lists look through instead of rows, so that a list reads no row but those it shows. Each statement can be run
-- again, as in V1.
create index if not exists task_labels_by_content on task_labels (name, content, task_id);

create table if not exists task_texts (
    task_id  character varying(31)       not null,
    -- the first 300000 characters of command_text in lower case, in which each is three at most
    content  character varying(1000000)      not null
);

-- Holds all that a search reads, in the order of a list.
create index if not exists task_texts_by_task on task_texts (task_id, content);

insert into task_texts (task_id, content)
    select id, lower(substring(command_text from 1 for 300000)) from tasks
    where not exists (select 1 from task_texts where task_id = id);

alter table task_texts drop constraint if exists task_texts_of_tasks;
alter table task_texts add constraint task_texts_of_tasks foreign key (task_id) references tasks (id) on delete cascade;
