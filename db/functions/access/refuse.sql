-- Ends the statement with an error of the API's table; db/src/driver/errors.ts turns it into an ApiError.
create or replace function refuse(p_code text, p_fields jsonb default '{}') returns void
language plpgsql as $$
begin
  raise exception using errcode = 'EARSH', message = p_code, detail = p_fields::text;
end $$;
