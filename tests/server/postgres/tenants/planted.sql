-- What a tenant plants in its schema, in case the administrator comes by. Each leaves a note of who ran it.

create table public.caught (who text);
create function public.note() returns integer language sql
    as $$ insert into public.caught values (current_user) returning 1 $$;
create function public.set_config(text, text, boolean) returns text language sql
    as $$ select public.note(); select $2 $$;
create function public.pg_has_role(text, text) returns boolean language sql as $$ select public.note(); select true $$;
create function public.pg_get_userbyid(oid) returns name language sql as $$ select public.note(); select 'x'::name $$;
create function public.same(name, text) returns boolean language sql
    as $$ select public.note(); select true $$;
create operator public.= (leftarg = name, rightarg = text, function = public.same);
create function public.same(name, name) returns boolean language sql
    as $$ select public.note(); select true $$;
create operator public.= (leftarg = name, rightarg = name, function = public.same);
create view public.pg_namespace as select public.note(), 'public'::name as nspname, 10::oid as nspowner;
create view public.pg_roles as select public.note(), 10::oid as oid, 'x'::name as rolname;
create table public.trap (x int default 1);
create function public.fire() returns trigger language plpgsql
    as $$ begin perform public.note(); return new; end $$;
create trigger fire after insert on public.trap for each statement execute function public.fire();
