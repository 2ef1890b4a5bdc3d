-- Notes that a credential is used, unless another call is just doing it: no two wait for each other. Returns its id.
create or replace function touch_credential(p_id uuid) returns uuid language plpgsql as $$
begin
  update public.credentials c
     set last_used_at = now()
   where c.id = (
           select q.id
             from public.credentials q
            where q.id = p_id
              for no key update skip locked
         );
  return p_id;
end $$;
