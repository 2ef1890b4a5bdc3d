-- Lets the images be copied that were there before 0036: its triggers note what changes meanwhile. What is read is locked, so that a
-- submission that is withdrawn in this moment leaves no copy. The position is the key of a submission; a project's is `team project project`.
with batch as (
  (
    select s.team_id, s.project_id, s.id as owner_id
      from submissions s
     where $1 = ''
        or (s.team_id, s.project_id, s.id) > (split_part($1, ' ', 1)::uuid, split_part($1, ' ', 2)::uuid, split_part($1, ' ', 3)::uuid)
     order by s.team_id, s.project_id, s.id
     limit 1000
  )
  union all
  (
    select p.team_id, p.id, p.id
      from projects p
     where $1 = ''
        or (p.team_id, p.id, p.id) > (split_part($1, ' ', 1)::uuid, split_part($1, ' ', 2)::uuid, split_part($1, ' ', 3)::uuid)
     order by p.team_id, p.id
     limit 1000
  )
  order by team_id, project_id, owner_id
  limit 1000
), avatars as (
  select s.team_id, s.project_id, s.id as owner_id, s.author_avatar_url as source_url
    from batch b
    join submissions s on s.team_id = b.team_id and s.project_id = b.project_id and s.id = b.owner_id
    join projects p on p.team_id = s.team_id and p.id = s.project_id and p.deleted_at is null
   where s.is_public and s.author_avatar_url is not null
     for share of s
), logos as (
  select p.team_id, p.id as project_id, p.id as owner_id, p.theme_logo_url as source_url
    from batch b
    join projects p on p.team_id = b.team_id and p.id = b.owner_id and p.deleted_at is null
   where b.owner_id = b.project_id and p.theme_logo_url is not null
     for share of p
), kept as (
  insert into image_copies (team_id, project_id, owner_id, kind, source_url, due_at)
  select team_id, project_id, owner_id, 'avatar', source_url, clock_timestamp()
    from avatars
   union all
  select team_id, project_id, owner_id, 'logo', source_url, 'epoch'
    from logos
      on conflict (team_id, owner_id) do nothing
  returning owner_id
)
select (
         select concat_ws(' ', team_id, project_id, owner_id)
           from batch
          order by team_id desc, project_id desc, owner_id desc
          limit 1
       ) as position,
       (select count(*) from kept) as changed_rows
